import { periodEnd } from '../basics.ts'
import { invalid } from '../failure.ts'
import { newCoupon, newDiscount, type Off } from '../objects/catalog.ts'
import type { Customer } from '../objects/customer.ts'
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

async function discountOf(work: Work, off: Off, of: { customer: string; subscription: string | null }) {
  const coupon = await work.insert(newCoupon(work.now, off, 'usd'))
  return work.insert(newDiscount(work.now, coupon, of))
}

export async function applyCoupon(work: Work, before: Subscription, off: Off) {
  const { customer, id: subscription } = before
  const discount = await discountOf(work, off, { customer, subscription })
  await update(work, before, { ...before, discounts: [discount.id] })
}

export async function applyCouponToCustomer(work: Work, before: Customer, off: Off) {
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
