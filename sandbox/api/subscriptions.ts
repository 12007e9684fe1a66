import { updateSubscription } from '../billing/invoices.ts'
import { changePlanWhenPaid } from '../billing/plan-changes.ts'
import { cancelSubscription, startSubscription } from '../billing/subscriptions.ts'
import { assertTaxable } from '../billing/tax.ts'
import { invalid, missing } from '../failure.ts'
import type { Coupon } from '../objects/catalog.ts'
import { newSchedule, type Subscription, type SubscriptionStatus } from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import { assertOwnCard } from './methods.ts'
import { choice, flag, group, integer, list, type Params, paging, required, text } from './params.ts'
import { readRoute, route } from './route.ts'
import { cancellationDetails, editable, withDetails, withParams, withTrial } from './subscription-changes.ts'

async function requireSinglePrice(work: Work, items: { price: string }[]) {
  const [item] = items
  if (!item || items.length > 1) throw invalid('The sandbox bills one item.', 'items')
  const price = await work.get('price', item.price, 'items[0][price]')
  if (!price.active) throw invalid('The price specified is inactive.', 'items[0][price]')
  return price
}

export const planParams = {
  billing_cycle_anchor: group({ type: required(choice('now')) }),
  items: list(required(group({ id: required(text), price: required(text) }))),
  proration_date: integer,
}

/** Parameters that Stripe accepts together with `pending_if_incomplete`. */
const pendingUpdateParams = new Set([...Object.keys(planParams), 'metadata', 'payment_behavior', 'proration_behavior'])

function assertPendingUpdateParams(params: {
  payment_behavior?: string | undefined
  proration_behavior?: string | undefined
}) {
  if (params.payment_behavior !== 'pending_if_incomplete' || params.proration_behavior !== 'always_invoice')
    throw invalid('The sandbox changes a price only when it is invoiced and paid immediately.', 'payment_behavior')
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && !pendingUpdateParams.has(name))
      throw invalid(`When payment_behavior is pending_if_incomplete, ${name} cannot be updated.`, name)
}

export async function readPlanChange(
  work: Work,
  { items, trial_end: trialEnd }: Subscription,
  params: Params<typeof planParams>,
) {
  const price = await requireSinglePrice(work, params.items ?? [])
  if (params.items?.[0]?.id !== items.data[0]?.id) throw invalid('There is no such item.', 'items[0][id]')
  if (trialEnd !== null && trialEnd > work.now)
    throw invalid('You cannot reset the billing cycle anchor before the trial has ended.', 'billing_cycle_anchor')
  return { price, quantity: 1, at: params.proration_date }
}

async function getCoupons(work: Work, discounts: { coupon: string }[]) {
  const coupons: Coupon[] = []
  for (const [index, { coupon: id }] of discounts.entries()) {
    coupons.push(await work.get('coupon', id, `discounts[${index}][coupon]`))
  }
  return coupons
}

export async function addSchedule(work: Work, subscription: Subscription) {
  const schedule = await work.create(newSchedule(work.now, subscription))
  await updateSubscription(work, subscription, { ...subscription, schedule: schedule.id })
  return schedule
}

function assertNotManagedBy(schedule: string, params: Record<string, unknown>) {
  const managed = ['cancel_at', 'cancel_at_period_end', 'items', 'trial_end'].find((name) => params[name] !== undefined)
  if (managed)
    throw invalid(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating ${managed} directly is not allowed. Please update the schedule instead.`,
      managed,
    )
}

/** The item gets the price's current `tax_behavior`. */
async function withAutomaticTax(work: Work, subscription: Subscription, enabled: boolean): Promise<Subscription> {
  const [item] = subscription.items.data
  const price = await work.get('price', item?.price.id ?? '')
  if (enabled) assertTaxable(await work.customer(subscription.customer), price)
  const data = subscription.items.data.map((subscriptionItem) => ({ ...subscriptionItem, price }))
  return {
    ...subscription,
    items: { ...subscription.items, data },
    automatic_tax: { disabled_reason: null, enabled, liability: enabled ? { type: 'self' } : null },
  }
}

const liveStatuses: SubscriptionStatus[] = ['active', 'trialing', 'past_due', 'incomplete', 'unpaid', 'paused']
const endedStatuses: SubscriptionStatus[] = ['canceled', 'incomplete_expired']

export const subscriptionRoutes = [
  route(
    'POST /v1/subscriptions',
    {
      ...editable,
      automatic_tax: group({ enabled: required(flag) }),
      billing_mode: group({
        type: required(choice('flexible')),
        flexible: group({ proration_discounts: choice('included') }),
      }),
      customer: required(text),
      discounts: list(required(group({ coupon: required(text) }))),
      items: required(list(required(group({ price: required(text) })))),
      payment_behavior: choice('default_incomplete'),
    },
    async ({ work, params }) => {
      // Only locks the customer; `work.customer` refuses a deleted one.
      await work.getForUpdate('customer', params.customer)
      const customer = await work.customer(params.customer)
      const price = await requireSinglePrice(work, params.items)
      if (params.collection_method !== 'send_invoice' && !params.payment_behavior)
        throw invalid('The sandbox charges only what begins incomplete.', 'payment_behavior')
      if (params.automatic_tax?.enabled) assertTaxable(customer, price)
      await assertOwnCard(work, params.default_payment_method, customer.id, 'default_payment_method')
      const coupons = await getCoupons(work, params.discounts ?? [])
      return startSubscription(work, {
        customer,
        price,
        coupons,
        applyParams: (draft) => ({
          ...withParams(draft, params, work),
          automatic_tax: params.automatic_tax?.enabled
            ? { ...draft.automatic_tax, enabled: true, liability: { type: 'self' } }
            : draft.automatic_tax,
        }),
      })
    },
  ),
  readRoute('subscription'),
  route(
    'POST /v1/subscriptions/:id',
    {
      ...editable,
      ...planParams,
      automatic_tax: group({ enabled: required(flag) }),
      payment_behavior: choice('pending_if_incomplete'),
      proration_behavior: choice('none', 'always_invoice'),
      trial_end: integer,
    },
    async ({ work, id, params }) => {
      const before = await work.getForUpdate('subscription', id)
      const { cancellation_details: _details, metadata: _metadata, ...otherParams } = params
      const hasEnded = endedStatuses.includes(before.status)
      if (hasEnded && Object.values(otherParams).some((value) => value !== undefined))
        throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
      if (before.schedule) assertNotManagedBy(before.schedule, params)
      if (params.items) {
        assertPendingUpdateParams(params)
        if (before.collection_method === 'send_invoice')
          throw invalid(
            'You cannot set `payment_behavior` to `pending_if_incomplete` when `collection_method` is `send_invoice`.',
            'payment_behavior',
          )
        const change = await readPlanChange(work, before, params)
        return changePlanWhenPaid(work, before, { ...change, metadata: params.metadata })
      }
      await assertOwnCard(work, params.default_payment_method, before.customer, 'default_payment_method')
      let after = withParams(before, params, work)
      if (params.automatic_tax) after = await withAutomaticTax(work, after, params.automatic_tax.enabled)
      if (params.trial_end) after = withTrial(after, params.trial_end, work.now)
      return updateSubscription(work, before, after)
    },
  ),
  route('DELETE /v1/subscriptions/:id', { cancellation_details: cancellationDetails }, async ({ work, id, params }) => {
    const before = await work.getForUpdate('subscription', id)
    if (endedStatuses.includes(before.status)) throw missing('subscription', id)
    return cancelSubscription(work, withDetails(before, params.cancellation_details))
  }),
  route('POST /v1/subscription_schedules', { from_subscription: required(text) }, async ({ work, params }) =>
    addSchedule(work, await work.getForUpdate('subscription', params.from_subscription)),
  ),
  route('POST /v1/subscription_schedules/:id/release', {}, async ({ work, id }) => {
    const schedule = await work.getForUpdate('subscription_schedule', id)
    if (schedule.status !== 'active' || !schedule.subscription)
      throw invalid(`You cannot release a subscription schedule that is in the \`${schedule.status}\` status.`)
    const subscription = await work.get('subscription', schedule.subscription)
    await updateSubscription(work, subscription, { ...subscription, schedule: null })
    return work.update(schedule, {
      ...schedule,
      status: 'released' as const,
      released_at: work.now,
      released_subscription: subscription.id,
      subscription: null,
    })
  }),
  route(
    'GET /v1/subscriptions',
    { ...paging, customer: text, status: choice(...liveStatuses, ...endedStatuses, 'all') },
    ({ work, params: { customer, status, ...page } }) => {
      const chosenStatuses = status === undefined ? liveStatuses : [status]
      const values = status === 'all' ? [...liveStatuses, ...endedStatuses] : chosenStatuses
      return work.list('subscription', { match: { customer }, oneOf: { field: 'status', values } }, page)
    },
  ),
]
