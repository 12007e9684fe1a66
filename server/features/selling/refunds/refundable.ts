import type { Payment, Subscription } from '#server/gateways/stripe.ts'
import {
  areFullyRefunded,
  creditedPaymentOf,
  isArriving,
  latestPaidInvoice,
  latestPaidPeriod,
  orderedPeriod,
  type PaidHistory,
  paymentsFor,
  paymentsOfLatestPeriod,
  refundForUnusedDays,
} from '../invoices/invoices.ts'
import { coversOnlySwitch } from '../purchases/purchases.ts'

type PaymentRecord = PaidHistory['payments'][number]

/** A payment outside Stripe has its invoice's id in place of a payment intent's. */
export type PaidAmount = Pick<PaymentRecord, 'paymentIntentId' | 'invoiceId' | 'paidAt' | 'amount'>

/** Total that must be refunded of a payment, in cents, including what already was. */
export type AmountDue = (paid: PaidAmount, history: PaidHistory) => number

/** Lists the refunds that are still due, newest payment first. */
export function remainingRefunds(history: PaidHistory, amountDue: AmountDue) {
  return history.payments.flatMap((payment) => {
    const { paymentIntentId, refunded } = payment
    const amount = isRefundable(payment) ? amountDue(payment, history) - refunded : 0
    return amount > 0 ? { paymentIntentId, amount } : []
  })
}

/** Later payments are not refunded automatically. */
export const duePaidUntil =
  (until: Date, amountDue: AmountDue): AmountDue =>
  (payment, history) =>
    payment.paidAt <= until ? amountDue(payment, history) : 0

/** For the latest payment, also if it was made outside Stripe. */
export function fullLatestPayment({ invoiceId, amount }: PaidAmount, history: PaidHistory): number {
  const [cardPayment] = history.payments
  const paidPeriod = latestPaidInvoice(history)
  // Stripe shows a payment moments before its invoice is paid.
  const isInvoiceBehind = cardPayment && paidPeriod && cardPayment.paidAt > paidPeriod.paidAt
  const latest = isInvoiceBehind ? cardPayment : (paidPeriod ?? cardPayment)
  return invoiceId === latest?.invoiceId ? amount : 0
}

/** Refundable amount for the remaining days of the present period; null if there is none. */
export function unusedShare(history: PaidHistory, now: Date) {
  const period = history.endedAt ? undefined : latestPaidPeriod(history)
  const payment = history.payments.find(({ invoiceId }) => invoiceId === period?.invoiceId)
  if (!period || !payment || !isRefundable(payment)) return null
  // After a plan switch, credit from the previous payment has paid for a part of the period.
  const unused = refundForUnusedDays(
    { from: period.start, until: period.end, amount: payment.amount + period.credit },
    now,
  )
  const amount = Math.min(unused, payment.amount - payment.refunded)
  return amount > 0 ? { paymentIntentId: payment.paymentIntentId, amount } : null
}

/** A bank decides about a disputed payment, and the seller must settle a failed refund. */
export const isRefundable = ({ isRefundBlocked, refunds }: Pick<PaymentRecord, 'isRefundBlocked' | 'refunds'>) =>
  !isRefundBlocked && refunds.every(({ status }) => status !== 'failed')

/** Part of a payment that a later plan switch used as credit; 0 once the switch itself is refunded. */
export function creditedOf(history: PaidHistory, { paymentIntentId }: PaymentRecord): number {
  let credited = 0
  for (const period of history.periods) {
    const isSwitchRefunded = areFullyRefunded(paymentsFor(period, history))
    const isCreditOfPayment = creditedPaymentOf(period, history)?.paymentIntentId === paymentIntentId
    if (isCreditOfPayment && !isSwitchRefunded) credited += period.credit
  }
  return credited
}

export const refundableAmount = (history: PaidHistory, payment: PaymentRecord) =>
  Math.max(0, payment.amount - payment.refunded - creditedOf(history, payment))

/** Amount of failed refunds that no later refund has replaced. */
export const failedRefundsOf = (payments: Payment[]) =>
  payments.reduce((sum, payment) => sum + failedRefundOf(payment), 0)

function failedRefundOf({ amount, refunded, refunds }: Payment) {
  const firstFailed = refunds.findIndex(({ status }) => status === 'failed')
  if (firstFailed < 0) return 0
  // Refunds after the first failed one replace it.
  let unreplaced = 0
  for (const refund of refunds.slice(firstFailed)) unreplaced += isArriving(refund) ? -refund.amount : refund.amount
  return Math.min(Math.max(unreplaced, 0), amount - refunded)
}

/** Part of the promised refund that no card payment can take. Failed refunds count separately. */
export function unrefundablePart(unusedTermRefund: number, subscription: Subscription) {
  let unrefundable = unusedTermRefund
  for (const payment of paymentsOfLatestPeriod(subscription)) {
    for (const { amount, isForUnusedTerm } of payment.refunds) if (isForUnusedTerm) unrefundable -= amount
    // A bank that decides about a payment may still allow its refund.
    if (isRefundable(payment) || payment.isRefundBlocked) unrefundable -= payment.amount - payment.refunded
  }
  return Math.max(0, unrefundable)
}

/** The days after `endsAt` are refunded. */
export function unusedSince(endsAt: Date): AmountDue {
  return ({ invoiceId, amount }, { periods }) => {
    const period = periods.find((each) => each.invoiceId === invoiceId)
    if (!period) return 0
    const term = { from: period.start, until: period.end, amount: amount + period.credit }
    return Math.min(refundForUnusedDays(term, endsAt), amount)
  }
}

/** A withdrawal within 14 days of the first order covers every payment; a later one, only the latest plan switch. */
export function withdrawableSince(declaredAt: Date): AmountDue {
  return ({ paymentIntentId, invoiceId, amount }, history) => {
    const { periods, payments } = history
    const [firstPeriod] = periods
    const latestPeriod = latestPaidPeriod(history)
    const ordered = latestPeriod && orderedPeriod(history, latestPeriod)
    if (!firstPeriod || !ordered) return amount
    const orderTimes = { firstPaidAt: firstPeriod.paidAt, orderedAt: ordered.paidAt }
    if (!coversOnlySwitch(orderTimes, declaredAt)) return amount

    const periodsBefore = periods.filter(({ paidAt }) => paidAt < ordered.paidAt)
    const invoicesBefore = new Set(periodsBefore.map((period) => period.invoiceId))
    if (!invoicesBefore.has(invoiceId)) return amount
    // The switch was partly paid by credit from the payment before it, which is refunded up to that credit.
    const creditedPayment = payments.find((payment) => invoicesBefore.has(payment.invoiceId))
    const isCredited = paymentIntentId === creditedPayment?.paymentIntentId
    return isCredited ? Math.min(amount, ordered.credit) : 0
  }
}
