import { addMonths } from '#contract/plans.ts'
import { priceAfterDiscount } from '#contract/selling/charges.ts'
import type { BillingType, EndReason } from '#contract/statuses.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import {
  latestPaidInvoice,
  latestPaidPeriod,
  orderedPeriod,
  paymentsOfLatestPeriod,
  presentPeriodStatus,
  refundedForUnusedTerm,
  refundForUnusedDays,
  reversalOf,
} from '../invoices/invoices.ts'
import { graceDays, graceEnd, type PurchaseRow } from '../purchases/purchases.ts'

export type PurchaseState = Omit<
  PurchaseRow,
  | 'id'
  | 'userId'
  | 'productId'
  | 'createdAt'
  | 'stripeSubscriptionId'
  | 'paidThrough'
  | 'isOngoing'
  | 'paymentIntentId'
  | 'bookedAs'
  | 'bookedBecause'
  | 'bookedUntil'
  | 'warnedPaymentIntentId'
  | 'failedRefunds'
  | 'refundedElsewhere'
  | 'uncoveredNotes'
  | 'missingSince'
  | 'formerAccount'
  | 'arr'
  | 'cardSavedAt'
  | 'lostAndKept'
>

const day = 86_400_000
const byTime = (a: Date, b: Date) => a.getTime() - b.getTime()

/** True for a subscription that was never paid, which is an attempt and not a purchase. */
export const isUnpaidAttempt = ({ status }: Subscription) => status === 'incomplete' || status === 'incomplete_expired'

/**
 * Stripe tries up to eight times; we remind the buyer three times: at the first failure (1), when the next try falls in
 * the second half of the grace period (2), and when there are no more tries before it ends (3).
 */
function dunningStep(invoice: Subscription['openInvoice']): 1 | 2 | 3 {
  if (!invoice) return 1
  if (invoice.status === 'uncollectible') return 3
  const end = graceEnd(invoice.payableSince).getTime()
  const next = invoice.nextAttemptAt?.getTime() ?? end
  if (next >= end) return 3
  const isSecondHalf = next >= end - (graceDays / 2) * day
  return invoice.attempts > 1 && isSecondHalf ? 2 : 1
}

/** If the last period's invoice is one of these, the subscription ended because its renewal wasn't paid. */
const unpaidInvoices = new Set(['open', 'uncollectible', 'void'])

/** The account may pause what could not be charged; that does not shorten the grace period. */
export function isPastDue(subscription: Subscription) {
  const { status, paused } = subscription
  const period = presentPeriodStatus(subscription)
  if (period === 'not collected') return false
  return (
    status === 'past_due' ||
    status === 'unpaid' ||
    // Stripe makes a subscription active again when its renewal is written off.
    (status === 'active' && period === 'written off') ||
    paused?.because === 'first failure' ||
    paused?.because === 'last failure'
  )
}

const priceAt = ({ plan, discounts }: Subscription, at: Date) =>
  discounts
    .filter(({ endsAt }) => !endsAt || endsAt > at)
    .reduce((left, { percentOff, amountOff }) => priceAfterDiscount(left, { percentOff, amountOff }), plan.price)

export const nextAmount = (subscription: Subscription) =>
  Math.max(0, priceAt(subscription, subscription.currentPeriodEnd) - subscription.credit)

/** Amounts of the next renewal, and of the first one after a discount ends. */
function nextCharges(subscription: Subscription) {
  const { plan, discounts, currentPeriodEnd: next, anchor } = subscription
  const amount = priceAt(subscription, next)
  const [ends] = discounts.flatMap(({ endsAt }) => (endsAt && endsAt > next ? endsAt : [])).toSorted(byTime)
  const step = Math.max(plan.months, 1)
  let laterAt = next
  // Counts months from the first day, so that a short month doesn't shift later ones.
  for (let months = step; ends && laterAt < ends; months += step) laterAt = latest(laterAt, addMonths(anchor, months))
  const laterAmount = priceAt(subscription, laterAt)
  return { nextAmount: nextAmount(subscription), ...(laterAmount === amount ? none : { laterAmount, laterAt }) }
}
const none = { laterAmount: null, laterAt: null }
const latest = (a: Date, b: Date) => (a > b ? a : b)

/** Latest paid period; without one, the period that Stripe names. */
function paidTime(subscription: Subscription) {
  const { payments, periodStart, currentPeriodEnd, trialEndsAt } = subscription
  const bought = latestPaidPeriod(subscription)
  const paid = latestPaidInvoice(subscription)
  const period = presentPeriodStatus(subscription)
  const isGiven = period === 'forgiven' || period === 'not collected'
  return {
    lastPaidAt: paid?.paidAt ?? payments[0]?.paidAt ?? null,
    lastPaidAmount: paid?.amount ?? payments[0]?.amount ?? null,
    orderedAt: bought ? orderedPeriod(subscription, bought).paidAt : periodStart,
    paidFrom: bought?.start ?? periodStart,
    paidUntil: bought?.end ?? currentPeriodEnd,
    givenUntil: isGiven ? currentPeriodEnd : trialEndsAt,
  }
}

/** Payments for the present period, less refunds. */
const keptForPeriod = (subscription: Subscription) =>
  paymentsOfLatestPeriod(subscription).reduce(
    (sum, payment) => sum + payment.amount - payment.refunded + refundedForUnusedTerm(payment),
    0,
  )

/** At most the promised amount; nothing if the period runs to its end or the cancellation was undone. */
function restRefund(subscription: Subscription): number | null {
  const { promise, endsAt, endedAt } = subscription
  const [period, end] = [latestPaidPeriod(subscription), endedAt ?? endsAt]
  if (!promise || !period || !end || period.end.getTime() !== promise.until.getTime()) return null
  const paid = { from: period.start, until: period.end, amount: keptForPeriod(subscription) }
  return Math.min(promise.refund, refundForUnusedDays(paid, end)) || null
}

/** Pure function of Stripe's answer. An unknown interval counts as the plan that was bought. */
export function stateOf(subscription: Subscription, bought: BillingType): PurchaseState {
  const { status, plan, currentPeriodEnd, endsAt, endedAt, dueInvoice, payments, paused, leaving } = subscription
  const owed = subscription.openInvoice ?? dueInvoice
  const hasDraft = !endedAt && dueInvoice?.status === 'draft'
  const common = {
    billingType: plan.billing ?? bought,
    otherInterval: plan.billing ? null : plan.every,
    price: plan.price,
    ...paidTime(subscription),
    nextAmount: null,
    ...none,
    dueAmount: null,
    currentPeriodEnd,
    refundedAmount: payments.reduce((sum, payment) => sum + payment.refunded, 0),
    isDisputed: payments.some(({ dispute }) => dispute === 'open'),
    disputedAmount: payments.reduce((sum, payment) => sum + payment.disputedAmount, 0),
    lostAmount: payments.reduce((sum, { lost }) => sum + (lost?.amount ?? 0), 0),
    disputeDueAt: payments.flatMap(({ disputeDueAt }) => disputeDueAt ?? []).toSorted(byTime)[0] ?? null,
    disputedAt: payments.flatMap(({ disputedAt }) => disputedAt ?? []).toSorted(byTime)[0] ?? null,
    taxIsOff: subscription.taxIsOff,
    draftSince: hasDraft ? dueInvoice.createdAt : null,
    card: subscription.card,
    cardExpiresAt: subscription.cardExpiresAt,
    restRefund: restRefund(subscription),
    leaveReason: endsAt || endedAt ? leaving.reason : null,
    leaveComment: endsAt || endedAt ? leaving.comment : null,
    endsAt: null,
    pastDueSince: null,
    dunningStep: 0,
    awaitsBank: false,
    cardRefusal: null,
    isCollectionPaused: subscription.collectionPaused !== null && !endedAt,
    collectionResumesAt: endedAt ? null : (subscription.collectionPaused?.resumesAt ?? null),
    pausedAt: null,
    endedAt: null,
    endedBecause: null,
  }
  // Stripe keeps a trial that ended without a card, although nobody has paid.
  const wasTrial = paused?.because === 'trial'
  if (endedAt || status === 'canceled' || wasTrial) {
    const isUnpaid =
      wasTrial || (unpaidInvoices.has(dueInvoice?.status ?? '') && presentPeriodStatus(subscription) !== 'forgiven')
    const endedBecause: EndReason = reversalOf(subscription) ?? (isUnpaid ? 'unpaid' : 'cancelled')
    const ended = { ...common, card: null, endedAt: endedAt ?? paused?.at ?? currentPeriodEnd, endedBecause }
    return { ...ended, status: endedBecause === 'unpaid' ? 'expired' : 'cancelled' }
  }
  if (paused && !isPastDue(subscription)) return { ...common, status: 'paused', pausedAt: paused.at, endsAt }
  const isWrittenOff = presentPeriodStatus(subscription) === 'written off'
  const next = subscription.collectionPaused ? none : nextCharges(subscription)
  if (isPastDue(subscription))
    return {
      ...common,
      status: 'past_due',
      ...next,
      dueAmount: owed?.amountDue ?? null,
      pastDueSince: (isWrittenOff ? owed?.closedAt : null) ?? owed?.payableSince ?? currentPeriodEnd,
      dunningStep: dunningStep(owed),
      awaitsBank: Boolean(owed?.confirmWith),
      cardRefusal: owed?.refusal ?? null,
      endsAt,
    }
  // An end beyond this period: the subscription renews until then.
  return endsAt && endsAt <= currentPeriodEnd
    ? { ...common, status: 'pending_cancel', endsAt }
    : { ...common, status: 'active', ...next, endsAt }
}
