import { type WithdrawalCoverage, withdrawalDay, withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import type { PurchaseRow } from './rows.ts'

type OrderTimes = Pick<PurchaseRow, 'firstPaidAt' | 'orderedAt' | 'createdAt'>

/** A plan switch is an order, too. */
export const latestOrderAt = ({ orderedAt, createdAt }: OrderTimes) => orderedAt ?? createdAt

/** True if a withdrawal at this time refunds only what was paid for the time since a plan switch. */
export const coversOnlySwitch = ({ firstPaidAt, orderedAt }: Pick<OrderTimes, 'firstPaidAt' | 'orderedAt'>, at: Date) =>
  firstPaidAt !== null && orderedAt !== null && firstPaidAt < orderedAt && at >= withdrawalEnds(firstPaidAt)

/** Null once the 14 days are over, and for a purchase booked by hand. */
export function withdrawalOf(
  purchase: OrderTimes & Pick<PurchaseRow, 'paidThrough'>,
  now: Date,
): { by: Date; covers: WithdrawalCoverage } | null {
  if (purchase.paidThrough !== 'stripe') return null
  const isOnlySwitch = coversOnlySwitch(purchase, now)
  const orderedAt = latestOrderAt(purchase)
  const since = isOnlySwitch ? orderedAt : (purchase.firstPaidAt ?? orderedAt)
  if (now >= withdrawalEnds(since)) return null
  return { by: withdrawalDay(since), covers: isOnlySwitch ? 'since_switch' : 'all' }
}
