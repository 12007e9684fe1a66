import { day, periodEnd } from '../basics.ts'
import { invalid } from '../failure.ts'
import { feedbacks, periodOf, type Subscription, withPeriod } from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import {
  choice,
  clearable,
  flag,
  group,
  integer,
  list,
  metadata,
  type Params,
  required,
  text,
  withChanges,
} from './params.ts'

export const cancellationDetails = group({ comment: clearable(text), feedback: clearable(choice(...feedbacks)) })

export const editable = {
  cancel_at: clearable(integer),
  cancel_at_period_end: flag,
  cancellation_details: cancellationDetails,
  collection_method: choice('charge_automatically', 'send_invoice'),
  days_until_due: integer,
  default_payment_method: clearable(text),
  metadata,
  pause_collection: clearable(
    group({ behavior: required(choice('keep_as_draft', 'mark_uncollectible', 'void')), resumes_at: integer }),
  ),
  payment_settings: group({
    payment_method_types: list(required(choice('card'))),
    save_default_payment_method: choice('off', 'on_subscription'),
  }),
}

type Change = Params<typeof editable>

export const withDetails = (before: Subscription, details: Change['cancellation_details']): Subscription => ({
  ...before,
  cancellation_details: withChanges(before.cancellation_details, details ?? {}),
})

function withCancelAt(
  subscription: Subscription,
  at: number | null,
  isAtPeriodEnd: boolean,
  now: number,
): Subscription {
  return {
    ...subscription,
    cancel_at: at,
    cancel_at_period_end: isAtPeriodEnd,
    canceled_at: at === null ? null : (subscription.canceled_at ?? now),
    cancellation_details: {
      ...subscription.cancellation_details,
      reason: at === null ? null : 'cancellation_requested',
    },
  }
}

export function withParams(
  subscription: Subscription,
  params: Change,
  { now, quirks }: Pick<Work, 'now' | 'quirks'>,
): Subscription {
  if (params.cancel_at !== undefined && params.cancel_at_period_end !== undefined) {
    throw invalid(
      'You may only specify one of these parameters: cancel_at, cancel_at_period_end.',
      'cancel_at',
      'parameters_exclusive',
    )
  }
  let after = withDetails(subscription, params.cancellation_details)
  if (params.cancel_at !== undefined) {
    if (params.cancel_at !== null && params.cancel_at <= now) {
      throw invalid('cancel_at must be in the future.', 'cancel_at')
    }
    after = withCancelAt(after, params.cancel_at, false, now)
    if (quirks.shortens) after = withPeriodEndingAt(after, params.cancel_at)
  }
  if (params.cancel_at_period_end !== undefined) {
    // Clearing `cancel_at_period_end` keeps a `cancel_at` date that was set separately.
    if (params.cancel_at_period_end) after = withCancelAt(after, periodOf(after).end, true, now)
    else if (after.cancel_at_period_end) after = withCancelAt(after, null, false, now)
  }
  const {
    default_payment_method,
    metadata: newMetadata,
    payment_settings: settings,
    pause_collection: pause,
    collection_method: collectionMethod = after.collection_method,
    days_until_due: newDaysUntilDue,
  } = params

  const sendsInvoices = collectionMethod === 'send_invoice'
  if (sendsInvoices && (newDaysUntilDue ?? after.days_until_due) === null)
    throw invalid(
      'You must pass `days_until_due` when you set `collection_method` to `send_invoice`.',
      'days_until_due',
    )
  return withChanges(after, {
    collection_method: collectionMethod,
    pause_collection: pause && { ...pause, resumes_at: pause.resumes_at ?? null },
    days_until_due: sendsInvoices ? newDaysUntilDue : null,
    default_payment_method,
    metadata: newMetadata,
    payment_settings: settings && withChanges(after.payment_settings, settings),
  })
}

/** Shortens the period to an end date within it; without one, restores the period's full length. */
function withPeriodEndingAt(subscription: Subscription, at: number | null): Subscription {
  const { start, end, step } = periodOf(subscription)
  const { trial_end: trialEnd, billing_cycle_anchor: anchor } = subscription
  const fullPeriodEnd = trialEnd && trialEnd > start ? trialEnd : periodEnd(anchor, step, start)
  return withPeriod(subscription, start, at === null ? Math.max(fullPeriodEnd, end) : Math.min(end, at))
}

/** Two years including a leap day, counted from the billing cycle anchor, not from today. */
const maxTrialSeconds = 731 * day

export function withTrial(subscription: Subscription, until: number, now: number): Subscription {
  if (until <= now) throw invalid('Invalid timestamp: must be an integer Unix timestamp in the future', 'trial_end')
  if (until > subscription.billing_cycle_anchor + maxTrialSeconds)
    throw invalid('Invalid timestamp: can be no more than two years after the billing cycle anchor', 'trial_end')
  return {
    ...withPeriod(subscription, now, until),
    status: 'trialing',
    trial_start: now,
    trial_end: until,
    billing_cycle_anchor: until,
  }
}
