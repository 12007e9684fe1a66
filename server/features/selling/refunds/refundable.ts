import { withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import type { Payment, Subscription } from '#server/gateways/stripe.ts'
import { isArriving, orderedPeriod, type PaidHistory, paidPeriod, refundForUnusedDays } from '../invoices/invoices.ts'

type PaymentRecord = PaidHistory['payments'][number]

/** Refundable share of the present period's payment for the remaining days. */
export function unusedShare(history: PaidHistory, now: Date) {
  const period = history.endedAt ? undefined : paidPeriod(history)
  const payment = history.payments.find(({ invoiceId }) => invoiceId === period?.invoiceId)
  if (!period || !payment || !isRefundable(payment)) return null
  // A switch's credit was paid by the payment before it.
  const rest = refundForUnusedDays(
    { from: period.start, until: period.end, amount: payment.amount + period.credit },
    now,
  )
  const amount = Math.min(rest, payment.amount - payment.refunded)
  return amount > 0 ? { paymentIntentId: payment.paymentIntentId, amount } : null
}

/** A bank decides about a disputed payment. A refund that a bank returned needs another way, which the seller must find. */
export const isRefundable = ({ isRefundBlocked, refunds }: Pick<PaymentRecord, 'isRefundBlocked' | 'refunds'>) =>
  !isRefundBlocked && refunds.every(({ status }) => status !== 'failed')

/** Part of a payment that a later plan switch took as credit, as long as the switch itself is not refunded. */
export function creditedOf({ periods, payments }: PaidHistory, { paymentIntentId }: PaymentRecord): number {
  let credited = 0
  for (const { credit, invoiceId, paidAt } of periods.filter((period) => period.credit > 0)) {
    const own = payments.filter((payment) => payment.invoiceId === invoiceId)
    const isRefunded = own.length > 0 && own.every(({ refunded, amount }) => refunded >= amount)
    const before = payments.find((payment) => payment.paidAt <= paidAt && payment.invoiceId !== invoiceId)
    if (!isRefunded && before?.paymentIntentId === paymentIntentId) credited += credit
  }
  return credited
}

/** Amount of a payment that the seller can refund. */
export const refundableAmount = (history: PaidHistory, payment: PaymentRecord) =>
  Math.max(0, payment.amount - payment.refunded - creditedOf(history, payment))

/** Refunds that banks returned, unless refunded again since: never more than is left of a payment. */
export const returnedRefunds = (payments: Payment[]) =>
  payments.reduce((sum, { amount, refunded, refunds }) => {
    const first = refunds.findIndex(({ status }) => status === 'failed')
    const later = first < 0 ? [] : refunds.slice(first)
    const open = later.reduce((left, refund) => left + (isArriving(refund) ? -refund.amount : refund.amount), 0)
    return sum + Math.min(Math.max(open, 0), amount - refunded)
  }, 0)

/** Share of a payment for the days after `from`, within the period that the payment is for. */
export const unusedSince =
  (from: Date) =>
  ({ invoiceId, amount }: Payment, { periods }: Subscription) => {
    const period = periods.find((each) => each.invoiceId === invoiceId)
    return period
      ? Math.min(
          refundForUnusedDays({ from: period.start, until: period.end, amount: amount + period.credit }, from),
          amount,
        )
      : 0
  }

/** Refund of each payment for a withdrawal. After a later switch, earlier payments count up to its credit. */
export function withdrawable(subscription: Subscription, declaredAt: Date): (payment: Payment) => number {
  const { periods, payments } = subscription
  const [first, last] = [periods[0], paidPeriod(subscription)]
  const order = last && orderedPeriod(subscription, last)
  if (!first || !order || declaredAt < withdrawalEnds(first.paidAt)) return ({ amount }) => amount
  const invoices = new Set(periods.flatMap(({ paidAt, invoiceId: id }) => (paidAt < order.paidAt ? id : [])))
  const before = payments.find(({ invoiceId }) => invoices.has(invoiceId))?.paymentIntentId
  return ({ paymentIntentId, invoiceId, amount }) => {
    if (!invoices.has(invoiceId)) return amount
    return paymentIntentId === before ? Math.min(amount, order.credit) : 0
  }
}
