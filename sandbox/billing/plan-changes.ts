import { periodEnd } from '../basics.ts'
import { invalid } from '../failure.ts'
import { type DiscountTerms, newCoupon, newDiscount, type Price, planOf } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
import type { Entry } from '../objects/invoice.ts'
import {
  newPendingUpdate,
  type PauseReason,
  pausedDetails,
  periodOf,
  type Subscription,
  type SubscriptionItem,
  withPeriod,
} from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import { bill, periodEntries, tellOfBill } from './bills.ts'
import { update, voidInvoice } from './invoices.ts'
import { confirm } from './payments.ts'
import { charge, storedCard, upToDate } from './subscriptions.ts'

type Plan = { price?: Price | undefined; quantity?: number | undefined; at?: number | undefined }

const pendingLifetime = 23 * 3600

/** Share of the price that was billed for the current period, so that a credit never exceeds the payment. */
async function billedShare(work: Work, { id }: Subscription, start: number) {
  const parent = { subscription_details: { subscription: id } }
  const paid = await work.all('invoice', { status: 'paid', parent })
  const line = paid
    .flatMap(({ lines }) => lines.data)
    .findLast(
      ({ parent: { subscription_item_details: of }, period }) => of?.proration === false && period.start === start,
    )
  const off = (line?.discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
  return line && line.amount > 0 ? (line.amount - off) / line.amount : 1
}

/** Credits unused time to the second as of `at`. A different interval begins a new period. */
export async function planChange(work: Work, before: Subscription, plan: Plan) {
  const [item] = before.items.data
  if (!item) throw invalid('There is no item to change.')
  const { start, end, step } = periodOf(before)
  const at = plan.at ?? work.now
  if (at < start || at > end)
    throw invalid('Invalid proration date: it must be within the current period.', 'proration_date')
  const price = plan.price ?? item.price
  const changed = { ...item, price, plan: planOf(price), quantity: plan.quantity ?? item.quantity }
  const after: Subscription = { ...before, items: { ...before.items, data: [changed] } }
  const isSameStep = changed.plan.interval === step.interval && changed.plan.interval_count === step.interval_count
  const share = ((end - at) / (end - start)) * (await billedShare(work, before, start))
  const prorated = (of: SubscriptionItem, sign: 1 | -1): Entry => ({
    item: of,
    period: { start: at, end },
    amount: sign * Math.round(of.price.unit_amount * of.quantity * share),
    isProration: true,
  })
  if (isSameStep) return { after, entries: [prorated(item, -1), prorated(changed, 1)] }
  const next = { start: work.now, end: periodEnd(work.now, periodOf(after).step, work.now) }
  // A scheduled cancellation moves to the end of the new period.
  const cancel_at = after.cancel_at_period_end ? next.end : after.cancel_at
  const moved = { ...withPeriod(after, next.start, next.end), billing_cycle_anchor: work.now, cancel_at }
  return { after: moved, entries: [prorated(item, -1), ...periodEntries(moved, next)] }
}

/** Changes the plan as in the dashboard: it applies even if the payment fails. */
export async function changePlan(work: Work, before: Subscription, plan: Plan) {
  if (before.ended_at !== null)
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  const { after, entries } = await planChange(work, before, plan)
  return charge(work, before, after, { reason: 'subscription_update', entries })
}

/** Implements `pending_if_incomplete`: the change applies only once it is paid. */
export async function changePlanWhenPaid(
  work: Work,
  given: Subscription,
  { metadata = {}, ...plan }: Plan & { metadata?: Record<string, string> | undefined },
): Promise<Subscription> {
  const before = given.pending_update ? await dropPendingUpdate(work, given) : given
  const { after, entries } = await planChange(work, before, plan)
  const invoiceDraft = { subscription: after, reason: 'subscription_update' as const, entries }
  const { invoice, intent, subscription: billed } = await bill(work, invoiceDraft)
  if (!intent) {
    tellOfBill(work, invoice, intent)
    return update(work, before, { ...billed, metadata: { ...billed.metadata, ...metadata } })
  }
  const waiting = await update(work, before, {
    ...before,
    latest_invoice: invoice.id,
    pending_update: newPendingUpdate({
      billing_cycle_anchor: after.billing_cycle_anchor,
      expires_at: Math.min(work.now + pendingLifetime, periodOf(before).end),
      metadata,
      subscription_items: after.items.data,
    }),
  })
  tellOfBill(work, invoice, intent)
  const method = await storedCard(work, before)
  if (method) await confirm(work, intent, method, 'immediately')
  return work.get('subscription', waiting.id)
}

/** Drops an expired or replaced pending update, unless its payment is in progress. */
export async function dropPendingUpdate(work: Work, { id, latest_invoice: latest }: Subscription) {
  const invoice = latest && (await upToDate(work, await work.get('invoice', latest)))
  if (invoice && invoice.status === 'open') await voidInvoice(work, invoice)
  const dropped = await work.get('subscription', id)
  work.emit('customer.subscription.pending_update_expired', dropped)
  return dropped
}

async function discountOf(work: Work, off: DiscountTerms, of: { customer: string; subscription: string | null }) {
  const coupon = await work.insert(newCoupon(work.now, off, 'usd'))
  return work.insert(newDiscount(work.now, coupon, of))
}

export async function applyCoupon(work: Work, before: Subscription, off: DiscountTerms) {
  const { customer, id: subscription } = before
  const discount = await discountOf(work, off, { customer, subscription })
  await update(work, before, { ...before, discounts: [discount.id] })
}

export async function applyCouponToCustomer(work: Work, before: Customer, off: DiscountTerms) {
  const discount = await discountOf(work, off, { customer: before.id, subscription: null })
  await work.update(before, { ...before, discount })
}

export async function pause(work: Work, before: Subscription, reason: PauseReason = 'pause_requested') {
  if (before.status !== 'active' && before.status !== 'past_due')
    throw invalid('Only an active subscription can be paused.')
  const paused = await update(work, before, {
    ...before,
    status: 'paused',
    status_details: pausedDetails(work.now, reason),
  })
  work.emit('customer.subscription.paused', paused)
}

export async function resume(work: Work, before: Subscription) {
  if (before.status !== 'paused') throw invalid('Only a paused subscription can be resumed.')
  const period = { start: work.now, end: periodEnd(work.now, periodOf(before).step, work.now) }
  const resumed: Subscription = {
    ...withPeriod(before, period.start, period.end),
    billing_cycle_anchor: work.now,
    status: 'active',
    status_details: undefined,
  }
  await charge(work, before, resumed, { reason: 'subscription_update', entries: periodEntries(resumed, period) })
  work.emit('customer.subscription.resumed', await work.get('subscription', before.id))
}
