import type { Stripe } from 'stripe'
import { type Invoicing, taxCode } from './amounts.ts'
import { type Client, idOf, isRefused } from './client.ts'
import { everyOf } from './plan.ts'

export type WantedPrice = {
  lookupKey: string
  product: { id: string; name: string }
  amount: number
  interval: 'month' | 'year'
  intervalCount: number
}

/** Created concurrently by another process. */
const isThereAlready = (error: unknown) => isRefused(error, { code: 'resource_already_exists' })

export function priceCalls({ sdk, ask, orNothing, change }: Client, { automaticTax }: Invoicing) {
  const behavior = automaticTax ? 'inclusive' : undefined
  /** `tax_behavior` only matters when Stripe Tax is on. */
  const fits = (price: Stripe.Price, wanted: WantedPrice) =>
    isAsWanted(price, wanted) && (!behavior || price.tax_behavior === behavior)

  /** Includes archived prices, which keep their lookup key. */
  async function holderOf(lookupKey: string): Promise<Stripe.Price | undefined> {
    const { data } = await ask(sdk.prices.list({ lookup_keys: [lookupKey] }))
    return data[0]
  }

  async function ensureProduct({ id, name }: WantedPrice['product']) {
    const found = await orNothing(sdk.products.retrieve(id))
    if (found && !found.active) await ask(sdk.products.update(id, { active: true }))
    if (found && automaticTax && idOf(found.tax_code) !== taxCode)
      await ask(sdk.products.update(id, { tax_code: taxCode }))
    if (found) return
    await orNothing(sdk.products.create({ id, name, ...(automaticTax ? { tax_code: taxCode } : {}) }), isThereAlready)
  }

  return {
    async fault(wanted: WantedPrice): Promise<string | null> {
      const [holder, product] = [
        await holderOf(wanted.lookupKey),
        await orNothing(sdk.products.retrieve(wanted.product.id)),
      ]
      if (product && !product.active) return `its product ${wanted.product.id} is archived`
      if (!holder) return 'it is missing'
      if (!holder.active) return 'it is archived'
      return fits(holder, wanted) ? null : `it is ${inWords(holder)}`
    },

    /** A price at Stripe never changes: a new one takes over the lookup key, and running subscriptions keep theirs. */
    async ensure(wanted: WantedPrice): Promise<string> {
      const holder = await holderOf(wanted.lookupKey)
      await ensureProduct(wanted.product)
      if (holder && fits(holder, wanted)) return holder.id
      const created = await change(
        `price-${wanted.lookupKey}-${wanted.intervalCount}-${wanted.interval}-${wanted.amount}-after-${holder?.id ?? 'none'}${behavior ?? ''}`,
        (options) =>
          sdk.prices.create(
            {
              lookup_key: wanted.lookupKey,
              transfer_lookup_key: true,
              currency: 'usd',
              unit_amount: wanted.amount,
              recurring: { interval: wanted.interval, interval_count: wanted.intervalCount },
              product: wanted.product.id,
              ...(behavior ? { tax_behavior: behavior } : {}),
            },
            options,
          ),
        async () => (await holderOf(wanted.lookupKey))?.id !== holder?.id,
      )
      const price = created ?? (await holderOf(wanted.lookupKey))
      if (!price) throw new Error(`Stripe no longer has the price ${wanted.lookupKey}`)
      return price.id
    },
  }
}

const inWords = ({ unit_amount: amount, currency, recurring }: Stripe.Price) =>
  `${((amount ?? 0) / 100).toFixed(2)} ${currency.toUpperCase()} per ${recurring ? everyOf({ recurring }) : 'payment'}`

const isAsWanted = (price: Stripe.Price, { amount, interval, intervalCount, product }: WantedPrice) =>
  price.active &&
  price.unit_amount === amount &&
  price.currency === 'usd' &&
  price.recurring?.interval === interval &&
  price.recurring.interval_count === intervalCount &&
  idOf(price.product) === product.id

type WantedCoupon = {
  id: string
  code: string
  percentOff: number | null
  amountOff: number | null
  months: number | null
}

export const couponCalls = ({ sdk, orNothing }: Client) => ({
  /** Coupons are immutable, so the first use creates one. Invoices show its name. */
  async ensure({ id, code, percentOff, amountOff, months }: WantedCoupon) {
    const duration = months === null ? 'forever' : months === 0 ? 'once' : 'repeating'
    await orNothing(
      sdk.coupons.create({
        id,
        name: code,
        duration,
        ...(months ? { duration_in_months: months } : {}),
        ...(percentOff === null ? { amount_off: amountOff ?? 0, currency: 'usd' } : { percent_off: percentOff }),
      }),
      isThereAlready,
    )
  },
})
