import { dayMs } from '#contract/dates.ts'
import { addMonths, monthsBetween } from '#contract/plans.ts'
import { type PaidHistory, refundForUnusedDays } from '../invoices/invoices.ts'
import type { PurchaseRow } from '../purchases/purchases.ts'

/** A declaration takes effect `from`, the requested day; payments after `until` are not refunded automatically. */
export type DeclaredTimes = { declaredAt: Date; from: Date; until: Date }

/**
 * German law grants a month's notice in a renewed term of more than a month (§ 309 no. 9 BGB).
 * Null in any other term, if the term ends sooner than the notice, and if nothing would be refunded.
 */
export function previewNotice(
  purchase: PurchaseRow,
  paidForTerm: number,
  { declaredAt, from: requestedEnd }: Pick<DeclaredTimes, 'declaredAt' | 'from'>,
): { endsAt: Date; refund: number } | null {
  const { orderedAt, paidFrom: from, paidUntil: until, currentPeriodEnd } = purchase
  if (!orderedAt || !from || !until || !currentPeriodEnd) return null
  const isMonthlyTerm = monthsBetween(from, until) === 1
  const isFirstTerm = from <= orderedAt
  if (isMonthlyTerm || isFirstTerm) return null
  const noticeEnd = addMonths(declaredAt, 1)
  const endsAt = endOfDay(requestedEnd > noticeEnd ? requestedEnd : noticeEnd)
  if (endsAt >= currentPeriodEnd) return null
  const refund = refundForUnusedDays({ from, until, amount: paidForTerm }, endsAt)
  return refund > 0 ? { endsAt, refund } : null
}

/** Refund due once a subscription that was cancelled with a month's notice has ended. */
export const unusedTermRefundDue = ({
  unusedTermRefund,
  endedBecause,
}: Pick<PurchaseRow, 'unusedTermRefund' | 'endedBecause'>) =>
  endedBecause === 'cancelled' ? (unusedTermRefund ?? 0) : 0

/** Start of the requested day, or the declaration if that is later. A renewal on that day is one too many. */
export const lastDayOf = ({ declaredAt, from }: DeclaredTimes) =>
  new Date(Math.max(declaredAt.getTime(), startOfDay(from)))

/** True if the declaration should have prevented the payment of the latest renewal, which must be refunded. */
export function wasRenewedSince(
  lastDay: Date,
  { orderedAt }: PurchaseRow,
  paidPeriod: PaidHistory['periods'][number] | undefined,
  consumerLaw: 'eu' | 'none',
) {
  if (!orderedAt || !paidPeriod || paidPeriod.amount === 0) return false
  const { start: paidFrom, end: paidUntil, paidAt } = paidPeriod
  const isRenewal = paidFrom > orderedAt
  if (!isRenewal || paidAt <= lastDay) return false
  // A cancellation of an unpaid renewal ends it at once.
  const wasUnpaidThen = paidFrom <= lastDay
  if (wasUnpaidThen) return true
  // A declaration in an earlier renewed term is carried out with a month's notice instead.
  const months = monthsBetween(paidFrom, paidUntil)
  const hadRenewedBefore = addMonths(orderedAt, months) <= lastDay
  const hasMonthsNotice = consumerLaw === 'eu' && months > 1 && hadRenewedBefore
  return !hasMonthsNotice
}

/** Last second of the UTC day, so that a second request on the same day has the same result. */
const endOfDay = (date: Date) => new Date(startOfDay(date) + dayMs - 1000)
const startOfDay = (date: Date) => Math.floor(date.getTime() / dayMs) * dayMs
