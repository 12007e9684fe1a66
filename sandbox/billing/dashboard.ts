import { addSteps, periodEnd } from '../basics.ts'
import { invalid } from '../failure.ts'
import { type Price, planOf } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
import { newCoupon, newDiscount, type Off } from '../objects/discount.ts'
import type { Entry } from '../objects/invoice.ts'
import {
  type PauseReason,
  pausedDetails,
  periodOf,
  type Subscription,
  withPeriod,
} from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import { periodEntries, update } from './invoices.ts'
import { charge } from './subscriptions.ts'

type Plan = { price?: Price; quantity?: number }

/** Another price or quantity from now on: what is unused is credited, and the rest is charged at once. */
export async function changePlan(work: Work, before: Subscription, plan: Plan) {
  const [item] = before.items.data
  if (!item) throw invalid('There is no item to change.')
  const { start, end, step } = periodOf(before)
  const price = plan.price ?? item.price
  const changed = { ...item, price, plan: planOf(price), quantity: plan.quantity ?? item.quantity }
  const after = { ...before, items: { ...before.items, data: [changed] } }
  const isSameStep =
    changed.plan.interval === step.interval && changed.plan.interval_count === step.interval_count
  const rest = { start: work.now, end }
  const share = (amount: number) => Math.round((amount * (end - work.now)) / (end - start))
  const prorated = (of: typeof item, sign: 1 | -1): Entry => ({
    item: of,
    period: rest,
    amount: sign * share(of.price.unit_amount * of.quantity),
    isProration: true,
  })
  if (isSameStep)
    return charge(work, before, after, {
      reason: 'subscription_update',
      entries: [prorated(item, -1), prorated(changed, 1)],
    })
  const next = { start: work.now, end: periodEnd(work.now, periodOf(after).step, work.now) }
  const moved = { ...withPeriod(after, next.start, next.end), billing_cycle_anchor: work.now }
  return charge(work, before, moved, {
    reason: 'subscription_update',
    entries: [prorated(item, -1), ...periodEntries(moved, next)],
  })
}

async function discountOf(work: Work, off: Off, of: { customer: string; subscription: string | null }) {
  const coupon = await work.insert(newCoupon(work.now, off, 'usd'))
  const end =
    off.months === undefined ? null : addSteps(work.now, { interval: 'month', interval_count: 1 }, off.months)
  return work.insert(newDiscount({ now: work.now, coupon, end, ...of }))
}

export async function applyCoupon(work: Work, before: Subscription, off: Off) {
  const { customer, id: subscription } = before
  const discount = await discountOf(work, off, { customer, subscription })
  await update(work, before, { ...before, discounts: [discount.id] })
}

export async function applyCouponToCustomer(work: Work, before: Customer, off: Off) {
  const discount = await discountOf(work, off, { customer: before.id, subscription: null })
  work.emit('customer.updated', await work.save({ ...before, discount }), before)
}

export async function pause(work: Work, before: Subscription, reason: PauseReason) {
  if (before.status !== 'active' && before.status !== 'past_due')
    throw invalid('Only an active subscription can be paused.')
  const paused = await update(work, before, {
    ...before,
    status: 'paused',
    status_details: pausedDetails(work.now, reason),
  })
  work.emit('customer.subscription.paused', paused)
}

/** A new period begins now. */
export async function resume(work: Work, before: Subscription) {
  if (before.status !== 'paused') throw invalid('Only a paused subscription can be resumed.')
  const period = { start: work.now, end: periodEnd(work.now, periodOf(before).step, work.now) }
  const resumed: Subscription = {
    ...withPeriod(before, period.start, period.end),
    billing_cycle_anchor: work.now,
    status: 'active',
    status_details: undefined,
  }
  await charge(work, before, resumed, {
    reason: 'subscription_update',
    entries: periodEntries(resumed, period),
  })
  work.emit('customer.subscription.resumed', await work.get('subscription', before.id))
}
