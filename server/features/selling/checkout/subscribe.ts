import type { products } from '#contract/selling/price-list.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { User } from '#server/actor.ts'
import type { Place, StripeGateway } from '#server/gateways/stripe.ts'
import type { Prices } from './prices.ts'
import type { Customers } from './stripe-customers.ts'

type Dependencies = { stripe: StripeGateway; customers: Customers; prices: Prices }

export type Product = (typeof products)[number]

type Order = {
  user: User | null
  email: string
  product: Product
  billingType: BillingType
  place: Place | undefined
}

/** An unpaid subscription at Stripe, with everything it needs there. */
export function createSubscribe({ stripe, customers, prices }: Dependencies) {
  /** Recreates, once, whatever was archived or deleted at Stripe. */
  return async function subscribe(attempt: string, order: Order) {
    const { user, email, product, billingType, place } = order
    const own = user && (await customers.ownOf(user.id))
    let customerId = own ?? (await createCustomer())
    for (let left = 2; left >= 0; left--) {
      if (place) await stripe.placeCustomer(customerId, place)
      const priceId = await prices.idOf(product, billingType)
      const begun = await stripe.createSubscription({ attempt, customerId, priceId })
      if ('clientSecret' in begun) return begun
      if (begun.missing === 'price') prices.forget(product, billingType)
      else customerId = await createCustomer()
    }
    throw new Error(`Stripe does not sell ${product.name} ${billingType}`)

    async function createCustomer() {
      const id = await stripe.createCustomer({ attempt, email, ...(user ? { name: user.name } : {}) })
      if (user) await customers.bill(id, user.id)
      return id
    }
  }
}
