import { dayMs } from '#contract/dates.ts'
import { addMonths } from '#contract/plans.ts'
import { priceAfterDiscount } from '#contract/selling/charges.ts'
import type { BillingType, EndReason } from '#contract/statuses.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import {
  isForgiven,
  latestPaidInvoice,
  latestPaidPeriod,
  orderedPeriod,
  outOfBandForLatestPeriod,
  paymentsOfLatestPeriod,
  presentPeriodStatus,
  refundedForUnusedTerm,
  refundForUnusedDays,
  reversalOf,
} from '../invoices/invoices.ts'
import { graceDays, graceEnd, type PurchaseRow } from '../purchases/purchases.ts'

/** Columns of a purchase that follow from its subscription at Stripe. */
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

function earliest(dates: (Date | null)[]): Date | null {
  const times = dates.filter((date) => date !== null).map((date) => date.getTime())
  return times.length > 0 ? new Date(Math.min(...times)) : null
}

/** The shop doesn't record a subscription without a first payment as a purchase. */
export const isUnpaidAttempt = ({ status }: Subscription) => status === 'incomplete' || status === 'incomplete_expired'

/** Reminder 1 follows the first failure, 2 the second half of the grace period, 3 the last try before its end. */
function dunningStepOf(invoice: Subscription['openInvoice']): 1 | 2 | 3 {
  if (!invoice) return 1
  if (invoice.status === 'uncollectible') return 3
  const graceEndMs = graceEnd(invoice.payableSince).getTime()
  const nextAttemptMs = invoice.nextAttemptAt?.getTime() ?? graceEndMs
  if (nextAttemptMs >= graceEndMs) return 3
  const isInSecondHalf = nextAttemptMs >= graceEndMs - (graceDays / 2) * dayMs
  return invoice.attempts > 1 && isInSecondHalf ? 2 : 1
}

const unpaidInvoiceStatuses = new Set(['open', 'uncollectible', 'void'])

/** A pause that Stripe begins after a failed payment doesn't end the grace period. */
export function isPastDue(subscription: Subscription) {
  const { status, paused } = subscription
  const periodStatus = presentPeriodStatus(subscription)
  if (periodStatus === 'not collected') return false
  if (status === 'past_due' || status === 'unpaid') return true
  // Stripe makes a subscription active again when its renewal is written off.
  if (status === 'active' && periodStatus === 'written off') return true
  return paused?.because === 'first failure' || paused?.because === 'last failure'
}

function discountedPriceAt({ plan, discounts }: Subscription, at: Date) {
  let price = plan.price
  for (const { endsAt, percentOff, amountOff } of discounts)
    if (!endsAt || endsAt > at) price = priceAfterDiscount(price, { percentOff, amountOff })
  return price
}

export const nextAmountOf = (subscription: Subscription) =>
  Math.max(0, discountedPriceAt(subscription, subscription.currentPeriodEnd) - subscription.credit)

function firstRenewalSince(time: Date, { plan, anchor }: Subscription) {
  // An interval of days or weeks has 0 months.
  const periodMonths = Math.max(plan.months, 1)
  // Counts months from the first day, so that a short month doesn't shift later renewals.
  let months = periodMonths
  while (addMonths(anchor, months) < time) months += periodMonths
  return addMonths(anchor, months)
}

const noLaterCharge = { laterAmount: null, laterAt: null }

/** `laterAmount` is the first charge that differs from the next one, because a discount has ended by then. */
function nextCharges(subscription: Subscription) {
  const { discounts, currentPeriodEnd } = subscription
  const nextAmount = nextAmountOf(subscription)
  const discountEnds = discounts.map(({ endsAt }) => endsAt)
  const laterDiscountEnd = earliest(discountEnds.filter((endsAt) => endsAt && endsAt > currentPeriodEnd))
  if (!laterDiscountEnd) return { nextAmount, ...noLaterCharge }

  const laterAt = firstRenewalSince(laterDiscountEnd, subscription)
  const laterAmount = discountedPriceAt(subscription, laterAt)
  const isSamePrice = laterAmount === discountedPriceAt(subscription, currentPeriodEnd)
  if (isSamePrice) return { nextAmount, ...noLaterCharge }
  return { nextAmount, laterAmount, laterAt }
}

/** Without a paid period, the times are those of Stripe's present period. */
function latestPaidState(subscription: Subscription) {
  const { payments, periodStart, currentPeriodEnd, trialEndsAt } = subscription
  const paidPeriod = latestPaidPeriod(subscription)
  const paidInvoice = latestPaidInvoice(subscription)
  const periodStatus = presentPeriodStatus(subscription)
  const isPeriodFree = periodStatus === 'forgiven' || periodStatus === 'not collected'
  return {
    lastPaidAt: paidInvoice?.paidAt ?? payments[0]?.paidAt ?? null,
    lastPaidAmount: paidInvoice?.amount ?? payments[0]?.amount ?? null,
    firstPaidAt: subscription.periods[0]?.paidAt ?? null,
    orderedAt: paidPeriod ? orderedPeriod(subscription, paidPeriod).paidAt : periodStart,
    paidFrom: paidPeriod?.start ?? periodStart,
    paidUntil: paidPeriod?.end ?? currentPeriodEnd,
    givenUntil: isPeriodFree ? currentPeriodEnd : trialEndsAt,
  }
}

/** Refunds for the period's unused part are not subtracted. */
function amountPaidForTerm(subscription: Subscription) {
  let amount = outOfBandForLatestPeriod(subscription)
  for (const payment of paymentsOfLatestPeriod(subscription))
    amount += payment.amount - payment.refunded + refundedForUnusedTerm(payment)
  return amount
}

/** Promised with a month's notice. Null without a promise, or if the subscription runs to the end of its period. */
function unusedTermRefundOf(subscription: Subscription): number | null {
  const { promise, endsAt, endedAt } = subscription
  const period = latestPaidPeriod(subscription)
  const end = endedAt ?? endsAt
  if (!promise || !period || !end) return null
  const isForThisPeriod = period.end.getTime() === promise.until.getTime()
  if (!isForThisPeriod) return null
  const term = { from: period.start, until: period.end, amount: amountPaidForTerm(subscription) }
  const refund = Math.min(promise.unusedTermRefund, refundForUnusedDays(term, end))
  return refund > 0 ? refund : null
}

function sumPayments({ payments }: Subscription) {
  const sums = { refundedAmount: 0, disputedAmount: 0, lostAmount: 0 }
  for (const { refunded, disputedAmount, lost } of payments) {
    sums.refundedAmount += refunded
    sums.disputedAmount += disputedAmount
    sums.lostAmount += lost?.amount ?? 0
  }
  return sums
}

/** Columns that are the same in every status, or empty until a status sets them. */
function commonColumns(subscription: Subscription, orderedPlan: BillingType) {
  const { plan, currentPeriodEnd, endsAt, endedAt, latestPeriodInvoice, payments, leaving } = subscription
  const hasDraft = !endedAt && latestPeriodInvoice?.status === 'draft'
  const isLeaving = endsAt !== null || endedAt !== null
  const pausedCollection = endedAt ? null : subscription.collectionPaused
  return {
    billingType: plan.billing ?? orderedPlan,
    otherInterval: plan.billing ? null : plan.every,
    price: plan.price,
    ...latestPaidState(subscription),
    nextAmount: null,
    ...noLaterCharge,
    dueAmount: null,
    currentPeriodEnd,
    ...sumPayments(subscription),
    isDisputed: payments.some(({ dispute }) => dispute === 'open'),
    disputeDueAt: earliest(payments.map(({ disputeDueAt }) => disputeDueAt)),
    disputedAt: earliest(payments.map(({ disputedAt }) => disputedAt)),
    taxIsOff: subscription.taxIsOff,
    draftSince: hasDraft ? latestPeriodInvoice.createdAt : null,
    card: subscription.card,
    cardExpiresAt: subscription.cardExpiresAt,
    unusedTermRefund: unusedTermRefundOf(subscription),
    leaveReason: isLeaving ? leaving.reason : null,
    leaveComment: isLeaving ? leaving.comment : null,
    endsAt: null,
    pastDueSince: null,
    dunningStep: 0,
    awaitsBank: false,
    cardRefusal: null,
    isCollectionPaused: pausedCollection !== null,
    collectionResumesAt: pausedCollection?.resumesAt ?? null,
    pausedAt: null,
    endedAt: null,
    endedBecause: null,
  }
}

/** Stripe pauses a trial that ended without a card; here it counts as ended, because nobody has paid. */
const wasTrial = ({ paused }: Subscription) => paused?.because === 'trial'

function endedColumns(subscription: Subscription) {
  const { endedAt, paused, currentPeriodEnd, latestPeriodInvoice } = subscription
  const isLatestPeriodUnpaid = unpaidInvoiceStatuses.has(latestPeriodInvoice?.status ?? '') && !isForgiven(subscription)
  const endedUnpaid = wasTrial(subscription) || isLatestPeriodUnpaid
  const endedBecause: EndReason = reversalOf(subscription) ?? (endedUnpaid ? 'unpaid' : 'cancelled')
  const status = endedBecause === 'unpaid' ? ('expired' as const) : ('cancelled' as const)
  return { status, card: null, endedAt: endedAt ?? paused?.at ?? currentPeriodEnd, endedBecause }
}

/** Stripe drafts a renewal an hour before it charges the card. Null unless a draft for the present period will be charged. */
function draftedAmount(subscription: Subscription) {
  const { latestPeriodInvoice: invoice, currentPeriodEnd } = subscription
  const willBeCharged = invoice?.status === 'draft' && invoice.isAutomatic && invoice.amountDue > 0
  const paidUntil = latestPaidPeriod(subscription)?.end
  const isPaid = paidUntil !== undefined && paidUntil >= currentPeriodEnd
  const isBeingBilled = presentPeriodStatus(subscription) === 'being billed'
  return willBeCharged && isBeingBilled && !isPaid ? invoice.amountDue : null
}

function pastDueColumns(subscription: Subscription) {
  const { openInvoice, latestPeriodInvoice, currentPeriodEnd, endsAt } = subscription
  const unpaidInvoice = openInvoice ?? latestPeriodInvoice
  const isWrittenOff = presentPeriodStatus(subscription) === 'written off'
  const writtenOffAt = isWrittenOff ? unpaidInvoice?.closedAt : null
  return {
    status: 'past_due' as const,
    dueAmount: unpaidInvoice?.amountDue ?? null,
    pastDueSince: writtenOffAt ?? unpaidInvoice?.payableSince ?? currentPeriodEnd,
    dunningStep: dunningStepOf(unpaidInvoice),
    awaitsBank: Boolean(unpaidInvoice?.confirmWith),
    cardRefusal: unpaidInvoice?.refusal ?? null,
    endsAt,
  }
}

/** Keeps `orderedPlan` if the shop has no plan of the subscription's interval. */
export function stateOf(subscription: Subscription, orderedPlan: BillingType): PurchaseState {
  const { status, currentPeriodEnd, endsAt, endedAt, paused } = subscription
  const common = commonColumns(subscription, orderedPlan)
  const hasEnded = endedAt !== null || status === 'canceled' || wasTrial(subscription)
  if (hasEnded) return { ...common, ...endedColumns(subscription) }

  if (paused && !isPastDue(subscription)) return { ...common, status: 'paused', pausedAt: paused.at, endsAt }

  const charges = subscription.collectionPaused ? noLaterCharge : nextCharges(subscription)
  if (isPastDue(subscription)) return { ...common, ...charges, ...pastDueColumns(subscription) }

  // With an end beyond the present period, the subscription renews until then and stays active.
  const endsWithPeriod = endsAt !== null && endsAt <= currentPeriodEnd
  if (endsWithPeriod) return { ...common, status: 'pending_cancel', endsAt }
  return { ...common, status: 'active', ...charges, dueAmount: draftedAmount(subscription), endsAt }
}
