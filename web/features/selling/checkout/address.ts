import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import type { BillingType } from '#contract/statuses.ts'

export const checkoutAddress = (billing: BillingType) =>
  `/checkout?product=${reboundSigmaPro.slug}&billing=${billing}` as const

/** Anything other than yearly is monthly; any other product means no order. */
export function readOrder(search: string): { billing: BillingType } | null {
  const query = new URLSearchParams(search)
  if (query.get('product') !== reboundSigmaPro.slug) return null
  return { billing: query.get('billing') === 'yearly' ? 'yearly' : 'monthly' }
}
