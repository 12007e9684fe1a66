import { and, type Column, eq, inArray, isNotNull, isNull, not, notInArray, or, sql } from 'drizzle-orm'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { creditNotes, invoices, payments, purchases, refunds } from '#server/database/schema.ts'
import type { Subscription } from '#server/gateways/stripe.ts'

export { createDocuments, type Documents } from './documents.ts'
export { isArriving, type PaidHistory, readPaidHistories, readPaidHistory } from './paid-history.ts'
export {
  areFullyRefunded,
  creditedPaymentOf,
  latestPaidInvoice,
  latestPaidPeriod,
  orderedPeriod,
  outOfBandForLatestPeriod,
  paymentsFor,
  paymentsOfLatestPeriod,
  refundedForUnusedTerm,
  refundForUnusedDays,
  reversalOf,
} from './paid-periods.ts'
export { isForgiven, presentPeriodStatus } from './present-period-status.ts'

/** `id` is null once the seller has deleted the purchase. */
export type BookedPurchase = { id: string | null; userId: string }

/** Never deletes. Returns the refunds that are new or have another status. */
export async function recordInvoices(tx: Transaction, purchase: BookedPurchase, subscription: Subscription) {
  await upsertInvoices(tx, purchase, subscription)
  await upsertPayments(tx, purchase, subscription)
  return upsertRefunds(tx, subscription)
}

/** True if the books equal Stripe's invoices. Always false with refunds or disputes, which are rare. */
export async function isRecorded(tx: Transaction, subscription: Subscription): Promise<boolean> {
  const hasRefundOrDispute = subscription.payments.some(
    (payment) => payment.refunds.length > 0 || payment.dispute !== 'none',
  )
  if (hasRefundOrDispute) return false
  const storedInvoices = await tx.select().from(invoices).where(eq(invoices.subscriptionId, subscription.id))
  const storedById = new Map(storedInvoices.map((stored) => [stored.id, stored]))
  return subscription.invoices.every(({ id, status, amountRemaining }) => {
    const stored = storedById.get(id)
    return stored?.status === status && stored.amountRemaining === amountRemaining
  })
}

async function upsertInvoices(tx: Transaction, { id: purchaseId, userId }: BookedPurchase, subscription: Subscription) {
  if (subscription.invoices.length === 0) return
  await tx
    .insert(invoices)
    .values(
      subscription.invoices.map(({ period, ...invoice }) => ({
        ...invoice,
        purchaseId,
        userId,
        subscriptionId: subscription.id,
        periodStart: period?.start ?? null,
        periodEnd: period?.end ?? null,
      })),
    )
    .onConflictDoUpdate({
      target: invoices.id,
      set: {
        number: sql`excluded.number`,
        status: sql`excluded.status`,
        finalizedAt: sql`excluded.finalized_at`,
        dueAt: sql`excluded.due_at`,
        paidAt: sql`excluded.paid_at`,
        closedAt: sql`excluded.closed_at`,
        total: sql`excluded.total`,
        tax: sql`excluded.tax`,
        amountPaid: sql`excluded.amount_paid`,
        amountRemaining: sql`excluded.amount_remaining`,
        paidOutOfBand: sql`excluded.paid_out_of_band`,
        periodNet: sql`excluded.period_net`,
        country: sql`excluded.country`,
        region: sql`excluded.region`,
        taxRate: sql`excluded.tax_rate`,
      },
    })
  if (subscription.creditNotes.length > 0)
    await tx
      .insert(creditNotes)
      .values(subscription.creditNotes)
      .onConflictDoUpdate({
        target: creditNotes.id,
        set: { status: sql`excluded.status`, refunded: sql`excluded.refunded` },
      })
}

async function upsertPayments(tx: Transaction, { id: purchaseId }: BookedPurchase, subscription: Subscription) {
  const invoiceById = new Map(subscription.invoices.map((invoice) => [invoice.id, invoice]))
  const cardPayments = subscription.payments.map(
    ({ paymentIntentId, invoiceId, paidAt, amount, country, lost, isRefundBlocked }) => ({
      paymentIntentId,
      invoiceId,
      paidAt,
      amount,
      country,
      lostAt: lost?.at ?? null,
      lostAmount: lost?.amount ?? 0,
      isRefundBlocked,
    }),
  )
  // An out-of-band payment has no payment intent, so its row takes the invoice's id instead.
  const outOfBandPayments = subscription.invoices.flatMap(({ id, paidAt, paidOutOfBand: amount, country }) =>
    paidAt && amount > 0
      ? { paymentIntentId: id, invoiceId: id, paidAt, amount, country, lostAt: null, lostAmount: 0 }
      : [],
  )
  const rows = [...cardPayments, ...outOfBandPayments].map((payment) => {
    const invoice = invoiceById.get(payment.invoiceId)
    return {
      ...payment,
      purchaseId,
      invoiceNumber: invoice?.number ?? null,
      tax: taxShare(invoice?.tax ?? 0, payment.amount, invoice?.total ?? 0),
      periodStart: invoice?.period?.start ?? null,
      periodEnd: invoice?.period?.end ?? null,
    }
  })
  if (rows.length === 0) return
  await tx
    .insert(payments)
    .values(rows)
    .onConflictDoUpdate({
      target: payments.paymentIntentId,
      set: {
        tax: sql`excluded.tax`,
        invoiceNumber: sql`excluded.invoice_number`,
        periodStart: sql`excluded.period_start`,
        periodEnd: sql`excluded.period_end`,
        country: sql`excluded.country`,
        lostAt: sql`excluded.lost_at`,
        lostAmount: sql`excluded.lost_amount`,
        isRefundBlocked: sql`excluded.is_refund_blocked`,
      },
    })
}

/** Returns the refunds that are new or have another status. */
async function upsertRefunds(tx: Transaction, subscription: Subscription) {
  const invoiceById = new Map(subscription.invoices.map((invoice) => [invoice.id, invoice]))
  const currentRefunds = subscription.payments.flatMap((payment) => {
    const { tax, total } = invoiceById.get(payment.invoiceId) ?? { tax: 0, total: 0 }
    return payment.refunds.map(({ id, at, amount, status, keepsAccess }) => ({
      id,
      at,
      amount,
      status,
      keepsAccess,
      paymentIntentId: payment.paymentIntentId,
      tax: taxShare(tax, amount, total),
    }))
  })
  if (currentRefunds.length === 0) return []
  const ids = currentRefunds.map(({ id }) => id)
  const storedRefunds = await tx.select().from(refunds).where(inArray(refunds.id, ids))
  const storedStatuses = new Map(storedRefunds.map(({ id, status }) => [id, status]))
  await tx
    .insert(refunds)
    .values(currentRefunds)
    .onConflictDoUpdate({
      target: refunds.id,
      set: { status: sql`excluded.status`, keepsAccess: sql`excluded.keeps_access` },
    })
  return currentRefunds.filter(({ id, status }) => storedStatuses.get(id) !== status)
}

/** Tax in a part of an invoice's total. */
const taxShare = (tax: number, amount: number, total: number) => (total > 0 ? Math.round((tax * amount) / total) : 0)

/** Keeps an old invoice while a younger payment, refund or credit note belongs to it. */
export async function forgetOldInvoices(db: Database, now: Date) {
  const yearStart = retentionStartOfYear(now, retention.books)
  // The trigger that protects the books compares with the database's clock, not with `now`.
  const isOld = (at: Column) => sql`(${at} < ${yearStart} and ${at} < now() - interval '10 years')`
  const existingPurchases = db.select({ id: purchases.id }).from(purchases)
  const neededInvoices = db
    .select({ id: payments.invoiceId })
    .from(payments)
    .leftJoin(refunds, eq(refunds.paymentIntentId, payments.paymentIntentId))
    .where(or(isNotNull(payments.purchaseId), not(isOld(payments.paidAt)), not(isOld(refunds.at))))
    .union(
      db
        .select({ id: creditNotes.invoiceId })
        .from(creditNotes)
        .where(not(isOld(creditNotes.createdAt))),
    )
  const isForgotten = and(
    isOld(invoices.createdAt),
    or(isNull(invoices.purchaseId), notInArray(invoices.purchaseId, existingPurchases)),
    notInArray(invoices.id, neededInvoices),
  )
  const oldInvoices = db.select({ id: invoices.id }).from(invoices).where(isForgotten)
  const oldPayments = db
    .select({ id: payments.paymentIntentId })
    .from(payments)
    .where(inArray(payments.invoiceId, oldInvoices))
  await db.transaction(async (tx) => {
    await tx.delete(refunds).where(inArray(refunds.paymentIntentId, oldPayments))
    await tx.delete(payments).where(inArray(payments.invoiceId, oldInvoices))
    await tx.delete(creditNotes).where(inArray(creditNotes.invoiceId, oldInvoices))
    await tx.delete(invoices).where(isForgotten)
  })
}
