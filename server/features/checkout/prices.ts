import { type BillingType, billingTypes } from '#contract/fields.ts'
import { catalogue, priceOf } from '#contract/price-list.ts'
import { Refusal, StartError } from '../../errors.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'

type Product = (typeof catalogue)[number]

const nameOf = ({ slug }: Product, billing: BillingType) => `${slug}-${billing}`
const dollars = (cents: number) => (cents / 100).toFixed(2)

/** The catalogue's prices at Stripe, found by their lookup keys and made when they are missing. */
export function createPrices(stripe: StripeGateway) {
  const ids = new Map<string, string>()

  async function ensure(product: Product, billing: BillingType): Promise<string> {
    const name = nameOf(product, billing)
    const known = ids.get(name)
    if (known) return known
    const amount = priceOf(product, billing)
    const interval = billing === 'yearly' ? 'year' : 'month'
    const price = await stripe.ensurePrice({
      lookupKey: name,
      product: { id: product.slug, name: product.name },
      amount,
      interval,
    })
    if (!price.asWanted)
      throw new StartError(
        `At Stripe the price "${name}" is ${price.found}, but the catalogue says ${dollars(amount)} USD per ${interval}. Change one of them: a Stripe price is replaced by a new one that takes over its lookup key.`,
      )
    ids.set(name, price.id)
    return price.id
  }

  return {
    idOf: ensure,

    /** At start, so that a wrong price is seen before anybody pays it. Answers false while Stripe is away. */
    async ensureAll(): Promise<boolean> {
      try {
        for (const product of catalogue) for (const billing of billingTypes) await ensure(product, billing)
        return true
      } catch (error) {
        if (error instanceof Refusal) return false
        throw error
      }
    },
  }
}
