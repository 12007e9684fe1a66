import type { PurchaseRow } from './list.ts'

const day = 86_400_000

/**
 * A year that renewed by itself can be ended with one month's notice, and the rest is paid back to the day (§ 309 no. 9
 * BGB). Nothing when the paid period ends sooner anyway, or in the first year, which the buyer chose.
 */
export function noticeFor(purchase: PurchaseRow, now: Date): { endsAt: Date; refund: number } | null {
  const { billingType, createdAt, currentPeriodEnd, stripeSubscriptionId } = purchase
  if (billingType !== 'yearly' || !currentPeriodEnd || !stripeSubscriptionId) return null
  // Booked moments after its first period began.
  const isFirstYear = yearBefore(currentPeriodEnd).getTime() < createdAt.getTime() + 7 * day
  const endsAt = addMonths(now, 1)
  if (isFirstYear || endsAt >= currentPeriodEnd) return null
  return { endsAt, refund: restOf(purchase.amount, currentPeriodEnd, endsAt) }
}

/** What is due when it ends: never more than was promised, and nothing if it ran to the end of its period after all. */
export function restToPayBack({ restRefund, endedAt, endedBecause, currentPeriodEnd, amount }: PurchaseRow) {
  if (!restRefund || !endedAt || !currentPeriodEnd || endedBecause !== 'cancelled') return 0
  return Math.min(restRefund, restOf(amount, currentPeriodEnd, endedAt))
}

/** Whether it was renewed after its buyer had declared its end. A year that had renewed before runs on for a month instead. */
export function wasRenewedSince(from: Date, purchase: PurchaseRow, consumerLaw: 'eu' | 'none') {
  const { billingType, createdAt, currentPeriodEnd, lastPaidAt, stripeSubscriptionId } = purchase
  if (!stripeSubscriptionId || !currentPeriodEnd || !lastPaidAt || lastPaidAt <= from) return false
  const isYearly = billingType === 'yearly'
  if (consumerLaw === 'eu' && isYearly && addMonths(createdAt, 12) <= from) return false
  const periodBegan = addMonths(currentPeriodEnd, isYearly ? -12 : -1)
  // Stripe's clock may be ahead of ours, and the first payment is no renewal.
  return periodBegan > from && periodBegan.getTime() > createdAt.getTime() + 7 * day
}

/** The share of a year's price for the days after `endsAt`; a day that has begun counts for the buyer. */
export function restOf(amount: number, periodEnd: Date, endsAt: Date): number {
  const days = Math.round((periodEnd.getTime() - yearBefore(periodEnd).getTime()) / day)
  const left = Math.ceil((periodEnd.getTime() - endsAt.getTime()) / day)
  return Math.round((amount * Math.min(Math.max(left, 0), days)) / days)
}

const yearBefore = (date: Date) => addMonths(date, -12)

/** Moves a date by months as Stripe does: the 31st becomes the 30th in a shorter month. */
export function addMonths(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCMonth(date.getUTCMonth() + months)
  // Too long for its month, the day has run over into the next one.
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0)
  return moved
}
