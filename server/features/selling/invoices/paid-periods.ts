import { monthsBetween } from '#contract/plans.ts'
import type { PaidPeriod, Payment, Subscription } from '#server/gateways/stripe.ts'
import { isArriving, type PaidHistory } from './paid-history.ts'

const dayMs = 86_400_000
type PeriodStart = { start: Date; isProration: boolean }
const compareTimes = (a: Date, b: Date) => a.getTime() - b.getTime()

/** Latest first. Of two that begin in the same second, the one billed later comes first. */
const fullPeriods = <Period extends PeriodStart>({ periods }: { periods: Period[] }) =>
  periods
    .filter(({ isProration }) => !isProration)
    .toReversed()
    .toSorted((a, b) => compareTimes(b.start, a.start))

/** Latest paid billing period. Prorations belong to the period they fall in. */
export const latestPaidPeriod = <Period extends PeriodStart>(history: { periods: Period[] }): Period | undefined =>
  fullPeriods(history)[0]

export const latestPaidInvoice = ({ periods }: Subscription): PaidPeriod | undefined =>
  periods.filter(({ amount }) => amount > 0).toSorted((a, b) => compareTimes(b.paidAt, a.paidAt))[0]

/** Undefined if no payment was reversed. A full refund counts unless the newest refund keeps access. */
export function reversalOf(history: PaidHistory): 'refunded' | 'disputed' | undefined {
  const latest = latestPaidPeriod(history)
  // Stripe shows a payment moments before its invoice is paid, so there may be no paid period yet.
  const payments = latest
    ? history.payments.filter(({ invoiceId }) => invoiceId === latest.invoiceId)
    : history.payments.slice(0, 1)
  // A plan switch is partly paid by credit from the previous payment, which may be of the same second.
  const creditedPayment = latest?.credit
    ? history.payments.find(({ paidAt, invoiceId }) => paidAt <= latest.paidAt && invoiceId !== latest.invoiceId)
    : undefined
  if ([...payments, creditedPayment].some((payment) => payment?.dispute === 'lost')) return 'disputed'

  const [newestRefund] = payments
    .flatMap(({ refunds }) => refunds.filter(isArriving))
    .toSorted((a, b) => compareTimes(b.at, a.at))
  if (newestRefund?.keepsAccess) return undefined
  const isFullyRefunded = payments.length > 0 && payments.every(({ refunded, amount }) => refunded >= amount)
  return isFullyRefunded ? 'refunded' : undefined
}

/** First period on the plan of `latest`, which the buyer ordered; later periods of the same length are renewals. */
export function orderedPeriod(subscription: Subscription, latest: PaidPeriod): PaidPeriod {
  const untilLatest = fullPeriods(subscription).filter(({ start }) => start <= latest.start)
  const months = monthsBetween(latest.start, latest.end)
  const otherPlanIndex = untilLatest.findIndex(({ start, end }) => monthsBetween(start, end) !== months)
  const onSamePlan = otherPlanIndex < 0 ? untilLatest : untilLatest.slice(0, otherPlanIndex)
  return onSamePlan.at(-1) ?? latest
}

/** Payments for the latest paid period and for prorations within it, newest first. */
export function paymentsOfLatestPeriod(subscription: Subscription): Payment[] {
  const { periods, payments } = subscription
  const latest = latestPaidPeriod(subscription)
  if (!latest) return []
  const invoiceIds = new Set(periods.filter(({ start }) => start >= latest.start).map(({ invoiceId }) => invoiceId))
  return payments.filter(({ invoiceId }) => invoiceIds.has(invoiceId))
}

/** Refunded so far for the unused part of a term that was cancelled with a month's notice. */
export const refundedForUnusedTerm = ({ refunds }: Payment) =>
  refunds.filter((refund) => refund.isRest && isArriving(refund)).reduce((sum, { amount }) => sum + amount, 0)

/** `amount` was paid for the term and can be refunded. */
type PaidTerm = { from: Date; until: Date; amount: number }

/** A partly used day is refunded in full. */
export function refundForUnusedDays({ from, until, amount }: PaidTerm, endsAt: Date): number {
  const days = Math.round((until.getTime() - from.getTime()) / dayMs)
  const daysAfterEnd = Math.ceil((until.getTime() - endsAt.getTime()) / dayMs)
  const unusedDays = Math.min(Math.max(daysAfterEnd, 0), days)
  return Math.round((amount * unusedDays) / days)
}
