import { and, eq, gte, notInArray, sql, sum } from 'drizzle-orm'
import { hasEnded, type LeaveReason } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
import { payments, refunds } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { type Bookings, endOfBooking } from '../bookings/bookings.ts'
import { latestPaidPeriod, readPaidHistory } from '../invoices/invoices.ts'
import type { Orders } from '../orders/orders.ts'
import { findPurchase, isUnpaid, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'
import {
  type AmountDue,
  duePaidUntil,
  fullAmountIf,
  fullLatestPayment,
  refundAll,
  unusedSince,
  withdrawableSince,
} from '../refunds/refunds.ts'
import { type EndAllDeps, endAllOf } from './end-all.ts'
import { type DeclaredTimes, lastDayOf, previewNotice, wasRenewedSince } from './notice-period.ts'
import { endUnpaid } from './unpaid.ts'
import { nothingUnrefunded, type Unrefunded, unrefundedOf } from './unrefunded.ts'

type CancellationDeps = EndAllDeps &
  Pick<Context, 'now' | 'crashPoint' | 'config' | 'runExclusive'> & {
    orders: Pick<Orders, 'findBySubscription'>
    bookings: Pick<Bookings, 'cancel' | 'resume' | 'end'>
  }
type EndPreview = { endsAt: Date | null; refund: number }
/** Null for an immediate end. */
export type ExpectedEnd = string | null
type CancelOptions = { userId?: string; declared?: DeclaredTimes; expectedEnd?: ExpectedEnd | undefined }

/** Stripe is changed first, so after a crash its webhook corrects the row. */
export type Cancellation = {
  /**
   * The buyer keeps access until the paid period ends; an unpaid subscription ends immediately.
   * Throws 409 if it would end at another time than the preview said.
   */
  cancel(actor: Actor, id: string, expectedEnd?: ExpectedEnd): Promise<void>
  preview(userId: string, id: string): Promise<EndPreview>
  resume(actor: Actor, id: string): Promise<void>
  giveReason(actor: Actor, id: string, reason: LeaveReason, comment: string): Promise<void>
  /** For a buyer who asked the seller to cancel. */
  forBuyer: {
    cancel(id: string, expectedEnd?: ExpectedEnd): Promise<void>
    preview(id: string): Promise<EndPreview>
    resume(id: string): Promise<void>
  }
  /**
   * Cancels at the period's end, or with a month's notice from the declaration, but not before the requested day.
   * After a renewal since the declaration, or once the notice is over, ends now and refunds the time since. Idempotent.
   */
  cancelDeclared(id: string, declared: DeclaredTimes): Promise<Unrefunded>
  /** Ends now and refunds the days after the declaration. Idempotent. */
  cancelForCause(id: string, declared: DeclaredTimes): Promise<Unrefunded>
  /** Ends now and refunds the payments that the withdrawal covers. Idempotent. */
  withdraw(id: string, declared: DeclaredTimes): Promise<Unrefunded>
  /** Ends now and refunds the latest payment, also of a renewal at the same moment. Idempotent. */
  endAndRefundLatest(id: string): Promise<Unrefunded>
  /** Ends all subscriptions before an account is deleted. Throws 409 while a payment is being processed. */
  endAllOf(userId: string): Promise<void>
}

export function createCancellation(deps: CancellationDeps): Cancellation {
  const { db, now, stripe, crashPoint, config, runExclusive, orders, bookings, sync } = deps
  const { consumerLaw } = config

  /** Null if the law grants no cancellation with a month's notice, which counts from `declared` or from now. */
  async function noticeOf(purchase: PurchaseRow, declared?: DeclaredTimes) {
    const { id, paidFrom } = purchase
    if (consumerLaw !== 'eu' || !paidFrom) return null
    const times = declared ?? { declaredAt: now(), from: now() }
    return previewNotice(purchase, await sumPaidSince(db, paidFrom, id), times)
  }

  /**
   * Syncs first if the shop may not have heard of a renewal or its payment.
   * `beforeSync` was read before that, so a payment that it doesn't contain has arrived meanwhile.
   */
  async function findCurrent(id: string, userId?: string) {
    const purchase = await findPurchase(db, id, userId)
    const { status, currentPeriodEnd, stripeSubscriptionId: subscriptionId } = purchase
    const mayHaveRenewed = !hasEnded(status) && currentPeriodEnd !== null && currentPeriodEnd <= now()
    if (!subscriptionId || !(isUnpaid(purchase) || mayHaveRenewed)) return { purchase, beforeSync: null }
    const beforeSync = await stripe.subscriptions.read(subscriptionId)
    await sync(subscriptionId)
    return { purchase: await findPurchase(db, id, userId), beforeSync }
  }

  /** Throws 404 for someone else's purchase; without `userId`, the seller may cancel any. */
  async function cancel(id: string, { userId, declared, expectedEnd }: CancelOptions = {}) {
    const { stripeSubscriptionId: subscriptionId } = await findPurchase(db, id, userId)
    if (!subscriptionId) return db.transaction((tx) => bookings.cancel(tx, id))
    await runExclusive(subscriptionId, async () => {
      const { purchase, beforeSync } = await findCurrent(id, userId)
      if (hasEnded(purchase.status)) throw notCancellable()
      const notice = await noticeOf(purchase, declared)
      if (purchase.status === 'pending_cancel' && !endsEarlier(notice, purchase)) return
      if (expectedEnd !== undefined) assertEndsAt(expectedEnd, effectOf(purchase, notice))
      const promise = notice && purchase.paidUntil ? { ...notice, until: purchase.paidUntil } : undefined
      const key = await idempotencyKey(orders, promise ? 'notice' : 'cancel', subscriptionId)
      if (beforeSync && isUnpaid(purchase)) await endUnpaid(stripe, beforeSync)
      else await stripe.subscriptions.cancel(subscriptionId, key, promise)
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
      await stripe.subscriptions.resume(subscriptionId, await idempotencyKey(orders, 'resume', subscriptionId))
      crashPoint('resumed at Stripe')
      await sync(subscriptionId)
    })
  }

  async function preview(id: string, userId?: string) {
    const purchase = await findPurchase(db, id, userId)
    const { status, endsAt, unusedTermRefund } = purchase
    if (hasEnded(status)) throw notCancellable()
    if (status === 'pending_cancel') return { endsAt, refund: unusedTermRefund ?? 0 }
    if (!purchase.stripeSubscriptionId) return { endsAt: endOfBooking(purchase, now()), refund: 0 }
    return effectOf(purchase, await noticeOf(purchase))
  }

  /** Null if the declaration came in time for the present period. */
  async function endIfRenewed(purchase: PurchaseRow, declared: DeclaredTimes) {
    const lastDay = lastDayOf(declared)
    const paidPeriod = latestPaidPeriod(await readPaidHistory(db, purchase))
    if (!wasRenewedSince(lastDay, purchase, paidPeriod, consumerLaw)) return null
    const paymentsSince = fullAmountIf(({ paidAt }) => paidAt > lastDay)
    return endAndRefund(deps, purchase, paymentsSince, declared.until)
  }

  return {
    cancel: ({ user }, id, expectedEnd) => cancel(id, { userId: user.id, expectedEnd }),

    preview: (userId, id) => preview(id, userId),

    resume: ({ user }, id) => resume(id, user.id),

    giveReason: (actor, id, reason, comment) => giveReason(deps, actor, id, { reason, comment }),

    forBuyer: {
      cancel: (id, expectedEnd) => cancel(id, { expectedEnd }),
      preview: (id) => preview(id),
      resume: (id) => resume(id),
    },

    async cancelDeclared(id, declared) {
      const { purchase } = await findCurrent(id)
      const unrefunded = await endIfRenewed(purchase, declared)
      if (unrefunded) return unrefunded
      const notice = await noticeOf(purchase, declared)
      if (purchase.status === 'pending_cancel' && !endsEarlier(notice, purchase)) return nothingUnrefunded
      if (notice && notice.endsAt <= now())
        return endAndRefund(deps, purchase, unusedSince(notice.endsAt), declared.until)
      if (hasEnded(purchase.status)) return nothingUnrefunded
      await cancel(id, { declared })
      // A renewal may have been charged until Stripe knew of the cancellation.
      return (await endIfRenewed(await findPurchase(db, id), declared)) ?? nothingUnrefunded
    },

    cancelForCause: async (id, { from, until }) =>
      endAndRefund(deps, await findPurchase(db, id), unusedSince(from), until),

    withdraw: async (id, { from, until }) =>
      endAndRefund(deps, await findPurchase(db, id), withdrawableSince(from), until),

    async endAndRefundLatest(id) {
      const purchase = await findPurchase(db, id)
      // Refunds before the end, too: after an interruption, `sync` ends what was refunded, but nothing refunds what ended.
      if (purchase.stripeSubscriptionId)
        await refundAll(stripe, purchase.stripeSubscriptionId, fullLatestPayment, { forUnusedTerm: true }).catch(
          (error: unknown) => {
            const isRefundRefused = error instanceof Refusal && error.status === 409
            if (!isRefundRefused) throw error
          },
        )
      return endAndRefund(deps, purchase, fullLatestPayment)
    },

    endAllOf: (userId) => endAllOf(deps, userId),
  }
}

/** Payments after `until` are not refunded. */
async function endAndRefund(
  { db, stripe, crashPoint, runExclusive, bookings, sync }: CancellationDeps,
  { id, stripeSubscriptionId: subscriptionId }: PurchaseRow,
  amountDue: AmountDue,
  until?: Date,
): Promise<Unrefunded> {
  if (!subscriptionId) {
    await db.transaction((tx) => bookings.end(tx, id))
    return nothingUnrefunded
  }
  return runExclusive(subscriptionId, async () => {
    await stripe.subscriptions.cancelNow(subscriptionId)
    crashPoint('withdrawn at Stripe')
    // A refund that an earlier cancellation promised is a part of this one.
    const amountDueNow = until ? duePaidUntil(until, amountDue) : amountDue
    try {
      await refundAll(stripe, subscriptionId, amountDueNow, { forUnusedTerm: true })
    } finally {
      await sync(subscriptionId)
    }
    return unrefundedOf(await stripe.subscriptions.read(subscriptionId), amountDue)
  })
}

const notCancellable = () => conflict('not-active', 'Only an active subscription can be cancelled')

/** `notice` is null if the law grants none. */
function effectOf(purchase: PurchaseRow, notice: EndPreview | null): EndPreview {
  if (isUnpaid(purchase)) return { endsAt: null, refund: 0 }
  return notice ?? { endsAt: purchase.currentPeriodEnd, refund: 0 }
}

function assertEndsAt(expectedEnd: ExpectedEnd, { endsAt }: EndPreview) {
  if (expectedEnd !== (endsAt?.toISOString() ?? null))
    throw conflict('changed-meanwhile', 'The end of this subscription has changed meanwhile. Please look again.')
}

const endsEarlier = (notice: { endsAt: Date } | null, { endsAt }: PurchaseRow) =>
  notice !== null && endsAt !== null && notice.endsAt < endsAt

/** Payments for the purchase since `paidFrom`, without what was refunded of them. */
async function sumPaidSince(db: Database, paidFrom: Date, purchaseId: string) {
  const isArriving = notInArray(refunds.status, failedRefundStatuses)
  const isRefundOfPayment = eq(refunds.paymentIntentId, payments.paymentIntentId)
  const refundedOfPayment = db
    .select({ sum: sum(refunds.amount) })
    .from(refunds)
    .where(and(isRefundOfPayment, isArriving))
  const [paid] = await db
    .select({ amount: sql<number>`coalesce(sum(${payments.amount} - coalesce(${refundedOfPayment}, 0)), 0)::int` })
    .from(payments)
    .where(and(eq(payments.purchaseId, purchaseId), gte(payments.paidAt, paidFrom)))
  return paid?.amount ?? 0
}

/** Idempotency key with the order's version, so that the same request from two processes counts once. */
async function idempotencyKey(orders: CancellationDeps['orders'], action: string, subscriptionId: string) {
  const order = await orders.findBySubscription(subscriptionId)
  return `${action}-${subscriptionId}-${order?.version ?? 0}`
}

/** Throws 409 if the purchase isn't cancelled. */
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
