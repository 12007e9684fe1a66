import type { Payment } from '#server/gateways/stripe.ts'
import { isArriving, type PaidHistory } from '../invoices/invoices.ts'
import { restOf } from './notice.ts'
import { paidPeriod } from './state.ts'

type PaymentRecord = PaidHistory['payments'][number]

/** What can go back of the payment for the period that runs, if it ends now: the share of the days that are left. */
export function unusedShare(history: PaidHistory, now: Date) {
  const period = history.endedAt ? undefined : paidPeriod(history)
  const payment = history.payments.find(({ invoiceId }) => invoiceId === period?.invoiceId)
  if (!period || !payment || !canGoBack(payment)) return null
  // What a switch credited was paid, too: by the payment before it.
  const rest = restOf({ from: period.start, until: period.end, amount: payment.amount + period.credit }, now)
  const amount = Math.min(rest, payment.amount - payment.refunded)
  return amount > 0 ? { paymentIntentId: payment.paymentIntentId, amount } : null
}

/** Of a disputed payment, the bank decides; what a bank has sent back needs another way, which is the seller's to find. */
export const canGoBack = ({ isRefundBlocked, refunds }: Pick<PaymentRecord, 'isRefundBlocked' | 'refunds'>) =>
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

/** What the seller can refund of a payment by hand. */
export const refundableAmount = (history: PaidHistory, payment: PaymentRecord) =>
  Math.max(0, payment.amount - payment.refunded - creditedOf(history, payment))

/** What banks sent back of our refunds, unless it was refunded again since: never more than is left of a payment. */
export const sentBack = (payments: Payment[]) =>
  payments.reduce((sum, { amount, refunded, refunds }) => {
    const first = refunds.findIndex(({ status }) => status === 'failed')
    const later = first < 0 ? [] : refunds.slice(first)
    const open = later.reduce((left, refund) => left + (isArriving(refund) ? -refund.amount : refund.amount), 0)
    return sum + Math.min(Math.max(open, 0), amount - refunded)
  }, 0)
