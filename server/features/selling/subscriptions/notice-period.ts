import { addMonths, monthsBetween } from '#contract/plans.ts'
import { refundForUnusedDays } from '../invoices/invoices.ts'
import type { PurchaseRow } from '../purchases/purchases.ts'

const day = 86_400_000

/** A renewed term of more than a month can be ended with one month's notice; the rest is refunded to the day (§ 309 no. 9 BGB). */
export function previewNotice(
  purchase: PurchaseRow,
  amount: number,
  now: Date,
): { endsAt: Date; refund: number } | null {
  const { orderedAt, paidFrom: from, paidUntil: until, currentPeriodEnd } = purchase
  if (!orderedAt || !from || !until || !currentPeriodEnd || monthsBetween(from, until) === 1) return null
  const endsAt = endOfDay(addMonths(now, 1))
  if (from <= orderedAt || endsAt >= currentPeriodEnd) return null
  return { endsAt, refund: refundForUnusedDays({ from, until, amount }, endsAt) }
}

export const restToRefund = ({ restRefund, endedBecause }: PurchaseRow) =>
  endedBecause === 'cancelled' ? (restRefund ?? 0) : 0

/** True if it renewed after the declared end. A longer term that renewed before runs on for a month instead. */
export function wasRenewedSince(from: Date, purchase: PurchaseRow, consumerLaw: 'eu' | 'none') {
  const { orderedAt, paidFrom, paidUntil, lastPaidAt } = purchase
  if (!orderedAt || !paidFrom || !paidUntil || !lastPaidAt || lastPaidAt <= from) return false
  const months = monthsBetween(paidFrom, paidUntil)
  if (consumerLaw === 'eu' && months > 1 && addMonths(orderedAt, months) <= from) return false
  // Skips the first payment.
  return paidFrom > from && paidFrom > orderedAt
}

/** Counts in whole UTC days, so that a second request on the same day has the same result. */
const endOfDay = (date: Date) => new Date(Math.floor(date.getTime() / day) * day + day - 1000)
