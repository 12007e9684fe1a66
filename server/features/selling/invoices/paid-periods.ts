import { dayMs } from '#contract/dates.ts'
import { monthsBetween } from '#contract/plans.ts'
import type { PaidPeriod, Payment, Subscription } from '#server/gateways/stripe.ts'
import { isArriving, type PaidHistory } from './paid-history.ts'

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

export const latestPaidInvoice = <Period extends Pick<PaidPeriod, 'amount' | 'paidAt'>>({
  periods,
}: {
  periods: Period[]
}): Period | undefined =>
  periods.filter(({ amount }) => amount > 0).toSorted((a, b) => compareTimes(b.paidAt, a.paidAt))[0]

type PaymentRecord = PaidHistory['payments'][number]

export const paymentsFor = ({ invoiceId }: { invoiceId: string }, { payments }: PaidHistory) =>
  payments.filter((payment) => payment.invoiceId === invoiceId)

export const areFullyRefunded = (payments: PaymentRecord[]) =>
  payments.length > 0 && payments.every(({ refunded, amount }) => refunded >= amount)

/** Previous payment, whose credit paid for a part of the period after a plan switch. It may be of the same second. */
export function creditedPaymentOf(
  { credit, invoiceId, paidAt }: PaidHistory['periods'][number],
  { payments }: PaidHistory,
): PaymentRecord | undefined {
  if (credit === 0) return undefined
  return payments.find((payment) => payment.paidAt <= paidAt && payment.invoiceId !== invoiceId)
}

/** Undefined if no payment was reversed. A full refund counts unless the newest refund keeps access. */
export function reversalOf(history: PaidHistory): 'refunded' | 'disputed' | undefined {
  const latestPeriod = latestPaidPeriod(history)
  // Stripe shows a payment moments before its invoice is paid, so there may be no paid period yet.
  const payments = latestPeriod ? paymentsFor(latestPeriod, history) : history.payments.slice(0, 1)
  const creditedPayment = latestPeriod && creditedPaymentOf(latestPeriod, history)
  if ([...payments, creditedPayment].some((payment) => payment?.dispute === 'lost')) return 'disputed'

  const arrivingRefunds = payments.flatMap(({ refunds }) => refunds.filter(isArriving))
  const [newestRefund] = arrivingRefunds.toSorted((a, b) => compareTimes(b.at, a.at))
  if (newestRefund?.keepsAccess) return undefined
  return areFullyRefunded(payments) ? 'refunded' : undefined
}

/** First period since the buyer chose the plan of `latest`. The periods after it are renewals. */
export function orderedPeriod<Period extends PeriodStart & { end: Date }>(
  history: { periods: Period[] },
  latest: Period,
): Period {
  const months = monthsBetween(latest.start, latest.end)
  let ordered = latest
  for (const period of fullPeriods(history)) {
    if (period.start > latest.start) continue
    const isSamePlan = monthsBetween(period.start, period.end) === months
    if (!isSamePlan) break
    ordered = period
  }
  return ordered
}

/** Ids of the invoices of the latest paid period and of prorations within it. */
function invoicesOfLatestPeriod({ periods }: Subscription) {
  const latest = latestPaidPeriod({ periods })
  const within = latest ? periods.filter(({ start }) => start >= latest.start) : []
  return new Set(within.map(({ invoiceId }) => invoiceId))
}

/** Payments for the latest paid period and for prorations within it, newest first. */
export function paymentsOfLatestPeriod(subscription: Subscription): Payment[] {
  const invoiceIds = invoicesOfLatestPeriod(subscription)
  return subscription.payments.filter(({ invoiceId }) => invoiceIds.has(invoiceId))
}

/** Paid outside Stripe for the latest paid period. */
export function outOfBandForLatestPeriod(subscription: Subscription): number {
  const invoiceIds = invoicesOfLatestPeriod(subscription)
  let amount = 0
  for (const { id, paidOutOfBand } of subscription.invoices) if (invoiceIds.has(id)) amount += paidOutOfBand
  return amount
}

/** Refunded so far for the unused part of a term that was cancelled with a month's notice. */
export const refundedForUnusedTerm = ({ refunds }: Payment) =>
  refunds.filter((refund) => refund.isForUnusedTerm && isArriving(refund)).reduce((sum, { amount }) => sum + amount, 0)

/** `amount` was paid for the term and can be refunded. */
type PaidTerm = { from: Date; until: Date; amount: number }

/** A partly used day is refunded in full. */
export function refundForUnusedDays({ from, until, amount }: PaidTerm, endsAt: Date): number {
  const days = Math.round((until.getTime() - from.getTime()) / dayMs)
  const daysAfterEnd = Math.ceil((until.getTime() - endsAt.getTime()) / dayMs)
  const unusedDays = Math.min(Math.max(daysAfterEnd, 0), days)
  return Math.round((amount * unusedDays) / days)
}
