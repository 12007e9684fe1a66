import type { Stripe } from 'stripe'
import { type BillingType, planByInterval } from '#contract/plans.ts'

/** May differ from the prices on sale. */
export type PlanAtStripe = {
  itemId: string
  priceId: string
  /** Null if the interval matches no plan. */
  billing: BillingType | null
  /** Interval in words, such as `6 months`. */
  every: string
  /** Length of the interval; 0 for days and weeks. */
  months: number
  price: number
  quantity: number
}

type Recurring = Pick<Stripe.Price, 'recurring'>

export const billingOf = ({ recurring }: Recurring): BillingType | null =>
  planByInterval(recurring?.interval ?? '', recurring?.interval_count ?? 1)?.key ?? null

export function everyOf({ recurring }: Recurring) {
  const { interval = '', interval_count: count = 1 } = recurring ?? {}
  return count === 1 ? interval : `${count} ${interval}s`
}

const monthsIn: Record<string, number> = { month: 1, year: 12 }

/** Of a period, before discounts. */
export function listPriceOf(items: Stripe.SubscriptionItem[]) {
  let total = 0
  for (const { price, quantity } of items) total += (price.unit_amount ?? 0) * (quantity ?? 1)
  return total
}

export function readPlan(item: Stripe.SubscriptionItem, items: Stripe.SubscriptionItem[]): PlanAtStripe {
  const { interval = '', interval_count: count = 1 } = item.price.recurring ?? {}
  return {
    itemId: item.id,
    priceId: item.price.id,
    billing: billingOf(item.price),
    every: everyOf(item.price),
    months: (monthsIn[interval] ?? 0) * count,
    price: listPriceOf(items),
    quantity: items.reduce((sum, { quantity }) => sum + (quantity ?? 1), 0),
  }
}
