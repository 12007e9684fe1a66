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

/** Payments and refunds of a subscription, from Stripe's answer or from the books. */
export type PaidHistory = Pick<Subscription, 'endedAt'> & {
  /** Oldest first. */
  periods: PeriodRecord[]
  /** Newest first. */
  payments: PaymentRecord[]
}

export const isArriving = ({ status }: { status: string }) => status !== 'failed' && status !== 'canceled'

/** History of a purchase by the books, without out-of-band payments, which can't be refunded to a card. */
export async function readPaidHistory(
  db: Database,
  { id, endedAt }: { id: string; endedAt: Date | null },
): Promise<PaidHistory> {
  const billed = await db
    .select()
    .from(invoices)
    .where(and(eq(invoices.purchaseId, id), eq(invoices.status, 'paid'), isNotNull(invoices.periodStart)))
    // Invoice numbers order two invoices of the same second.
    .orderBy(asc(invoices.createdAt), asc(invoices.number))
  const received = await db
    .select()
    .from(payments)
    .where(eq(payments.purchaseId, id))
    .orderBy(desc(payments.paidAt), desc(payments.invoiceNumber))
  const returned = await db
    .select({ refund: refunds })
    .from(refunds)
    .innerJoin(payments, eq(payments.paymentIntentId, refunds.paymentIntentId))
    .where(eq(payments.purchaseId, id))
    .orderBy(asc(refunds.at))
  return {
    endedAt,
    periods: billed.flatMap(({ id: invoiceId, paidAt, periodStart, periodEnd, amountPaid, credit, isProration }) =>
      paidAt && periodStart && periodEnd
        ? { invoiceId, paidAt, start: periodStart, end: periodEnd, amount: amountPaid, credit, isProration }
        : [],
    ),
    payments: received
      .filter(({ paymentIntentId, invoiceId }) => paymentIntentId !== invoiceId)
      .map(({ paymentIntentId, invoiceId, paidAt, amount, lostAt, isRefundBlocked }) => {
        const own = returned.flatMap(({ refund }) => (refund.paymentIntentId === paymentIntentId ? refund : []))
        const refunded = own.filter(isArriving).reduce((sum, refund) => sum + refund.amount, 0)
        const dispute = lostAt ? 'lost' : 'none'
        return { paymentIntentId, invoiceId, paidAt, amount, refunded, isRefundBlocked, dispute, refunds: own }
      }),
  }
}
