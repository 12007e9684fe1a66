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
  /** Billing cycle anchor of renewals. */
  anchor: Date
  periodStart: Date
  currentPeriodEnd: Date
  /** Time of a scheduled cancellation. */
  endsAt: Date | null
  endedAt: Date | null
  /** Buyer's reason for cancelling, given here or in Stripe's portal. */
  leaving: { reason: LeaveReason | null; comment: string | null }
  /** Refund promised for the rest of the term, if it ends earlier; see `cancel`. */
  promise: { refund: number; until: Date } | null
  /** End of free time: the seller moved the next payment to it. */
  trialEndsAt: Date | null
  paused: { because: PauseReason; at: Date } | null
  /** Collection paused in Stripe's dashboard (`pause_collection`); access stays. */
  collectionPaused: { resumesAt: Date | null } | null
  /** Card to be charged, in words, and its expiry: the end of its last month. */
  card: string | null
  cardExpiresAt: Date | null
  /** Subscription schedule, if any; Stripe refuses other changes until it is released. */
  scheduleId: string | null
  /** Pending update that waits for its payment; voiding the invoice drops it. */
  pending: { invoiceId: string } | null
  /** Order of the latest plan switch. */
  switchId: string | null
  /** Charged without tax although the shop collects it: Stripe has no valid address, or tax is off for it. */
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

/** A subscription from its first payment to its end. */
export function subscriptionCalls(
  { sdk, ask, orNothing, change, translate }: Client,
  historyOf: HistoryOf,
  { automaticTax }: Invoicing,
) {
  const releasingSchedule = scheduleReleaser({ sdk, ask, orNothing })

  return {
    async read(id: string): Promise<Subscription> {
      const expand = [
        'discounts.source.coupon',
        'customer.discount.source.coupon',
        'customer.invoice_settings.default_payment_method',
        'default_payment_method',
      ]
      const found = await ask(sdk.subscriptions.retrieve(id, { expand }))
      const customerId = idOf(found.customer) ?? ''
      const [item] = found.items.data
      if (!item) throw new Error(`Subscription ${id} has no item`)
      return {
        id: found.id,
        customerId,
        status: found.status,
        plan: readPlan(item, found.items.data),
        discounts: discountsOf(found).flatMap((each) => discountOf(each, item.current_period_start)),
        credit: creditOf(found.customer),
        anchor: date(found.billing_cycle_anchor),
        periodStart: date(item.current_period_start),
        currentPeriodEnd: date(item.current_period_end),
        endsAt: dateOrNull(found.cancel_at ?? (found.cancel_at_period_end ? item.current_period_end : null)),
        endedAt: dateOrNull(found.ended_at),
        leaving: leavingOf(found),
        promise: promiseOf(found.metadata),
        trialEndsAt: dateOrNull(found.trial_end),
        paused: pauseOf(found),
        collectionPaused: found.pause_collection && { resumesAt: dateOrNull(found.pause_collection.resumes_at) },
        ...cardOf(found.default_payment_method ?? defaultCardOf(found.customer)),
        scheduleId: idOf(found.schedule),
        pending: found.pending_update && { invoiceId: idOf(found.latest_invoice) ?? '' },
        switchId: found.metadata.switch ?? null,
        taxIsOff: found.automatic_tax.disabled_reason !== null || (automaticTax && !found.automatic_tax.enabled),
        ...(await historyOf(found.id, customerId)),
      }
    },

    /** At the end of the period, or as the notice says. The key makes parallel requests one: see `subscriptions/cancellation.ts`. */
    async cancel(id: string, key: string, notice?: Notice) {
      const params = notice ? withPromise(notice) : { cancel_at_period_end: true }
      await releasingSchedule(id, () =>
        change(
          // Keeps an existing date: a repeated request after a lost answer must not move it.
          key,
          (options) => sdk.subscriptions.update(id, params, options),
          async () => willEnd(await ask(sdk.subscriptions.retrieve(id))),
          isRefused,
        ),
      ).catch((error: unknown) => {
        throw translate(error)
      })
    },

    /** Undoes a cancellation, even one from Stripe's portal, which only sets a date. */
    async resume(id: string, key: string) {
      const found = await ask(sdk.subscriptions.retrieve(id))
      if (!willEnd(found)) return
      await change(
        key,
        (options) =>
          sdk.subscriptions.update(
            id,
            {
              ...(found.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' }),
              cancellation_details: { feedback: '', comment: '' },
              metadata: { rest_refund: '', rest_until: '' },
            },
            options,
          ),
        async () => !willEnd(await ask(sdk.subscriptions.retrieve(id))),
      )
    },

    /** Stripe accepts it after the end, too. */
    async giveReason(id: string, feedback: LeaveReason, comment: string) {
      await ask(sdk.subscriptions.update(id, { cancellation_details: { feedback, comment } }))
    },

    async forgetComment(id: string) {
      await orNothing(sdk.subscriptions.update(id, { cancellation_details: { comment: '' } }))
    },

    /** Moves the next payment: a trial until then, which is how Stripe gives time away. */
    async extend(id: string, until: Date, key: string) {
      const trial_end = seconds(until)
      await releasingSchedule(id, () =>
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

    turnTaxOn: taxTurner({ sdk, ask, orNothing }),

    async useCard(id: string, card: string) {
      await ask(sdk.subscriptions.update(id, { default_payment_method: card }))
    },

    /** Ends it immediately. Cancelling twice changes nothing. */
    async cancelNow(id: string) {
      await orNothing(sdk.subscriptions.cancel(id))
    },
  }
}

/** Stripe refuses changes to what a schedule manages. Released, the subscription stays as it is now. */
const scheduleReleaser =
  ({ sdk, ask, orNothing }: Pick<Client, 'sdk' | 'ask' | 'orNothing'>) =>
  async (id: string, request: () => Promise<unknown>) => {
    try {
      await request()
    } catch (error) {
      const schedule = isRefused(error) ? idOf((await ask(sdk.subscriptions.retrieve(id))).schedule) : null
      if (!schedule) throw error
      const options = { idempotencyKey: `release-${schedule}` }
      await orNothing(sdk.subscriptionSchedules.release(schedule, {}, options), isRefused)
      await request()
    }
  }

/** Turns tax on from the next invoice. Returns false if Stripe cannot determine the tax: the address is unknown. */
const taxTurner =
  ({ sdk, ask, orNothing }: Pick<Client, 'sdk' | 'ask' | 'orNothing'>) =>
  async (id: string): Promise<boolean> => {
    const { items } = await ask(sdk.subscriptions.retrieve(id))
    for (const { price } of items.data)
      if (price.tax_behavior === 'unspecified')
        await orNothing(sdk.prices.update(price.id, { tax_behavior: 'inclusive' }), isRefused)
    return Boolean(await orNothing(sdk.subscriptions.update(id, { automatic_tax: { enabled: true } }), isRefused))
  }

export const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

type Notice = { endsAt: Date; refund: number; until: Date }

/** Cancels on a day within a paid period and stores the promised refund in the same request. */
const withPromise = ({ endsAt, refund, until }: Notice) => ({
  cancel_at: seconds(endsAt),
  proration_behavior: 'none' as const,
  metadata: { rest_refund: String(refund), rest_until: String(seconds(until)) },
})

function promiseOf({ rest_refund: refund, rest_until: until }: Stripe.Metadata): Subscription['promise'] {
  return refund && until ? { refund: Number(refund), until: date(Number(until)) } : null
}

/** Unknown values count as "other". */
function leavingOf({ cancellation_details: details }: Stripe.Subscription): Subscription['leaving'] {
  const feedback = details?.feedback
  const reason = feedback ? (leaveReasons.find((known) => known === feedback) ?? 'other') : null
  return { reason, comment: details?.comment ?? null }
}

/** Falls back to the customer's discount. */
function discountsOf({ discounts, customer }: Stripe.Subscription) {
  const own = typeof customer === 'string' || customer.deleted ? null : customer.discount
  return discounts.length === 0 && own ? [own] : discounts
}

/** A one-time discount is used up if it existed when the current period began. */
function discountOf(discount: string | Stripe.Discount, periodStart: number) {
  const coupon = typeof discount === 'object' ? discount.source.coupon : null
  if (typeof discount === 'string' || !coupon || typeof coupon === 'string') return []
  if (coupon.duration === 'once' && discount.start <= periodStart) return []
  return {
    couponId: coupon.id,
    duration: coupon.duration,
    percentOff: coupon.percent_off,
    amountOff: coupon.amount_off,
    endsAt: dateOrNull(discount.end),
  }
}

/** Payment method of a subscription without its own: the customer's default. */
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
  // Unknown values count as a decision by a person.
  return { because: because ?? ('system' as const), at: date(at) }
}
