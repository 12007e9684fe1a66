import { and, asc, desc, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
import { invoices, payments, refunds } from '#server/database/schema.ts'
import type { PaidPeriod, Payment, Refund, Subscription } from '#server/gateways/stripe.ts'

type RefundRecord = Pick<Refund, 'at' | 'amount' | 'status' | 'keepsAccess'>
type PaymentRecord = Pick<
  Payment,
  'paymentIntentId' | 'invoiceId' | 'paidAt' | 'amount' | 'refunded' | 'isRefundBlocked'
> & { dispute: string; refunds: RefundRecord[] }
type PeriodRecord = Pick<PaidPeriod, 'invoiceId' | 'paidAt' | 'start' | 'end' | 'amount' | 'credit' | 'isProration'>

/** Read from Stripe or from the books. */
export type PaidHistory = Pick<Subscription, 'endedAt'> & {
  /** Oldest first. */
  periods: PeriodRecord[]
  /** Newest first. */
  payments: PaymentRecord[]
}

/** True if the refund has reached the buyer or is on its way. */
export const isArriving = ({ status }: { status: string }) => !failedRefundStatuses.includes(status)

type HistoryOwner = { id: string; endedAt: Date | null }

/** Leaves out out-of-band payments, which can't be refunded to a card. */
export async function readPaidHistory(db: Database, purchase: HistoryOwner): Promise<PaidHistory> {
  const historyOf = await readPaidHistories(db, [purchase.id])
  return historyOf(purchase)
}

/** Sends three statements for any number of purchases. The returned function gives the history of one. */
export async function readPaidHistories(db: Database, ids: string[]): Promise<(purchase: HistoryOwner) => PaidHistory> {
  const paidInvoices = await db
    .select()
    .from(invoices)
    .where(and(inArray(invoices.purchaseId, ids), eq(invoices.status, 'paid'), isNotNull(invoices.periodStart)))
    // Invoice numbers order two invoices of the same second.
    .orderBy(asc(invoices.createdAt), asc(invoices.number))
  const paymentRows = await db
    .select()
    .from(payments)
    .where(inArray(payments.purchaseId, ids))
    .orderBy(desc(payments.paidAt), desc(payments.invoiceNumber))
  const refundRows = await db
    .select({ refund: refunds })
    .from(refunds)
    .innerJoin(payments, eq(payments.paymentIntentId, refunds.paymentIntentId))
    .where(inArray(payments.purchaseId, ids))
    .orderBy(asc(refunds.at))

  function refundsOf(paymentIntentId: string) {
    const refundsOfPayment = refundRows
      .map(({ refund }) => refund)
      .filter((row) => row.paymentIntentId === paymentIntentId)
    let refunded = 0
    for (const refund of refundsOfPayment) if (isArriving(refund)) refunded += refund.amount
    return { refunds: refundsOfPayment, refunded }
  }

  return ({ id, endedAt }) => {
    const periods: PeriodRecord[] = []
    for (const { purchaseId, id: invoiceId, paidAt, periodStart, periodEnd, ...invoice } of paidInvoices) {
      if (purchaseId !== id || !paidAt || !periodStart || !periodEnd) continue
      const { amountPaid: amount, credit, isProration } = invoice
      periods.push({ invoiceId, paidAt, start: periodStart, end: periodEnd, amount, credit, isProration })
    }

    // The row of an out-of-band payment has the invoice's id in place of a payment intent's.
    const cardPayments = paymentRows.filter(
      ({ purchaseId, paymentIntentId, invoiceId }) => purchaseId === id && paymentIntentId !== invoiceId,
    )
    const paymentRecords = cardPayments.map(
      ({ paymentIntentId, invoiceId, paidAt, amount, lostAt, isRefundBlocked }) => ({
        paymentIntentId,
        invoiceId,
        paidAt,
        amount,
        ...refundsOf(paymentIntentId),
        isRefundBlocked,
        dispute: lostAt ? 'lost' : 'none',
      }),
    )
    return { endedAt, periods, payments: paymentRecords }
  }
}
