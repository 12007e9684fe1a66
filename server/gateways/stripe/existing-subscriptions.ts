import type { Stripe } from 'stripe'
import { timesAYear } from './amounts.ts'
import { type Client, date, idOf } from './client.ts'
import { billingOf, everyOf, listPriceOf } from './plan.ts'

export type ExistingSubscription = ReturnType<typeof existingOf>

const notLiveStatuses = new Set<Stripe.Subscription.Status>(['incomplete', 'incomplete_expired', 'canceled'])

export function existingSubscriptionCalls({ sdk, ask, all, orNothing }: Client) {
  const coupons = new Map<string, Promise<Stripe.Coupon | undefined>>()

  /** Stripe expands only four levels, so a customer's coupon is fetched. Coupons never change, so each is fetched once. */
  async function couponOf(discount: string | Stripe.Discount): Promise<Stripe.Coupon | undefined> {
    const coupon = typeof discount === 'object' ? discount.source.coupon : null
    if (!coupon) return undefined
    if (typeof coupon === 'object') return coupon
    const fetched = coupons.get(coupon) ?? orNothing(sdk.coupons.retrieve(coupon))
    coupons.set(coupon, fetched)
    fetched.catch(() => coupons.delete(coupon))
    return fetched
  }

  return {
    async *listPrices(): AsyncGenerator<ListedPrice[]> {
      const params: Stripe.SubscriptionListParams = {
        limit: 100,
        expand: ['data.latest_invoice', 'data.discounts.source.coupon', 'data.customer.discount'],
      }
      for (;;) {
        const { data, has_more: hasMore } = await ask(sdk.subscriptions.list(params))
        const live = data.filter(({ status }) => !notLiveStatuses.has(status))
        yield await Promise.all(live.map((subscription) => listedPriceOf(subscription, couponOf)))
        const lastId = data.at(-1)?.id
        if (!hasMore || !lastId) return
        params.starting_after = lastId
      }
    },

    async list() {
      const subscriptions = await all(sdk.subscriptions.list({ limit: 100, expand: ['data.customer'] }))
      return subscriptions
        .filter(({ status, items }) => !notLiveStatuses.has(status) && items.data.length > 0)
        .map(existingOf)
    },

    async find(id: string) {
      const subscription = await orNothing(sdk.subscriptions.retrieve(id, { expand: ['customer'] }))
      return subscription && existingOf(subscription)
    },

    async price(id: string) {
      const price = await ask(sdk.prices.retrieve(id, { expand: ['product'] }))
      const { product, nickname, unit_amount, currency, metadata } = price
      const productName = typeof product === 'object' && 'name' in product ? product.name : ''
      return {
        id,
        name: [productName, nickname].filter(Boolean).join(', '),
        amount: unit_amount ?? 0,
        currency,
        every: everyOf(price),
        billing: billingOf(price),
        /** Plan that the seller has assigned to the price, stored in its metadata. */
        plan: metadata.shop_plan || null,
      }
    },

    /** Stores the plan in the price's metadata, for every shop of the account. */
    async setPlan(id: string, plan: string) {
      return Boolean(await orNothing(sdk.prices.update(id, { metadata: { shop_plan: plan } })))
    },
  }
}

export type ListedPrice = { id: string; arr: number; stripeProductId: string; orderId: string | null }

/** Annual cost of a subscription in whole cents, after running discounts and without included tax. */
async function listedPriceOf(
  subscription: Stripe.Subscription,
  couponOf: (discount: string | Stripe.Discount) => Promise<Stripe.Coupon | undefined>,
): Promise<ListedPrice> {
  const { id, items, customer, discounts, latest_invoice: invoice, metadata } = subscription
  const customerDiscount = typeof customer === 'object' && !customer.deleted ? customer.discount : null
  // Stripe applies the customer's discount only to subscriptions without one of their own.
  const appliedDiscounts = discounts.length === 0 && customerDiscount ? [customerDiscount] : discounts
  const coupons = await Promise.all(appliedDiscounts.map(couponOf))
  let arr = 0
  for (const { price, quantity } of items.data) {
    let amount = (price.unit_amount ?? 0) * (quantity ?? 1)
    for (const coupon of coupons) amount = afterCoupon(amount, coupon)
    arr += amount * timesAYear(price)
  }
  const netShare = typeof invoice === 'object' && invoice ? untaxedShare(invoice) : 1
  const [item] = items.data
  return {
    id,
    arr: Math.round(arr * netShare),
    stripeProductId: idOf(item?.price.product) ?? '',
    orderId: metadata.checkout ?? null,
  }
}

/** A coupon for a single invoice does not lower the recurring amount. */
function afterCoupon(amount: number, coupon: Stripe.Coupon | undefined) {
  if (!coupon || coupon.duration === 'once') return amount
  const percentOff = coupon.percent_off ?? 0
  const discount = coupon.amount_off ?? Math.round((amount * percentOff) / 100)
  return Math.max(0, amount - discount)
}

/** Share of an invoice's amount that is not included tax, from 0 to 1. */
function untaxedShare({ lines }: Stripe.Invoice) {
  let gross = 0
  let includedTax = 0
  for (const { amount, discount_amounts: discounts, taxes } of lines.data) {
    gross += amount
    for (const discount of discounts ?? []) gross -= discount.amount
    for (const tax of taxes ?? []) if (tax.tax_behavior === 'inclusive') includedTax += tax.amount
  }
  return gross > 0 ? 1 - includedTax / gross : 1
}

function existingOf(subscription: Stripe.Subscription) {
  const { customer, items } = subscription
  const [item] = items.data
  if (!item) throw new Error(`Subscription ${subscription.id} has no item`)
  const presentCustomer = typeof customer === 'object' && !customer.deleted ? customer : null
  return {
    id: subscription.id,
    customerId: idOf(customer) ?? '',
    email: presentCustomer?.email ?? '',
    name: presentCustomer?.name ?? '',
    priceId: item.price.id,
    stripeProductId: idOf(item.price.product) ?? '',
    billing: billingOf(item.price),
    /** Order id of this shop, or of another shop with this software. */
    orderId: subscription.metadata.checkout ?? null,
    hasOnePrice: items.data.length === 1,
    hasFixedPrice: items.data.every(
      ({ price }) => price.unit_amount !== null && price.recurring?.usage_type !== 'metered',
    ),
    isPaidByInvoice: subscription.collection_method === 'send_invoice',
    isScheduled: subscription.schedule !== null,
    isCollectionPaused: subscription.pause_collection !== null,
    status: subscription.status,
    amount: listPriceOf(items.data),
    currency: subscription.currency,
    startedAt: date(subscription.start_date),
    periodEnd: date(subscription.cancel_at ?? item.current_period_end),
    isEnding: subscription.cancel_at_period_end || subscription.cancel_at !== null,
  }
}
