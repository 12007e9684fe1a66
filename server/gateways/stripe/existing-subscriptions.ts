import type { Stripe } from 'stripe'
import { rateReader } from './amounts.ts'
import { billingOf, type Client, date, idOf } from './client.ts'

export type ExistingSubscription = ReturnType<typeof existingOf>

const attempts = new Set<Stripe.Subscription.Status>(['incomplete', 'incomplete_expired', 'canceled'])

/** Subscriptions that did not begin here, with what the shop must know before it takes one over. */
export function existingSubscriptionCalls({ sdk, ask, all, orNothing }: Client) {
  const rateOf = rateReader({ sdk, ask })

  /** By its newest invoice; null if that alone doesn't say, because it is unpaid, for a change, or time was given. */
  async function arrOf({ status, trial_end, latest_invoice: invoice }: Stripe.Subscription) {
    if (status !== 'active' || trial_end || typeof invoice !== 'object' || invoice?.status !== 'paid') return null
    const isForPeriod = /^subscription_(create|cycle)$/.test(invoice.billing_reason ?? '')
    return isForPeriod && !invoice.lines.has_more ? (await rateOf(invoice.lines.data)).arr : null
  }

  return {
    /** What each live one earns in a year, page by page: there may be many. */
    async *revenue(): AsyncGenerator<{ id: string; arr: number | null }[]> {
      for (let after: string | undefined; ; ) {
        const page = { limit: 100, ...(after && { starting_after: after }) }
        const { data, has_more: hasMore } = await ask(
          sdk.subscriptions.list({ ...page, expand: ['data.latest_invoice'] }),
        )
        const live = data.filter(({ status }) => !attempts.has(status))
        yield await Promise.all(live.map(async (found) => ({ id: found.id, arr: await arrOf(found) })))
        if (!hasMore) return
        after = data.at(-1)?.id
      }
    },

    /** Every live one, wherever it began. */
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
      const { product, nickname, unit_amount, currency, recurring, metadata } = found
      const count = recurring?.interval_count ?? 1
      return {
        id,
        name: [typeof product === 'object' && 'name' in product ? product.name : '', nickname]
          .filter(Boolean)
          .join(', '),
        amount: unit_amount ?? 0,
        currency,
        every: count === 1 ? (recurring?.interval ?? '') : `${count} ${recurring?.interval}s`,
        billing: billingOf(found),
        /** What the seller said it is here, in our own words. */
        plan: metadata.shop_plan || null,
      }
    },

    /** Kept with the price itself: it is true for every shop that sells from this account. False if there is none. */
    async setPlan(id: string, plan: string) {
      return Boolean(await orNothing(sdk.prices.update(id, { metadata: { shop_plan: plan } })))
    },
  }
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
    ends: found.cancel_at_period_end || found.cancel_at !== null,
  }
}
