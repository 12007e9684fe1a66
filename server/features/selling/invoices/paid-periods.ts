import { monthsBetween } from '#contract/plans.ts'
import type { PaidPeriod, Payment, Subscription } from '#server/gateways/stripe.ts'
import { isArriving, type PaidHistory } from './paid-history.ts'

const day = 86_400_000
type Span = { start: Date; isProration: boolean }
const byTime = (a: Date, b: Date) => a.getTime() - b.getTime()

/** Whole periods, latest first. Of two that begin in the same second, the one that was billed later. */
const wholePeriods = <Period extends Span>({ periods }: { periods: Period[] }) =>
  periods
    .filter(({ isProration }) => !isProration)
    .toReversed()
    .toSorted((a, b) => byTime(b.start, a.start))

/** Latest paid billing period. Prorations belong to the period they fall in. */
export const paidPeriod = <Period extends Span>(history: { periods: Period[] }): Period | undefined =>
  wholePeriods(history)[0]

/** Latest paid invoice, prorations included. */
export const lastPaid = ({ periods }: Subscription): PaidPeriod | undefined =>
  periods.filter(({ amount }) => amount > 0).toSorted((a, b) => byTime(b.paidAt, a.paidAt))[0]

/** Reason why the present period is no longer paid, so that access ends. Refunds that keep access don't count. */
export function reversalOf(history: PaidHistory): 'refunded' | 'disputed' | undefined {
  const bought = paidPeriod(history)
  // Stripe shows a payment moments before its invoice is paid.
  const payments = bought
    ? history.payments.filter(({ invoiceId }) => invoiceId === bought.invoiceId)
    : history.payments.slice(0, 1)
  // A switch is also paid by the credit from the payment before it, even in the same second.
  const before = bought?.credit
    ? history.payments.find(({ paidAt, invoiceId }) => paidAt <= bought.paidAt && invoiceId !== bought.invoiceId)
    : undefined
  if ([...payments, before].some((payment) => payment?.dispute === 'lost')) return 'disputed'
  const isRefunded = payments.length > 0 && payments.every(({ refunded, amount }) => refunded >= amount)
  const [newest] = payments.flatMap(({ refunds }) => refunds.filter(isArriving)).toSorted((a, b) => byTime(b.at, a.at))
  if (newest?.keepsAccess) return undefined
  return isRefunded ? 'refunded' : undefined
}

/** Ordered period: the first of the latest run of periods with the same length. Later ones are renewals. */
export function orderedPeriod(subscription: Subscription, last: PaidPeriod): PaidPeriod {
  const before = wholePeriods(subscription).filter((each) => each.start <= last.start)
  const months = monthsBetween(last.start, last.end)
  const other = before.findIndex(({ start, end }) => monthsBetween(start, end) !== months)
  return (other < 0 ? before : before.slice(0, other)).at(-1) ?? last
}

/** Payments for the period that was paid for last, and for changes within it, newest first. */
export function paymentsOfPeriod(subscription: Subscription): Payment[] {
  const from = paidPeriod(subscription)?.start
  const { periods, payments } = subscription
  const invoices = new Set(periods.flatMap(({ start, invoiceId }) => (from && start >= from ? [invoiceId] : [])))
  return payments.filter(({ invoiceId }) => invoices.has(invoiceId))
}

/** Refunds of a payment that a cancellation promised. */
export const refundedAsRest = ({ refunds }: Payment) =>
  refunds.reduce((sum, refund) => sum + (refund.isRest && isArriving(refund) ? refund.amount : 0), 0)

/** The period that was paid for last; `amount` is what came in for it and can be refunded. */
type PaidTerm = { from: Date; until: Date; amount: number }

/** Refund for the days after `endsAt`, in cents. A partly used day is refunded in full. */
export function refundForUnusedDays({ from, until, amount }: PaidTerm, endsAt: Date): number {
  const days = Math.round((until.getTime() - from.getTime()) / day)
  const unusedDays = Math.ceil((until.getTime() - endsAt.getTime()) / day)
  return Math.round((amount * Math.min(Math.max(unusedDays, 0), days)) / days)
}
