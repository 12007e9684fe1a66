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

const alreadyExists = (error: unknown) => isRefused(error, { code: 'resource_already_exists' })

export function priceCalls({ sdk, ask, orNothing, change }: Client, { automaticTax }: Invoicing) {
  /** Only matters when Stripe Tax is on. */
  const taxBehavior = automaticTax ? 'inclusive' : undefined
  function matches(price: Stripe.Price, wanted: WantedPrice) {
    const hasTaxBehavior = !taxBehavior || price.tax_behavior === taxBehavior
    return hasTaxBehavior && hasSameTerms(price, wanted)
  }

  /** The price may be archived: archived prices keep their lookup key. */
  async function findByLookupKey(lookupKey: string): Promise<Stripe.Price | undefined> {
    const { data } = await ask(sdk.prices.list({ lookup_keys: [lookupKey] }))
    return data[0]
  }

  async function ensureProduct({ id, name }: WantedPrice['product']) {
    const product = await orNothing(sdk.products.retrieve(id))
    if (!product) {
      await orNothing(sdk.products.create({ id, name, ...(automaticTax ? { tax_code: taxCode } : {}) }), alreadyExists)
      return
    }
    if (!product.active) await ask(sdk.products.update(id, { active: true }))
    if (automaticTax && idOf(product.tax_code) !== taxCode) await ask(sdk.products.update(id, { tax_code: taxCode }))
  }

  return {
    /** Difference between the price at Stripe and the wanted one, in words. */
    async fault(wanted: WantedPrice): Promise<string | null> {
      const current = await findByLookupKey(wanted.lookupKey)
      const product = await orNothing(sdk.products.retrieve(wanted.product.id))
      if (product && !product.active) return `its product ${wanted.product.id} is archived`
      if (!current) return 'it is missing'
      if (!current.active) return 'it is archived'
      return matches(current, wanted) ? null : `it is ${inWords(current)}`
    },

    /** Prices are immutable, so a new one may take over the lookup key. */
    async ensure(wanted: WantedPrice): Promise<string> {
      const current = await findByLookupKey(wanted.lookupKey)
      await ensureProduct(wanted.product)
      if (current && matches(current, wanted)) return current.id
      const interval = `${wanted.intervalCount}-${wanted.interval}`
      const replacedId = current?.id ?? 'none'
      const created = await change(
        `price-${wanted.lookupKey}-${interval}-${wanted.amount}-after-${replacedId}${taxBehavior ?? ''}`,
        (options) =>
          sdk.prices.create(
            {
              lookup_key: wanted.lookupKey,
              transfer_lookup_key: true,
              currency: 'usd',
              unit_amount: wanted.amount,
              recurring: { interval: wanted.interval, interval_count: wanted.intervalCount },
              product: wanted.product.id,
              ...(taxBehavior ? { tax_behavior: taxBehavior } : {}),
            },
            options,
          ),
        async () => (await findByLookupKey(wanted.lookupKey))?.id !== current?.id,
      )
      const price = created ?? (await findByLookupKey(wanted.lookupKey))
      if (!price) throw new Error(`Stripe no longer has the price ${wanted.lookupKey}`)
      return price.id
    },
  }
}

const inWords = ({ unit_amount: amount, currency, recurring }: Stripe.Price) =>
  `${((amount ?? 0) / 100).toFixed(2)} ${currency.toUpperCase()} per ${recurring ? everyOf({ recurring }) : 'payment'}`

const hasSameTerms = (price: Stripe.Price, { amount, interval, intervalCount, product }: WantedPrice) =>
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
  /** Null: forever. 0: for one invoice. */
  months: number | null
}

function couponDuration(months: number | null) {
  if (months === null) return 'forever'
  return months === 0 ? 'once' : 'repeating'
}

export const couponCalls = ({ sdk, orNothing }: Client) => ({
  /** Coupons are immutable. Invoices show their name. */
  async ensure({ id, code, percentOff, amountOff, months }: WantedCoupon) {
    const worth = percentOff === null ? { amount_off: amountOff ?? 0, currency: 'usd' } : { percent_off: percentOff }
    const params: Stripe.CouponCreateParams = { id, name: code, duration: couponDuration(months), ...worth }
    if (months) params.duration_in_months = months
    await orNothing(sdk.coupons.create(params), alreadyExists)
  },
})
