import { listOf } from '../basics.ts'
import { blank, blankPart } from './blank.ts'
import { type Price, planOf } from './catalog.ts'
import type { Customer } from './customer.ts'

export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled'
export type PauseReason =
  | 'pause_requested'
  | 'system'
  | 'trial_end_without_payment_method'
  | 'first_payment_failure'
  | 'final_payment_failure'

export const pausedDetails = (now: number, reason: PauseReason) => ({
  paused: { subscription: { type: reason }, transitioned_at: now, type: 'subscription' as const },
})

export type CancellationReason = 'cancellation_requested' | 'payment_disputed' | 'payment_failed'
export const feedbacks = [
  'customer_service',
  'low_quality',
  'missing_features',
  'other',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
] as const
export type Feedback = (typeof feedbacks)[number]

/** `end` is the end of the first period. */
type SubscriptionInput = { now: number; customer: Customer; price: Price; end: number }

const newItem = ({ now, price, end }: SubscriptionInput, subscription: string) => ({
  ...blank('subscription_item', 'si'),
  created: now,
  current_period_end: end,
  current_period_start: now,
  plan: planOf(price),
  price,
  quantity: 1,
  subscription,
})

export type SubscriptionItem = ReturnType<typeof newItem>

export const newPendingUpdate = (fields: {
  billing_cycle_anchor: number
  expires_at: number
  metadata: Record<string, string>
  subscription_items: SubscriptionItem[]
}) => ({ ...blankPart('subscription.pending_update'), ...fields })

export function newSubscription(input: SubscriptionInput) {
  const { now, customer, price } = input
  const base = blank('subscription', 'sub')
  return {
    ...base,
    automatic_tax: {
      disabled_reason: null as 'requires_location_inputs' | null,
      enabled: false,
      liability: null as { type: 'self' } | null,
    },
    billing_cycle_anchor: now,
    cancel_at_period_end: false,
    cancellation_details: {
      ...blankPart('subscription.cancellation_details'),
      comment: null as string | null,
      feedback: null as Feedback | null,
      reason: null as CancellationReason | null,
    },
    created: now,
    currency: price.currency,
    customer: customer.id,
    discounts: [] as string[],
    items: listOf(`/v1/subscription_items?subscription=${base.id}`, [newItem(input, base.id)]),
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null as 'card'[] | null,
      save_default_payment_method: 'off' as 'off' | 'on_subscription',
    },
    pending_update: null as ReturnType<typeof newPendingUpdate> | null,
    start_date: now,
    status: 'incomplete' as SubscriptionStatus,
    status_details: undefined as ReturnType<typeof pausedDetails> | undefined,
    test_clock: customer.test_clock,
    $sandbox: { fail_next_renewal: false },
  }
}

export type Subscription = ReturnType<typeof newSubscription>

/** All items of a subscription share one billing period. */
export function periodOf(subscription: Subscription) {
  const [item] = subscription.items.data
  if (!item) throw new Error(`${subscription.id} has no items`)
  const { interval, interval_count } = item.plan
  return { start: item.current_period_start, end: item.current_period_end, step: { interval, interval_count } }
}

export const withPeriod = (subscription: Subscription, start: number, end: number): Subscription => ({
  ...subscription,
  items: {
    ...subscription.items,
    data: subscription.items.data.map((item) => ({ ...item, current_period_start: start, current_period_end: end })),
  },
})

/** Until its release, only the schedule may change the subscription. */
export const newSchedule = (now: number, subscription: Subscription) => ({
  ...blank('subscription_schedule', 'sub_sched'),
  created: now,
  customer: subscription.customer,
  status: 'active' as 'active' | 'released',
  subscription: subscription.id as string | null,
})

export type SubscriptionSchedule = ReturnType<typeof newSchedule>
