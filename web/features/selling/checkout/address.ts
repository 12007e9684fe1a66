import { type BillingType, plansWithPrice } from '#contract/plans.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'

export const checkoutAddress = (billing: BillingType, slug: string, step: 'details' | 'payment' = 'details') =>
  `/checkout?product=${slug}&billing=${billing}${step === 'payment' ? '&step=payment' : ''}` as const

export const isAtPayment = (search: string) => new URLSearchParams(search).get('step') === 'payment'

export type Order = { product: ListedProduct; billing: BillingType }

/** An unknown plan becomes the shortest; a product not on sale returns null. */
export function readOrder(
  search: string,
  { products, prices }: Pick<SiteSettings, 'products' | 'prices'>,
): Order | null {
  const query = new URLSearchParams(search)
  const product = products.find(({ slug, state }) => slug === query.get('product') && state === 'on sale')
  if (!product) return null
  const productPlans = plansWithPrice(prices[product.slug] ?? {})
  const plan = productPlans.find(({ key }) => key === query.get('billing')) ?? productPlans[0]
  return plan ? { product, billing: plan.key } : null
}
