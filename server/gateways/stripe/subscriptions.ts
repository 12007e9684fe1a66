import type { Stripe } from 'stripe'
import { type LeaveReason, leaveReasons } from '#contract/statuses.ts'
import { conflict } from '../../errors.ts'
import type { Invoicing } from './amounts.ts'
import { type Client, date, dateOrNull, idOf, isRefused } from './client.ts'
import type { History } from './history.ts'
import { type PlanAtStripe, readPlan } from './plan.ts'

const pauseReasons = {
  pause_requested: 'requested',
  system: 'system',
  trial_end_without_payment_method: 'trial',
  first_payment_failure: 'first failure',
  final_payment_failure: 'last failure',
} as const satisfies Record<string, string>
type PauseReason = (typeof pauseReasons)[keyof typeof pauseReasons]

export type Subscription = History & {
  id: string
  customerId: string
  status: Stripe.Subscription.Status
  plan: PlanAtStripe
  discounts: Discount[]
  /** Customer balance that reduces the next invoices. */
  credit: number
  anchor: Date
  periodStart: Date
  currentPeriodEnd: Date
  /** Time of a scheduled cancellation. */
  endsAt: Date | null
  endedAt: Date | null
  /** Given here or in Stripe's portal. */
  leaving: { reason: LeaveReason | null; comment: string | null }
  /** Refund promised for the rest of the term, if it ends earlier; see `cancel`. */
  promise: { unusedTermRefund: number; until: Date } | null
  /** End of a trial, which is how Stripe stores free time that the seller has given. */
  trialEndsAt: Date | null
  paused: { because: PauseReason; at: Date } | null
  /** Collection paused in Stripe's dashboard (`pause_collection`); access stays. */
  collectionPaused: { resumesAt: Date | null } | null
  /** In words. The card expires at the end of its last month. */
  card: string | null
  cardExpiresAt: Date | null
  /** Stripe refuses other changes until the schedule is released. */
  scheduleId: string | null
  /** Waits for its payment. Voiding the invoice drops the update. */
  pending: { invoiceId: string } | null
  /** Order of the latest plan switch. */
  switchId: string | null
  /** True if the shop collects tax but not for this subscription: its address is invalid, or tax is off for it. */
  taxIsOff: boolean
}

export type Discount = {
  couponId: string
  duration: Stripe.Coupon.Duration
  percentOff: number | null
  amountOff: number | null
  endsAt: Date | null
}

type HistoryOf = (subscription: string, customer: string) => Promise<History>

const willEnd = ({ cancel_at_period_end: atPeriodEnd, cancel_at: at }: Stripe.Subscription) =>
  atPeriodEnd || at !== null

export function subscriptionCalls(client: Client, historyOf: HistoryOf, { automaticTax }: Invoicing) {
  const { sdk, ask, orNothing, change, translate } = client

  return {
    async read(id: string): Promise<Subscription> {
      const expand = [
        'discounts.source.coupon',
        'customer.discount.source.coupon',
        'customer.invoice_settings.default_payment_method',
        'default_payment_method',
      ]
      const subscription = await ask(sdk.subscriptions.retrieve(id, { expand }))
      const { automatic_tax: tax, metadata, pause_collection: collectionPause } = subscription
      const customerId = idOf(subscription.customer) ?? ''
      const [item] = subscription.items.data
      if (!item) throw new Error(`Subscription ${id} has no item`)
      const periodEndIfCancelled = subscription.cancel_at_period_end ? item.current_period_end : null
      return {
        id: subscription.id,
        customerId,
        status: subscription.status,
        plan: readPlan(item, subscription.items.data),
        discounts: appliedDiscounts(subscription)
          .map((discount) => readDiscount(discount, item.current_period_start))
          .filter((discount) => discount !== null),
        credit: creditOf(subscription.customer),
        anchor: date(subscription.billing_cycle_anchor),
        periodStart: date(item.current_period_start),
        currentPeriodEnd: date(item.current_period_end),
        endsAt: dateOrNull(subscription.cancel_at ?? periodEndIfCancelled),
        endedAt: dateOrNull(subscription.ended_at),
        leaving: leavingOf(subscription),
        promise: promiseOf(metadata),
        trialEndsAt: dateOrNull(subscription.trial_end),
        paused: pauseOf(subscription),
        collectionPaused: collectionPause && { resumesAt: dateOrNull(collectionPause.resumes_at) },
        ...cardOf(subscription.default_payment_method ?? defaultCardOf(subscription.customer)),
        scheduleId: idOf(subscription.schedule),
        pending: subscription.pending_update && { invoiceId: idOf(subscription.latest_invoice) ?? '' },
        switchId: metadata.switch ?? null,
        taxIsOff: tax.disabled_reason !== null || (automaticTax && !tax.enabled),
        ...(await historyOf(subscription.id, customerId)),
      }
    },

    /** Replaces a scheduled end only by an earlier one. */
    async cancel(id: string, key: string, notice?: Notice) {
      const params = notice ? withPromise(notice) : { cancel_at_period_end: true }
      async function isDone() {
        const subscription = await ask(sdk.subscriptions.retrieve(id))
        const periodEnd = subscription.items.data[0]?.current_period_end ?? 0
        const wantedEnd = notice ? seconds(notice.endsAt) : periodEnd
        const end = subscription.cancel_at ?? (subscription.cancel_at_period_end ? periodEnd : null)
        return end !== null && end <= wantedEnd
      }
      await retryWithoutSchedule(client, id, () =>
        change(
          // With the same key, a repeated request after a lost answer does not move the date.
          key,
          (options) => sdk.subscriptions.update(id, params, options),
          isDone,
          isRefused,
        ),
      ).catch((error: unknown) => {
        throw translate(error)
      })
    },

    /** A cancellation from Stripe's portal only sets a date. */
    async resume(id: string, key: string) {
      const subscription = await ask(sdk.subscriptions.retrieve(id))
      if (!willEnd(subscription)) return
      const withoutEnd = subscription.cancel_at_period_end
        ? { cancel_at_period_end: false }
        : { cancel_at: '' as const }
      await change(
        key,
        (options) =>
          sdk.subscriptions.update(
            id,
            {
              ...withoutEnd,
              cancellation_details: { feedback: '', comment: '' },
              metadata: { rest_refund: '', rest_until: '' },
            },
            options,
          ),
        async () => !willEnd(await ask(sdk.subscriptions.retrieve(id))),
      )
    },

    /** Stripe accepts a reason even after the end. */
    async giveReason(id: string, feedback: LeaveReason, comment: string) {
      await ask(sdk.subscriptions.update(id, { cancellation_details: { feedback, comment } }))
    },

    async forgetComment(id: string) {
      await orNothing(sdk.subscriptions.update(id, { cancellation_details: { comment: '' } }))
    },

    /** Stripe gives free time as a trial. */
    async extend(id: string, until: Date, key: string) {
      const trial_end = seconds(until)
      await retryWithoutSchedule(client, id, () =>
        change(
          key,
          (options) => sdk.subscriptions.update(id, { trial_end, proration_behavior: 'none' }, options),
          async () => (await ask(sdk.subscriptions.retrieve(id))).trial_end === trial_end,
          isRefused,
        ),
      ).catch((error: unknown) => {
        // Shown to the seller in Stripe's own words.
        throw error instanceof Error && isRefused(error) ? conflict('extension-refused', error.message) : error
      })
    },

    turnTaxOn: (id: string) => turnTaxOn(client, id),

    async useCard(id: string, card: string) {
      await ask(sdk.subscriptions.update(id, { default_payment_method: card }))
    },

    /** Has no effect on an ended subscription. */
    async cancelNow(id: string) {
      await orNothing(sdk.subscriptions.cancel(id))
    },
  }
}

/** Stripe refuses to change the fields that a subscription schedule controls. */
async function retryWithoutSchedule({ sdk, ask, orNothing }: Client, id: string, request: () => Promise<unknown>) {
  try {
    await request()
  } catch (error) {
    if (!isRefused(error)) throw error
    const schedule = idOf((await ask(sdk.subscriptions.retrieve(id))).schedule)
    if (!schedule) throw error
    const options = { idempotencyKey: `release-${schedule}` }
    await orNothing(sdk.subscriptionSchedules.release(schedule, {}, options), isRefused)
    await request()
  }
}

/** Returns false if Stripe cannot determine the tax, because it knows no address. */
async function turnTaxOn({ sdk, ask, orNothing }: Client, id: string): Promise<boolean> {
  const { items } = await ask(sdk.subscriptions.retrieve(id))
  for (const { price } of items.data)
    if (price.tax_behavior === 'unspecified')
      await orNothing(sdk.prices.update(price.id, { tax_behavior: 'inclusive' }), isRefused)
  const updated = await orNothing(sdk.subscriptions.update(id, { automatic_tax: { enabled: true } }), isRefused)
  return updated !== undefined
}

export const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

type Notice = { endsAt: Date; refund: number; until: Date }

/** The promised refund is stored in the same request as the cancellation. */
const withPromise = ({ endsAt, refund, until }: Notice) => ({
  cancel_at: seconds(endsAt),
  proration_behavior: 'none' as const,
  metadata: { rest_refund: String(refund), rest_until: String(seconds(until)) },
})

function promiseOf({ rest_refund: refund, rest_until: until }: Stripe.Metadata): Subscription['promise'] {
  return refund && until ? { unusedTermRefund: Number(refund), until: date(Number(until)) } : null
}

/** Reasons that the shop does not know count as "other". */
function leavingOf({ cancellation_details: details }: Stripe.Subscription): Subscription['leaving'] {
  const feedback = details?.feedback
  const reason = feedback ? (leaveReasons.find((known) => known === feedback) ?? 'other') : null
  return { reason, comment: details?.comment ?? null }
}

/** Stripe applies the customer's discount only if the subscription has none. */
function appliedDiscounts({ discounts, customer }: Stripe.Subscription) {
  const customerDiscount = typeof customer === 'string' || customer.deleted ? null : customer.discount
  return discounts.length === 0 && customerDiscount ? [customerDiscount] : discounts
}

/** Null for a one-time discount from before the current period, which is used up. */
function readDiscount(discount: string | Stripe.Discount, periodStart: number): Discount | null {
  if (typeof discount === 'string') return null
  const { coupon } = discount.source
  if (!coupon || typeof coupon === 'string') return null
  if (coupon.duration === 'once' && discount.start <= periodStart) return null
  return {
    couponId: coupon.id,
    duration: coupon.duration,
    percentOff: coupon.percent_off,
    amountOff: coupon.amount_off,
    endsAt: dateOrNull(discount.end),
  }
}

const defaultCardOf = (customer: Stripe.Subscription['customer']) =>
  typeof customer === 'string' || customer.deleted ? null : customer.invoice_settings.default_payment_method

const brands: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

function cardOf(method: Stripe.Subscription['default_payment_method']) {
  const card = typeof method === 'object' ? method?.card : null
  return {
    cardExpiresAt: card ? new Date(Date.UTC(card.exp_year, card.exp_month)) : null,
    card: card ? `${brands[card.brand] ?? 'Card'} ending in ${card.last4}` : null,
  }
}

/** A customer's credit is a negative balance at Stripe. */
const creditOf = (customer: Stripe.Subscription['customer']) =>
  typeof customer === 'string' || customer.deleted ? 0 : -customer.balance

function pauseOf({ status, status_details: details, items }: Stripe.Subscription) {
  if (status !== 'paused') return null
  const type = details?.paused.subscription.type
  const because = Object.entries(pauseReasons).find(([name]) => name === type)?.[1]
  const at = details?.paused.transitioned_at ?? items.data[0]?.current_period_end ?? 0
  // A type that the shop does not know counts as paused by Stripe.
  return { because: because ?? ('system' as const), at: date(at) }
}
