import type { Stripe } from 'stripe'
import { ask, orMissing } from './answers.ts'

type WantedPrice = {
  lookupKey: string
  product: { id: string; name: string }
  amount: number
  interval: 'month' | 'year'
}

export function priceCalls(stripe: Stripe) {
  async function ensureProduct({ id, name }: WantedPrice['product']) {
    const found = await orMissing(ask(stripe.products.retrieve(id)))
    if (!found) await ask(stripe.products.create({ id, name }, { idempotencyKey: `product-${id}` }))
    return id
  }

  return {
    /** The price with this lookup key, made when it is missing. */
    async ensurePrice(wanted: WantedPrice): Promise<{ id: string; asWanted: boolean; found: string }> {
      const { data } = await ask(stripe.prices.list({ lookup_keys: [wanted.lookupKey], active: true }))
      const price =
        data[0] ??
        (await ask(
          stripe.prices.create(
            {
              lookup_key: wanted.lookupKey,
              currency: 'usd',
              unit_amount: wanted.amount,
              recurring: { interval: wanted.interval },
              product: await ensureProduct(wanted.product),
            },
            { idempotencyKey: `price-${wanted.lookupKey}-${wanted.amount}` },
          ),
        ))
      return {
        id: price.id,
        asWanted:
          price.unit_amount === wanted.amount &&
          price.currency === 'usd' &&
          price.recurring?.interval === wanted.interval &&
          price.recurring.interval_count === 1,
        found: `${((price.unit_amount ?? 0) / 100).toFixed(2)} ${price.currency.toUpperCase()} per ${price.recurring?.interval ?? 'payment'}`,
      }
    },
  }
}
