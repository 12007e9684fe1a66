import { and, eq, inArray, isNull, lt, notInArray, sql } from 'drizzle-orm'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { creditNotes, invoices, payments, purchases, refunds } from '#server/database/schema.ts'
import type { Subscription } from '#server/gateways/stripe.ts'

export { createDocuments, type Documents } from './documents.ts'
export { isArriving, type PaidHistory, readPaidHistory } from './paid-history.ts'
export {
  lastPaid,
  orderedPeriod,
  paidPeriod,
  paymentsOfPeriod,
  refundedAsRest,
  refundForUnusedDays,
  reversalOf,
} from './paid-periods.ts'
export { presentPeriod } from './present-period.ts'

/** `id` is null once the seller has deleted the purchase. */
type Owner = { id: string | null; userId: string }

/**
 * Brings the books up to date with a subscription's history: invoices, credit notes, payments and refunds are added and
 * follow Stripe, and are never deleted. Returns the refunds that are news.
 */
export async function recordInvoices(tx: Transaction, owner: Owner, answer: Subscription) {
  await upsertInvoices(tx, owner, answer)
  await upsertPayments(tx, owner, answer)
  return upsertRefunds(tx, answer)
}

/** True if the books equal Stripe's invoices. Always false with refunds or disputes. */
export async function isRecorded(tx: Transaction, answer: Subscription): Promise<boolean> {
  // Refunds and disputes are rare; writing them is idempotent.
  if (answer.payments.some(({ refunds: all, dispute }) => all.length > 0 || dispute !== 'none')) return false
  const stored = await tx.select().from(invoices).where(eq(invoices.subscriptionId, answer.id))
  const books = new Map(stored.map((invoice) => [invoice.id, invoice]))
  return answer.invoices.every((invoice) => {
    const known = books.get(invoice.id)
    return known?.status === invoice.status && known.amountRemaining === invoice.amountRemaining
  })
}

async function upsertInvoices(tx: Transaction, { id: purchaseId, userId }: Owner, answer: Subscription) {
  if (answer.invoices.length === 0) return
  await tx
    .insert(invoices)
    .values(
      answer.invoices.map(({ period, ...invoice }) => ({
        ...invoice,
        purchaseId,
        userId,
        subscriptionId: answer.id,
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
  if (answer.creditNotes.length > 0)
    await tx
      .insert(creditNotes)
      .values(answer.creditNotes)
      .onConflictDoUpdate({
        target: creditNotes.id,
        set: { status: sql`excluded.status`, refunded: sql`excluded.refunded` },
      })
}

async function upsertPayments(tx: Transaction, { id: purchaseId }: Owner, answer: Subscription) {
  const invoiceOf = new Map(answer.invoices.map((invoice) => [invoice.id, invoice]))
  const byCard = answer.payments.map(
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
  const outOfBand = answer.invoices.flatMap(({ id, paidAt, paidOutOfBand: amount, country }) =>
    paidAt && amount > 0
      ? { paymentIntentId: id, invoiceId: id, paidAt, amount, country, lostAt: null, lostAmount: 0 }
      : [],
  )
  const rows = [...byCard, ...outOfBand].map((payment) => {
    const invoice = invoiceOf.get(payment.invoiceId)
    return {
      ...payment,
      purchaseId,
      invoiceNumber: invoice?.number ?? null,
      tax: shareOf(invoice?.tax ?? 0, payment.amount, invoice?.total ?? 0),
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

async function upsertRefunds(tx: Transaction, answer: Subscription) {
  const taxOf = new Map(answer.invoices.map(({ id, tax, total }) => [id, { tax, total }]))
  const back = answer.payments.flatMap(({ paymentIntentId, invoiceId, refunds: all }) => {
    const { tax, total } = taxOf.get(invoiceId) ?? { tax: 0, total: 0 }
    return all.map(({ id, at, amount, status, keepsAccess }) => {
      return { id, at, amount, status, keepsAccess, paymentIntentId, tax: shareOf(tax, amount, total) }
    })
  })
  if (back.length === 0) return []
  const ids = back.map(({ id }) => id)
  const known = await tx.select().from(refunds).where(inArray(refunds.id, ids))
  await tx
    .insert(refunds)
    .values(back)
    .onConflictDoUpdate({
      target: refunds.id,
      set: { status: sql`excluded.status`, keepsAccess: sql`excluded.keeps_access` },
    })
  return back.filter(({ id, status }) => !known.some((row) => row.id === id && row.status === status))
}

/** The tax in a part of an invoice, in cents. */
const shareOf = (tax: number, amount: number, total: number) => (total > 0 ? Math.round((tax * amount) / total) : 0)

/** Deletes invoices of deleted purchases after the retention period, with their payments and refunds. */
export async function forgetOldInvoices(db: Database, now: Date) {
  const keptPurchases = db.select({ id: purchases.id }).from(purchases)
  const isOld = and(
    lt(invoices.createdAt, retentionStartOfYear(now, retention.books)),
    // Database time, which the protecting trigger uses as well.
    sql`${invoices.createdAt} < now() - interval '10 years'`,
    notInArray(sql`coalesce(${invoices.purchaseId}, ${invoices.userId})`, keptPurchases),
  )
  const old = db.select({ id: invoices.id }).from(invoices).where(isOld)
  const paid = db.select({ id: payments.paymentIntentId }).from(payments).where(inArray(payments.invoiceId, old))
  await db.transaction(async (tx) => {
    await tx.delete(refunds).where(inArray(refunds.paymentIntentId, paid))
    await tx.delete(payments).where(and(inArray(payments.invoiceId, old), isNull(payments.purchaseId)))
    await tx.delete(creditNotes).where(inArray(creditNotes.invoiceId, old))
    await tx.delete(invoices).where(isOld)
  })
}
