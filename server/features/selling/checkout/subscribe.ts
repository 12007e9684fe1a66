import { priceOf, products } from '#contract/selling/price-list.ts'
import { type BillingType, billingPeriods, billingTypes } from '#contract/statuses.ts'
import type { User } from '#server/actor.ts'
import type { Place, StripeGateway } from '#server/gateways/stripe.ts'
import type { Customers } from './stripe-customers.ts'

export type Product = (typeof products)[number]

type Order = {
  user: User | null
  email: string
  product: Product
  billingType: BillingType
  place: Place | undefined
}

/** What a product's price at Stripe should be. */
const wanted = (product: Product, billing: BillingType) => ({
  lookupKey: `${product.slug}-${billing}`,
  product: { id: product.slug, name: product.name },
  amount: priceOf(product, billing),
  interval: billingPeriods[billing],
})

export const wantedPrices = () =>
  products.flatMap((product) => billingTypes.map((billing) => wanted(product, billing)))

type Prices = ReturnType<typeof createPrices>

/** The catalog's prices at Stripe, found by lookup key and created if missing or different. */
export function createPrices(stripe: StripeGateway) {
  const ids = new Map<string, Promise<string>>()

  function ensure(price: ReturnType<typeof wanted>): Promise<string> {
    const known = ids.get(price.lookupKey)
    if (known) return known
    const found = stripe.prices.ensure(price)
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

/** An unpaid subscription at Stripe, with everything it needs there. */
export function createSubscribe(stripe: StripeGateway, customers: Customers, prices: Prices) {
  /** Recreates, once, whatever was archived or deleted at Stripe. */
  return async function subscribe(attempt: string, order: Order) {
    const { user, email, product, billingType, place } = order
    const own = user && (await customers.ownOf(user.id))
    let customerId = own ?? (await createCustomer())
    const at = place && (await customers.addressAt(place, user?.id))
    for (let left = 2; left >= 0; left--) {
      if (at) await stripe.customers.place(customerId, at)
      const priceId = await prices.idOf(product, billingType)
      const begun = await stripe.newSubscriptions.create({ attempt, customerId, priceId })
      if ('clientSecret' in begun) return begun
      if (begun.missing === 'price') prices.forget(product, billingType)
      else customerId = await createCustomer()
    }
    throw new Error(`Stripe does not sell ${product.name} ${billingType}`)

    async function createCustomer() {
      const id = await stripe.customers.create({ attempt, email, ...(user ? { name: user.name } : {}) })
      if (user) await customers.copyBillingDetails(id, user.id)
      return id
    }
  }
}
