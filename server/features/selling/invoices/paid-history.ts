import { and, asc, desc, eq, isNotNull } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
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
export const isArriving = ({ status }: { status: string }) => status !== 'failed' && status !== 'canceled'

/** Leaves out out-of-band payments, which can't be refunded to a card. */
export async function readPaidHistory(
  db: Database,
  { id, endedAt }: { id: string; endedAt: Date | null },
): Promise<PaidHistory> {
  const paidInvoices = await db
    .select()
    .from(invoices)
    .where(and(eq(invoices.purchaseId, id), eq(invoices.status, 'paid'), isNotNull(invoices.periodStart)))
    // Invoice numbers order two invoices of the same second.
    .orderBy(asc(invoices.createdAt), asc(invoices.number))
  const paymentRows = await db
    .select()
    .from(payments)
    .where(eq(payments.purchaseId, id))
    .orderBy(desc(payments.paidAt), desc(payments.invoiceNumber))
  const refundRows = await db
    .select({ refund: refunds })
    .from(refunds)
    .innerJoin(payments, eq(payments.paymentIntentId, refunds.paymentIntentId))
    .where(eq(payments.purchaseId, id))
    .orderBy(asc(refunds.at))

  function refundsOf(paymentIntentId: string) {
    const refundsOfPayment = refundRows
      .map(({ refund }) => refund)
      .filter((row) => row.paymentIntentId === paymentIntentId)
    let refunded = 0
    for (const refund of refundsOfPayment) if (isArriving(refund)) refunded += refund.amount
    return { refunds: refundsOfPayment, refunded }
  }

  const periods: PeriodRecord[] = []
  for (const { id: invoiceId, paidAt, periodStart, periodEnd, amountPaid, credit, isProration } of paidInvoices) {
    if (!paidAt || !periodStart || !periodEnd) continue
    periods.push({ invoiceId, paidAt, start: periodStart, end: periodEnd, amount: amountPaid, credit, isProration })
  }

  // The row of an out-of-band payment has the invoice's id in place of a payment intent's.
  const cardPayments = paymentRows.filter(({ paymentIntentId, invoiceId }) => paymentIntentId !== invoiceId)
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
