import type { User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Place } from '#server/gateways/stripe.ts'
import type { Code, Codes } from '../codes/codes.ts'
import type { Price, Prices } from '../prices/prices.ts'
import type { Customers } from './stripe-customers.ts'

type Order = {
  user: User | null
  email: string
  price: Price
  place: Place | undefined
  code: Code | undefined
}

/** An unpaid subscription at Stripe, with everything it needs there. */
export function createSubscribe({ stripe }: Context, customers: Customers, prices: Prices, codes: Codes) {
  /** Recreates, once, whatever was archived or deleted at Stripe. */
  return async function subscribe(attempt: string, order: Order) {
    const { user, email, price, place, code } = order
    const own = user && (await customers.ownOf(user.id))
    let priceId = await prices.stripeIdOf(price)
    let customerId = own ?? (await createCustomer())
    const at = place && (await customers.addressAt(place, user?.id))
    for (let renewals = 0; renewals <= 3; renewals++) {
      if (at) await stripe.customers.place(customerId, at)
      const wanted = { attempt, customerId, priceId, couponId: code?.id, renewals }
      const begun = await stripe.newSubscriptions.create(wanted)
      if ('clientSecret' in begun) return begun
      if (begun.missing === 'price') priceId = await prices.renew(price)
      else if (begun.missing === 'coupon' && code) await codes.renew(code)
      else customerId = await createCustomer()
    }
    throw new Error(`Stripe does not sell the price ${priceId}`)

    async function createCustomer() {
      const id = await stripe.customers.create({ attempt, email, ...(user ? { name: user.name } : {}) })
      if (user) await customers.copyBillingDetails(id, user.id)
      return id
    }
  }
}
