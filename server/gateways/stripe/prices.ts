import type { Stripe } from 'stripe'
import { type Client, isRefused } from './answers.ts'
import { idOf } from './values.ts'

export type WantedPrice = {
  lookupKey: string
  product: { id: string; name: string }
  amount: number
  interval: 'month' | 'year'
}

export function priceCalls({ sdk, ask, orMissing, change }: Client) {
  /** Archived ones, too: they keep their lookup key. */
  async function holderOf(lookupKey: string): Promise<Stripe.Price | undefined> {
    const { data } = await ask(sdk.prices.list({ lookup_keys: [lookupKey] }))
    return data[0]
  }

  async function ensureProduct({ id, name }: WantedPrice['product']) {
    if (await orMissing(sdk.products.retrieve(id))) return
    const exists = (error: unknown) => isRefused(error, { code: 'resource_already_exists' })
    await ask(sdk.products.create({ id, name }), exists).catch((error: unknown) => {
      // Another process was faster.
      if (!exists(error)) throw error
    })
  }

  return {
    /**
     * The price that new subscriptions pay. A price at Stripe never changes: when the catalogue does, or when the old
     * one was archived, a new one takes over the lookup key, and running subscriptions keep theirs.
     */
    async ensurePrice(wanted: WantedPrice): Promise<string> {
      const holder = await holderOf(wanted.lookupKey)
      if (holder && isAsWanted(holder, wanted)) return holder.id
      await ensureProduct(wanted.product)
      const made = await change(
        `price-${wanted.lookupKey}-${wanted.interval}-${wanted.amount}-after-${holder?.id ?? 'none'}`,
        (options) =>
          sdk.prices.create(
            {
              lookup_key: wanted.lookupKey,
              transfer_lookup_key: true,
              currency: 'usd',
              unit_amount: wanted.amount,
              recurring: { interval: wanted.interval },
              product: wanted.product.id,
            },
            options,
          ),
        async () => (await holderOf(wanted.lookupKey))?.id !== holder?.id,
      )
      const price = made ?? (await holderOf(wanted.lookupKey))
      if (!price) throw new Error(`Stripe has lost the price ${wanted.lookupKey}`)
      return price.id
    },
  }
}

const isAsWanted = (price: Stripe.Price, { amount, interval, product }: WantedPrice) =>
  price.active &&
  price.unit_amount === amount &&
  price.currency === 'usd' &&
  price.recurring?.interval === interval &&
  price.recurring.interval_count === 1 &&
  idOf(price.product) === product.id
