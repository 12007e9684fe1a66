import { catalogue, priceOf } from '#contract/price-list.ts'
import { type BillingType, billingPeriods, billingTypes } from '#contract/statuses.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'

type Product = (typeof catalogue)[number]

/** A product's price as it should be at Stripe. */
const wanted = (product: Product, billing: BillingType) => ({
  lookupKey: `${product.slug}-${billing}`,
  product: { id: product.slug, name: product.name },
  amount: priceOf(product, billing),
  interval: billingPeriods[billing],
})

export const wantedPrices = () =>
  catalogue.flatMap((product) => billingTypes.map((billing) => wanted(product, billing)))

/** The catalogue's prices at Stripe, found by their lookup keys, made when they are missing or differ. */
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

    /** Somebody has archived it at Stripe: the next one is looked for anew. */
    forget: (product: Product, billing: BillingType) => ids.delete(wanted(product, billing).lookupKey),

    /** At start, so that the first buyer need not wait. Without Stripe the shop starts nevertheless. */
    async ensureAll(onError: (error: unknown) => void) {
      for (const price of wantedPrices()) await ensure(price).catch(onError)
    },
  }
}
