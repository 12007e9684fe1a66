import type { Stripe } from 'stripe'
import { timesAYear } from './amounts.ts'
import { type Client, date, idOf } from './client.ts'
import { billingOf, everyOf } from './plan.ts'

export type ExistingSubscription = ReturnType<typeof existingOf>

const attempts = new Set<Stripe.Subscription.Status>(['incomplete', 'incomplete_expired', 'canceled'])

/** Subscriptions created outside the shop, with everything needed to take one over. */
export function existingSubscriptionCalls({ sdk, ask, all, orNothing }: Client) {
  const coupons = new Map<string, Promise<Stripe.Coupon | undefined>>()

  /** Stripe expands four levels, which doesn't reach a customer's coupon. A coupon's discount never changes. */
  async function couponOf(discount: string | Stripe.Discount): Promise<Stripe.Coupon | undefined> {
    const coupon = typeof discount === 'object' ? discount.source.coupon : null
    if (!coupon) return undefined
    if (typeof coupon === 'object') return coupon
    const asked = coupons.get(coupon) ?? orNothing(sdk.coupons.retrieve(coupon))
    coupons.set(coupon, asked)
    asked.catch(() => coupons.delete(coupon))
    return asked
  }

  return {
    /** Annual cost of each live subscription, page by page. */
    async *listPrices(): AsyncGenerator<ListedPrice[]> {
      for (let after: string | undefined; ; ) {
        const page = { limit: 100, ...(after && { starting_after: after }) }
        const { data, has_more: hasMore } = await ask(
          sdk.subscriptions.list({
            ...page,
            expand: ['data.latest_invoice', 'data.discounts.source.coupon', 'data.customer.discount'],
          }),
        )
        const live = data.filter(({ status }) => !attempts.has(status))
        yield await Promise.all(live.map((found) => listedPriceOf(found, couponOf)))
        if (!hasMore) return
        after = data.at(-1)?.id
      }
    },

    /** Every live subscription, created here or elsewhere. */
    async list() {
      const found = await all(sdk.subscriptions.list({ limit: 100, expand: ['data.customer'] }))
      return found.filter(({ status, items }) => !attempts.has(status) && items.data.length > 0).map(existingOf)
    },

    async find(id: string) {
      const found = await orNothing(sdk.subscriptions.retrieve(id, { expand: ['customer'] }))
      return found && existingOf(found)
    },

    async price(id: string) {
      const found = await ask(sdk.prices.retrieve(id, { expand: ['product'] }))
      const { product, nickname, unit_amount, currency, metadata } = found
      return {
        id,
        name: [typeof product === 'object' && 'name' in product ? product.name : '', nickname]
          .filter(Boolean)
          .join(', '),
        amount: unit_amount ?? 0,
        currency,
        every: everyOf(found),
        billing: billingOf(found),
        /** Plan assigned by the seller, in metadata. */
        plan: metadata.shop_plan || null,
      }
    },

    /** Stored in the price's metadata, for every shop of the account. False if the price is missing. */
    async setPlan(id: string, plan: string) {
      return Boolean(await orNothing(sdk.prices.update(id, { metadata: { shop_plan: plan } })))
    },
  }
}

export type ListedPrice = { id: string; arr: number; stripeProductId: string; orderId: string | null }

/** Price x quantity x interval, less running discounts and without the tax inside it, in whole cents a year. */
async function listedPriceOf(
  found: Stripe.Subscription,
  couponOf: (discount: string | Stripe.Discount) => Promise<Stripe.Coupon | undefined>,
): Promise<ListedPrice> {
  const { id, items, customer, latest_invoice: invoice, metadata } = found
  const own = typeof customer === 'object' && !customer.deleted ? customer.discount : null
  const discounts = found.discounts.length === 0 && own ? [own] : found.discounts
  const coupons = await Promise.all(discounts.map(couponOf))
  let arr = 0
  for (const { price, quantity } of items.data) {
    const full = (price.unit_amount ?? 0) * (quantity ?? 1)
    const net = coupons.reduce((left, coupon) => afterCoupon(left, coupon), full)
    arr += net * timesAYear(price)
  }
  const untaxed = typeof invoice === 'object' && invoice ? untaxedShare(invoice) : 1
  const [item] = items.data
  return {
    id,
    arr: Math.round(arr * untaxed),
    stripeProductId: idOf(item?.price.product) ?? '',
    orderId: metadata.checkout ?? null,
  }
}

/** A coupon for a single invoice takes nothing off the price. */
function afterCoupon(amount: number, coupon: Stripe.Coupon | undefined) {
  if (!coupon || coupon.duration === 'once') return amount
  return Math.max(0, amount - (coupon.amount_off ?? Math.round((amount * (coupon.percent_off ?? 0)) / 100)))
}

const untaxedShare = ({ lines }: Stripe.Invoice) => {
  const inside = lines.data.flatMap(({ taxes }) => taxes ?? []).filter((tax) => tax.tax_behavior === 'inclusive')
  const tax = inside.reduce((sum, { amount }) => sum + amount, 0)
  const gross = lines.data.reduce(
    (sum, { amount, discount_amounts: off }) => sum + amount - (off ?? []).reduce((all, each) => all + each.amount, 0),
    0,
  )
  return gross > 0 ? 1 - tax / gross : 1
}

function existingOf(found: Stripe.Subscription) {
  const { customer, items } = found
  const [item] = items.data
  if (!item) throw new Error(`Subscription ${found.id} has no item`)
  const isKnown = typeof customer === 'object' && !customer.deleted
  return {
    id: found.id,
    customerId: idOf(customer) ?? '',
    email: (isKnown && customer.email) || '',
    name: (isKnown && customer.name) || '',
    priceId: item.price.id,
    stripeProductId: idOf(item.price.product) ?? '',
    billing: billingOf(item.price),
    /** Order id of this shop, or of another shop with this software. */
    orderId: found.metadata.checkout ?? null,
    hasOnePrice: items.data.length === 1,
    /** A fixed amount per period: neither tiers nor usage. */
    hasFixedPrice: items.data.every(
      ({ price }) => price.unit_amount !== null && price.recurring?.usage_type !== 'metered',
    ),
    isPaidByInvoice: found.collection_method === 'send_invoice',
    isScheduled: found.schedule !== null,
    isCollectionPaused: found.pause_collection !== null,
    status: found.status,
    amount: items.data.reduce((sum, { price, quantity }) => sum + (price.unit_amount ?? 0) * (quantity ?? 1), 0),
    currency: found.currency,
    startedAt: date(found.start_date),
    periodEnd: date(found.cancel_at ?? item.current_period_end),
    isEnding: found.cancel_at_period_end || found.cancel_at !== null,
  }
}
