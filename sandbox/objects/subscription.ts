import { empty, listOf, newId } from '../basics.ts'
import { type Price, planOf } from './catalog.ts'
import type { Customer } from './customer.ts'

const noInvoiceSettingsExtras = empty('account_tax_ids custom_fields description footer')
const noSubscriptionExtras = {
  ...empty('application application_fee_percent billing_cycle_anchor_config billing_thresholds'),
  ...empty('customer_account days_until_due default_source managed_payments'),
  ...empty('next_pending_invoice_item_invoice on_behalf_of pause_collection pending_invoice_item_interval'),
  ...empty('pending_setup_intent schedule transfer_data'),
}

export type SubscriptionStatus =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled'
/** What Stripe says about why a subscription is paused. */
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
export type Feedback =
  | 'customer_service'
  | 'low_quality'
  | 'missing_features'
  | 'other'
  | 'switched_service'
  | 'too_complex'
  | 'too_expensive'
  | 'unused'

type GivenItem = { now: number; price: Price; quantity: number; end: number; subscription: string }

const newItem = ({ now, price, quantity, end, subscription }: GivenItem) => ({
  id: newId('si'),
  object: 'subscription_item' as const,
  billing_thresholds: null,
  created: now,
  current_period_end: end,
  current_period_start: now,
  current_trial: null,
  discounts: [],
  metadata: {},
  plan: planOf(price),
  price,
  quantity,
  subscription,
  tax_rates: [],
})

export type SubscriptionItem = ReturnType<typeof newItem>

const noPendingExtras = empty('cancel_at_period_end discount discounts trial_end trial_from_plan')

/** A change that waits for its payment. */
export const newPendingUpdate = (wanted: {
  billing_cycle_anchor: number
  expires_at: number
  metadata: Record<string, string>
  subscription_items: SubscriptionItem[]
}) => ({ ...noPendingExtras, ...wanted })

type Given = {
  now: number
  customer: Customer
  lines: { price: Price; quantity: number }[]
  currency: string
  end: number
}

export function newSubscription({ now, customer, lines, currency, end }: Given) {
  const id = newId('sub')
  return {
    id,
    object: 'subscription' as const,
    ...noSubscriptionExtras,
    automatic_tax: {
      disabled_reason: null as 'requires_location_inputs' | null,
      enabled: false,
      liability: null as { type: 'self' } | null,
    },
    billing_cycle_anchor: now,
    billing_mode: { flexible: { proration_discounts: 'included' as const }, type: 'flexible' as const },
    billing_schedules: [],
    cancel_at: null as number | null,
    cancel_at_period_end: false,
    canceled_at: null as number | null,
    cancellation_details: {
      comment: null as string | null,
      feedback: null as Feedback | null,
      feedback_option: null,
      reason: null as CancellationReason | null,
    },
    collection_method: 'charge_automatically' as const,
    created: now,
    currency,
    customer: customer.id,
    default_payment_method: null as string | null,
    default_tax_rates: [],
    description: null as string | null,
    discounts: [] as string[],
    ended_at: null as number | null,
    invoice_settings: {
      ...noInvoiceSettingsExtras,
      issuer: { type: 'self' as const },
    },
    items: listOf(
      `/v1/subscription_items?subscription=${id}`,
      lines.map((line) => newItem({ now, ...line, end, subscription: id })),
    ),
    latest_invoice: null as string | null,
    livemode: false,
    metadata: {} as Record<string, string>,
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
    trial_end: null as number | null,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' as const },
    },
    trial_start: null as number | null,
    $sandbox: { fail_next_renewal: false },
  }
}

export type Subscription = ReturnType<typeof newSubscription>

/** All items of a subscription share one billing period. */
export function periodOf(subscription: Subscription) {
  const [item] = subscription.items.data
  if (!item) throw new Error(`${subscription.id} has no items`)
  const { interval, interval_count } = item.plan
  return {
    start: item.current_period_start,
    end: item.current_period_end,
    step: { interval, interval_count },
  }
}

export const withPeriod = (subscription: Subscription, start: number, end: number): Subscription => ({
  ...subscription,
  items: {
    ...subscription.items,
    data: subscription.items.data.map((item) => ({
      ...item,
      current_period_start: start,
      current_period_end: end,
    })),
  },
})
