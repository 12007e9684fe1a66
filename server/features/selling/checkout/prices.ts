import { priceOf, products } from '#contract/selling/price-list.ts'
import { type BillingType, billingPeriods, billingTypes } from '#contract/statuses.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'

type Product = (typeof products)[number]

/** What a product's price at Stripe should be. */
const wanted = (product: Product, billing: BillingType) => ({
  lookupKey: `${product.slug}-${billing}`,
  product: { id: product.slug, name: product.name },
  amount: priceOf(product, billing),
  interval: billingPeriods[billing],
})

export const wantedPrices = () =>
  products.flatMap((product) => billingTypes.map((billing) => wanted(product, billing)))

export type Prices = ReturnType<typeof createPrices>

/** The catalog's prices at Stripe, found by lookup key and created if missing or different. */
export function createPrices(stripe: StripeGateway) {
  const ids = new Map<string, Promise<string>>()

  function ensure(price: ReturnType<typeof wanted>): Promise<string> {
    const known = ids.get(price.lookupKey)
    if (known) return known
    const found = stripe.ensurePrice(price)
    ids.set(price.lookupKey, found)
    found.catch(() => ids.delete(price.lookupKey))
    return found
  }

  return {
    idOf: (product: Product, billing: BillingType) => ensure(wanted(product, billing)),

    /** Someone archived it at Stripe, so look it up again next time. */
    forget: (product: Product, billing: BillingType) => ids.delete(wanted(product, billing).lookupKey),

    /** At startup, so the first buyer doesn't have to wait. The shop starts even if Stripe is down. */
    async ensureAll(onError: (error: unknown) => void) {
      for (const price of wantedPrices()) await ensure(price).catch(onError)
    },
  }
}
