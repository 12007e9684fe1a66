import type { ListedProduct } from '#contract/selling/product.ts'
import type { BillingType } from '#contract/statuses.ts'

export const checkoutAddress = (billing: BillingType, slug: string) =>
  `/checkout?product=${slug}&billing=${billing}` as const

export type Order = { product: ListedProduct; billing: BillingType }

/** Anything other than yearly is monthly; a product that is not on sale means no order. */
export function readOrder(search: string, products: ListedProduct[]): Order | null {
  const query = new URLSearchParams(search)
  const product = products.find(({ slug, state }) => slug === query.get('product') && state === 'on sale')
  return product ? { product, billing: query.get('billing') === 'yearly' ? 'yearly' : 'monthly' } : null
}
