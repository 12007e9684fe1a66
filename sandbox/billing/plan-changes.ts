import { periodEnd } from '../basics.ts'
import { invalid } from '../failure.ts'
import { type DiscountTerms, newCoupon, newDiscount, type Price, planOf } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
import type { InvoiceEntry } from '../objects/invoice.ts'
import {
  newPendingUpdate,
  type PauseReason,
  pausedDetails,
  periodOf,
  type Subscription,
  type SubscriptionItem,
  withPeriod,
} from '../objects/subscription.ts'
import { sumOf } from '../objects/tax.ts'
import type { Work } from '../work.ts'
import { createInvoice, emitInvoiceCreated, periodEntries } from './bills.ts'
import { updateSubscription, voidInvoice } from './invoices.ts'
import { confirm } from './payments.ts'
import { finishPendingPayment, storedCard, updateAndCharge } from './subscriptions.ts'

type PlanChange = { price?: Price | undefined; quantity?: number | undefined; at?: number | undefined }

const pendingLifetimeSeconds = 23 * 3600

/** Share of the price that was paid after discounts, so that a credit never exceeds the payment. */
async function paidShare(work: Work, { id }: Subscription, start: number) {
  const parent = { subscription_details: { subscription: id } }
  const paid = await work.all('invoice', { status: 'paid', parent })
  const periodLine = paid
    .flatMap(({ lines }) => lines.data)
    .findLast((line) => line.parent.subscription_item_details?.proration === false && line.period.start === start)
  if (!periodLine || periodLine.amount <= 0) return 1
  return (periodLine.amount - sumOf(periodLine.discount_amounts)) / periodLine.amount
}

/** Unused time is credited to the second; another interval starts a new period. */
export async function calculatePlanChange(work: Work, before: Subscription, change: PlanChange) {
  const [item] = before.items.data
  if (!item) throw invalid('There is no item to change.')
  const { start, end, step } = periodOf(before)
  const at = change.at ?? work.now
  if (at < start || at > end)
    throw invalid('Invalid proration date: it must be within the current period.', 'proration_date')
  const price = change.price ?? item.price
  const changedItem = { ...item, price, plan: planOf(price), quantity: change.quantity ?? item.quantity }
  const after: Subscription = { ...before, items: { ...before.items, data: [changedItem] } }
  const { interval, interval_count } = changedItem.plan
  const isSameInterval = interval === step.interval && interval_count === step.interval_count
  const unusedShare = ((end - at) / (end - start)) * (await paidShare(work, before, start))
  const prorationOf = (proratedItem: SubscriptionItem, sign: 1 | -1): InvoiceEntry => ({
    item: proratedItem,
    period: { start: at, end },
    amount: sign * Math.round(proratedItem.price.unit_amount * proratedItem.quantity * unusedShare),
    isProration: true,
  })
  if (isSameInterval) return { after, entries: [prorationOf(item, -1), prorationOf(changedItem, 1)] }

  const nextPeriod = { start: work.now, end: periodEnd(work.now, periodOf(after).step, work.now) }
  // A scheduled cancellation moves to the end of the new period.
  const cancel_at = after.cancel_at_period_end ? nextPeriod.end : after.cancel_at
  const afterInNewPeriod = {
    ...withPeriod(after, nextPeriod.start, nextPeriod.end),
    billing_cycle_anchor: work.now,
    cancel_at,
  }
  return { after: afterInNewPeriod, entries: [prorationOf(item, -1), ...periodEntries(afterInNewPeriod, nextPeriod)] }
}

/** The change applies even if the payment fails, like one made in the dashboard. */
export async function changePlan(work: Work, before: Subscription, change: PlanChange) {
  if (before.ended_at !== null)
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  const { after, entries } = await calculatePlanChange(work, before, change)
  return updateAndCharge(work, before, after, { reason: 'subscription_update', entries })
}

/** `pending_if_incomplete`: the change applies only once it is paid. */
export async function changePlanWhenPaid(
  work: Work,
  subscription: Subscription,
  { metadata = {}, ...change }: PlanChange & { metadata?: Record<string, string> | undefined },
): Promise<Subscription> {
  const before = subscription.pending_update ? await dropPendingUpdate(work, subscription) : subscription
  const { after, entries } = await calculatePlanChange(work, before, change)
  const request = { subscription: after, reason: 'subscription_update' as const, entries }
  const { invoice, intent, subscription: billed } = await createInvoice(work, request)
  // Applies immediately, because nothing is due.
  if (!intent) {
    emitInvoiceCreated(work, invoice, intent)
    return updateSubscription(work, before, { ...billed, metadata: { ...billed.metadata, ...metadata } })
  }
  const waiting = await updateSubscription(work, before, {
    ...before,
    latest_invoice: invoice.id,
    pending_update: newPendingUpdate({
      billing_cycle_anchor: after.billing_cycle_anchor,
      expires_at: Math.min(work.now + pendingLifetimeSeconds, periodOf(before).end),
      metadata,
      subscription_items: after.items.data,
    }),
  })
  emitInvoiceCreated(work, invoice, intent)
  const method = await storedCard(work, before)
  if (method) await confirm(work, intent, method, 'immediately')
  return work.get('subscription', waiting.id)
}

/** A payment in progress is finished first and applies the update. */
export async function dropPendingUpdate(work: Work, { id, latest_invoice: latest }: Subscription) {
  if (latest) {
    const invoice = await finishPendingPayment(work, await work.get('invoice', latest))
    if (invoice.status === 'open') await voidInvoice(work, invoice)
  }
  const dropped = await work.get('subscription', id)
  work.emit('customer.subscription.pending_update_expired', dropped)
  return dropped
}

async function createDiscount(
  work: Work,
  terms: DiscountTerms,
  owner: { customer: string; subscription: string | null },
) {
  const coupon = await work.insert(newCoupon(work.now, terms, 'usd'))
  return work.insert(newDiscount(work.now, coupon, owner))
}

export async function applyCoupon(work: Work, before: Subscription, terms: DiscountTerms) {
  const { customer, id: subscription } = before
  const discount = await createDiscount(work, terms, { customer, subscription })
  await updateSubscription(work, before, { ...before, discounts: [discount.id] })
}

export async function applyCouponToCustomer(work: Work, before: Customer, terms: DiscountTerms) {
  const discount = await createDiscount(work, terms, { customer: before.id, subscription: null })
  await work.update(before, { ...before, discount })
}

export async function pause(work: Work, before: Subscription, reason: PauseReason = 'pause_requested') {
  if (before.status !== 'active' && before.status !== 'past_due')
    throw invalid('Only an active subscription can be paused.')
  const paused = await updateSubscription(work, before, {
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
  await updateAndCharge(work, before, resumed, {
    reason: 'subscription_update',
    entries: periodEntries(resumed, period),
  })
  work.emit('customer.subscription.resumed', await work.get('subscription', before.id))
}
