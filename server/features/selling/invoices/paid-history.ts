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
    const refunded = refundsOfPayment.filter(isArriving).reduce((sum, refund) => sum + refund.amount, 0)
    return { refunds: refundsOfPayment, refunded }
  }

  return {
    endedAt,
    periods: paidInvoices.flatMap(
      ({ id: invoiceId, paidAt, periodStart, periodEnd, amountPaid, credit, isProration }) =>
        paidAt && periodStart && periodEnd
          ? { invoiceId, paidAt, start: periodStart, end: periodEnd, amount: amountPaid, credit, isProration }
          : [],
    ),
    payments: paymentRows
      // The row of an out-of-band payment has the invoice's id in place of a payment intent's.
      .filter(({ paymentIntentId, invoiceId }) => paymentIntentId !== invoiceId)
      .map(({ paymentIntentId, invoiceId, paidAt, amount, lostAt, isRefundBlocked }) => ({
        paymentIntentId,
        invoiceId,
        paidAt,
        amount,
        ...refundsOf(paymentIntentId),
        isRefundBlocked,
        dispute: lostAt ? 'lost' : 'none',
      })),
  }
}
