import { and, eq, gte, isNotNull, isNull, not, notInArray, sql, sum } from 'drizzle-orm'
import { hasEnded, type LeaveReason } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import {
  hasEndedPurchase,
  isLivePurchase,
  isNewOrder,
  orders as orderRows,
  payments,
  purchases,
  refunds,
} from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import { type Bookings, endOfBooking } from '../bookings/bookings.ts'
import type { Orders } from '../orders/orders.ts'
import { type AccessEffects, findPurchase, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'
import { type AmountDue, refundAll, unusedSince, wholePayment, withdrawable } from '../refunds/refunds.ts'
import type { Missing } from './missing.ts'
import { previewNotice, wasRenewedSince } from './notice-period.ts'
import type { Sync } from './sync.ts'

type CancellationDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'crashPoint' | 'config' | 'runExclusive'> & {
  orders: Pick<Orders, 'findBySubscription'>
  access: Pick<AccessEffects, 'purchasesChanged'>
  bookings: Pick<Bookings, 'cancel' | 'resume' | 'end'>
  missing: Pick<Missing, 'end'>
  sync: Sync
}
type EndPreview = { endsAt: Date | null; refund: number }

/** Amounts due but not refunded: paid too late, disputed (and possibly decided), or returned by the buyer's bank. */
export type Unrefunded = { late: number; disputed: number; lost: number; returned: number }

/** Start of a declaration's effect, and end of automatic refunds. */
type Declared = { from: Date; until: Date }

/** Cancellations and their undoing. Stripe is changed first; after a crash, its webhook corrects the row. */
export type Cancellation = {
  /** The buyer keeps access until the paid period ends; an unpaid subscription ends immediately. */
  cancel(actor: Actor, id: string): Promise<void>
  preview(userId: string, id: string): Promise<EndPreview>
  resume(actor: Actor, id: string): Promise<void>
  giveReason(actor: Actor, id: string, reason: LeaveReason, comment: string): Promise<void>
  /** Cancels for a buyer who asked the seller to. */
  forBuyer: {
    cancel(id: string): Promise<void>
    preview(id: string): Promise<EndPreview>
    resume(id: string): Promise<void>
  }
  /** Ends now and refunds renewals since the declaration. Returns what was not refunded; `refundAgain` retries the refund of an ended one. */
  cancelDeclared(id: string, declared: Declared, options: { refundAgain: boolean }): Promise<Unrefunded>
  /** Ends now and refunds days after the declaration that were paid before `until`. Returns the rest. Idempotent. */
  cancelForCause(id: string, declared: Declared): Promise<Unrefunded>
  /** Ends now and refunds payments before `until`. Returns what was not refunded. Idempotent. */
  withdraw(id: string, declared: Declared): Promise<Unrefunded>
  /** Ends all subscriptions before an account is deleted. Throws 409 while a payment is being processed. */
  endAllOf(userId: string): Promise<void>
}

export function createCancellation(deps: CancellationDeps): Cancellation {
  const { db, now, stripe, crashPoint, config, runExclusive, orders, bookings, sync } = deps
  const { consumerLaw } = config

  async function noticeOf(purchase: PurchaseRow) {
    if (consumerLaw !== 'eu' || !purchase.paidFrom) return null
    const isArriving = notInArray(refunds.status, ['failed', 'canceled'])
    const ofPayment = eq(refunds.paymentIntentId, payments.paymentIntentId)
    const refunded = db
      .select({ sum: sum(refunds.amount) })
      .from(refunds)
      .where(and(ofPayment, isArriving))
    const [paid] = await db
      .select({ amount: sql<number>`coalesce(sum(${payments.amount} - coalesce(${refunded}, 0)), 0)::int` })
      .from(payments)
      .where(and(eq(payments.purchaseId, purchase.id), gte(payments.paidAt, purchase.paidFrom)))
    return previewNotice(purchase, paid?.amount ?? 0, now())
  }

  async function cancel(id: string, userId?: string) {
    const { stripeSubscriptionId: subscriptionId } = await findPurchase(db, id, userId)
    if (!subscriptionId) return db.transaction((tx) => bookings.cancel(tx, id))
    await runExclusive(subscriptionId, async () => {
      const purchase = await findPurchase(db, id, userId)
      const { status } = purchase
      if (status === 'pending_cancel') return
      if (status !== 'active' && status !== 'past_due' && status !== 'paused')
        throw conflict('not-active', 'Only an active subscription can be cancelled')
      const notice = await noticeOf(purchase)
      const promised = notice && purchase.paidUntil ? { ...notice, until: purchase.paidUntil } : undefined
      const key = await keyFor(orders, promised ? 'notice' : 'cancel', subscriptionId)
      if (status === 'active') await stripe.subscriptions.cancel(subscriptionId, key, promised)
      else await stripe.subscriptions.cancelNow(subscriptionId)
      crashPoint('cancelled at Stripe')
      await sync(subscriptionId)
    })
  }

  async function resume(id: string, userId?: string) {
    const { stripeSubscriptionId: subscriptionId } = await findPurchase(db, id, userId)
    if (!subscriptionId) return db.transaction((tx) => bookings.resume(tx, id))
    await runExclusive(subscriptionId, async () => {
      const { status, endsAt } = await findPurchase(db, id, userId)
      if (status === 'active' && !endsAt) return
      if (status !== 'pending_cancel' && status !== 'active')
        throw conflict('subscription-ended', 'This subscription has ended. You can buy a new one any time.')
      await stripe.subscriptions.resume(subscriptionId, await keyFor(orders, 'resume', subscriptionId))
      crashPoint('resumed at Stripe')
      await sync(subscriptionId)
    })
  }

  async function preview(id: string, userId?: string) {
    const purchase = await findPurchase(db, id, userId)
    if (purchase.status !== 'active') return { endsAt: null, refund: 0 }
    if (!purchase.stripeSubscriptionId) return { endsAt: endOfBooking(purchase, now()), refund: 0 }
    return (await noticeOf(purchase)) ?? { endsAt: purchase.currentPeriodEnd, refund: 0 }
  }

  async function endAndRefund(
    { id, stripeSubscriptionId: subscriptionId }: PurchaseRow,
    amountDue: AmountDue,
    until: Date,
  ): Promise<Unrefunded> {
    if (!subscriptionId) {
      await db.transaction((tx) => bookings.end(tx, id))
      return nothing
    }
    return runExclusive(subscriptionId, async () => {
      await stripe.subscriptions.cancelNow(subscriptionId)
      crashPoint('withdrawn at Stripe')
      await refundAll(stripe, subscriptionId, (payment, answer) =>
        payment.paidAt <= until ? amountDue(payment, answer) : 0,
      )
      await sync(subscriptionId)
      return keptOf(await stripe.subscriptions.read(subscriptionId), amountDue)
    })
  }

  return {
    cancel: ({ user }, id) => cancel(id, user.id),

    preview: (userId, id) => preview(id, userId),

    resume: ({ user }, id) => resume(id, user.id),

    giveReason: (actor, id, reason, comment) => giveReason(deps, actor, id, { reason, comment }),

    forBuyer: {
      cancel: (id: string) => cancel(id),
      preview: (id: string) => preview(id),
      resume: (id: string) => resume(id),
    },

    async cancelDeclared(id, { from, until }, { refundAgain }) {
      const purchase = await findPurchase(db, id)
      if (refundAgain || (!hasEnded(purchase.status) && wasRenewedSince(from, purchase, consumerLaw)))
        return endAndRefund(
          purchase,
          wholePayment(({ paidAt }) => paidAt > from),
          until,
        )
      if (!hasEnded(purchase.status) && purchase.status !== 'pending_cancel') await cancel(id)
      return nothing
    },

    cancelForCause: async (id, { from, until }) => endAndRefund(await findPurchase(db, id), unusedSince(from), until),

    withdraw: async (id, { from, until }) =>
      endAndRefund(await findPurchase(db, id), (payment, answer) => withdrawable(answer, from)(payment), until),

    endAllOf: (userId) => endAllOf(deps, userId),
  }
}

/** Idempotency key made of the known state, so that the same request from two processes counts once. */
async function keyFor(orders: CancellationDeps['orders'], wish: string, subscriptionId: string) {
  const order = await orders.findBySubscription(subscriptionId)
  return `${wish}-${subscriptionId}-${order?.version ?? 0}`
}

const nothing: Unrefunded = { late: 0, disputed: 0, lost: 0, returned: 0 }

function keptOf(answer: Subscription, amountDue: AmountDue): Unrefunded {
  const unrefunded = { ...nothing }
  for (const payment of answer.payments) {
    const { dispute, refunded } = payment
    const isReturned = payment.refunds.some(({ status }) => status === 'failed')
    const why = { open: 'disputed', lost: 'lost', none: null, won: null } as const
    const remaining = Math.max(0, amountDue(payment, answer) - refunded)
    unrefunded[why[dispute] ?? (isReturned ? 'returned' : 'late')] += remaining
  }
  return unrefunded
}

/** Reasons are asked for after the cancellation, which never depends on an answer. */
async function giveReason(
  { db, stripe, sync }: CancellationDeps,
  { user }: Actor,
  id: string,
  { reason, comment }: { reason: LeaveReason; comment: string },
) {
  const { stripeSubscriptionId, status, endedBecause } = await findPurchase(db, id, user.id)
  if (status !== 'pending_cancel' && endedBecause !== 'cancelled' && endedBecause !== 'unpaid')
    throw conflict('not-active', 'This subscription isn’t cancelled')
  if (stripeSubscriptionId) {
    await stripe.subscriptions.giveReason(stripeSubscriptionId, reason, comment)
    await sync(stripeSubscriptionId)
  } else await updatePurchase(db, id, { leaveReason: reason, leaveComment: comment || null })
}

async function endAllOf({ db, stripe, access, bookings, missing, sync }: CancellationDeps, userId: string) {
  const open = await db
    .select({ id: orderRows.subscriptionId, paymentIntentId: orderRows.paymentIntentId })
    .from(orderRows)
    .where(and(eq(orderRows.userId, userId), isNewOrder, isNull(orderRows.closedAt)))
  for (const { paymentIntentId } of open)
    if (paymentIntentId && (await stripe.payments.hasPaid(paymentIntentId)))
      throw conflict('payment-pending', 'A payment is still being processed. Please try again in a minute.')
  const live = await db
    .select({ id: purchases.stripeSubscriptionId, purchaseId: purchases.id })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), not(hasEndedPurchase)))
  for (const { id } of [...live, ...open]) {
    if (!id) continue
    await stripe.subscriptions.cancelNow(id)
    // A charge may have happened since the last read.
    if (open.some((order) => order.id === id)) await refundAll(stripe, id)
    await sync(id)
  }
  // Subscriptions unknown to Stripe can't charge anyone.
  for (const { purchaseId } of live) await db.transaction((tx) => missing.end(tx, purchaseId))
  const words = await db
    .select({ id: purchases.stripeSubscriptionId })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), isNotNull(purchases.leaveComment)))
  for (const { id } of words) if (id) await stripe.subscriptions.forgetComment(id)
  const byHand = await db
    .select({ id: purchases.id })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), isLivePurchase, eq(purchases.paidThrough, 'hand')))
  for (const { id } of byHand) await db.transaction((tx) => bookings.end(tx, id))
  await db.transaction((tx) => access.purchasesChanged(tx, userId))
}
