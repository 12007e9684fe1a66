import { and, eq, sql } from 'drizzle-orm'
import { type BillingType, type EndReason, isLive, refusedPurchaseReasons } from '#contract/statuses.ts'
import type { Transaction } from '#server/database/connect.ts'
import { isOngoingPurchase, purchases } from '#server/database/schema.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import { arrOf, movementsOf } from '../ledger/ledger.ts'
import type { OrderRow } from '../orders/orders.ts'
import type { PurchaseRow } from '../purchases/purchases.ts'
import { failedRefundsOf, unrefundablePart } from '../refunds/refunds.ts'
import { unusedTermRefundDue } from './notice-period.ts'
import { stateOf } from './state.ts'

/** `movements` is null for a refused purchase, which never counts as revenue. */
export async function decideChanges(
  tx: Transaction,
  purchaseBefore: PurchaseRow,
  order: OrderRow,
  subscription: Subscription,
  now: Date,
) {
  const state = stateAfterSync(purchaseBefore, subscription, order.billingType)
  if (isRefused(purchaseBefore)) {
    // A refused purchase stays ended, so only its refunds and disputes may change.
    const changes = {
      refundedAmount: state.refundedAmount,
      isDisputed: state.isDisputed,
      disputedAmount: state.disputedAmount,
      lostAmount: state.lostAmount,
      disputeDueAt: state.disputeDueAt,
      failedRefunds: state.failedRefunds,
      uncoveredNotes: state.uncoveredNotes,
      arr: 0,
    }
    return { changes, movements: null, duplicateSince: null }
  }

  const hasResumed = !isLive(purchaseBefore.status) && isLive(state.status)
  const isDuplicate = hasResumed && (await hasOtherPurchase(tx, purchaseBefore.userId, order))
  // The buyer bought another one during the pause, so payments since then are refunded and never count.
  const duplicateSince = isDuplicate ? (purchaseBefore.pausedAt ?? purchaseBefore.endedAt) : null
  const end = duplicateSince ? { at: duplicateSince, cause: 'duplicate' as const } : endOf(state)
  const movements = movementsOf(subscription, end, now)
  const duplicateState = isDuplicate ? endedState('duplicate', now) : {}
  const changes = { ...state, arr: arrOf(movements), ...duplicateState }
  return { changes, movements, duplicateSince }
}

function stateAfterSync(purchaseBefore: PurchaseRow, subscription: Subscription, orderedPlan: BillingType) {
  const { refundedElsewhere } = purchaseBefore
  const failedRefunds = failedRefundsOf(subscription.payments)
  const state = stateOf(subscription, orderedPlan)
  // A refund that failed later doesn't change why access ended.
  const remainsRefunded = state.endedAt && failedRefunds > 0 && purchaseBefore.endedBecause === 'refunded'
  const refundedState = remainsRefunded ? { status: 'cancelled' as const, endedBecause: 'refunded' as const } : {}
  // Stripe keeps a promised refund after its cancellation was undone there; a later end must not revive it.
  const isPromiseCurrent = subscription.endsAt !== null || purchaseBefore.unusedTermRefund !== null
  const promisedState = {
    ...state,
    unusedTermRefund: isPromiseCurrent ? state.unusedTermRefund : null,
    ...refundedState,
  }
  const unrefundable = unrefundablePart(unusedTermRefundDue(promisedState), subscription)
  return {
    ...promisedState,
    missingSince: null,
    failedRefunds: Math.max(0, failedRefunds + unrefundable - refundedElsewhere),
    uncoveredNotes: Math.max(0, subscription.uncoveredNotes - refundedElsewhere),
  }
}

export const isRefused = ({ endedBecause }: PurchaseRow) =>
  refusedPurchaseReasons.some((reason) => reason === endedBecause)

export const endedState = (endedBecause: EndReason, endedAt: Date) => ({
  status: 'cancelled' as const,
  nextAmount: null,
  laterAmount: null,
  laterAt: null,
  endedAt,
  endedBecause,
})

export const endOf = ({ endedAt, endedBecause }: Pick<PurchaseRow, 'endedAt' | 'endedBecause'>) =>
  endedAt && { at: endedAt, cause: endedBecause ?? 'cancelled' }

export async function hasOtherPurchase(tx: Transaction, userId: string, { productId, subscriptionId }: OrderRow) {
  const isOtherPurchase = and(
    eq(purchases.userId, userId),
    eq(purchases.productId, productId),
    isOngoingPurchase,
    sql`${purchases.stripeSubscriptionId} is distinct from ${subscriptionId}`,
  )
  return (await tx.$count(purchases, isOtherPurchase)) > 0
}
