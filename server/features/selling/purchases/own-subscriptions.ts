import { and, eq, isNull } from 'drizzle-orm'
import { isLive } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { RunExclusive } from '#server/concurrency/keyed-mutex.ts'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { checkouts as checkoutRows, purchases } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Checkouts } from '../checkout/checkout.ts'
import type { AccessEffects } from './access-effects.ts'
import { type createBooked, endOf } from './booked.ts'
import type { Lookup, PurchaseRow } from './lookup.ts'
import { addMonths } from './months.ts'
import { noticeFor } from './notice.ts'
import { payBackAll } from './pay-back.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  checkouts: Checkouts
  lookup: Lookup
  booked: ReturnType<typeof createBooked>
  sync: (subscriptionId: string) => Promise<void>
  runExclusive: RunExclusive
  access: Pick<AccessEffects, 'purchaseEnded'>
  consumerLaw: 'eu' | 'none'
  crashPoint: (name: string) => void
}

/** From when a declaration counts, and until when payments go back without a person's decision. */
type Declared = { from: Date; until: Date }

/** How buyers end their subscriptions, and undo that. */
export function createOwnSubscriptions(deps: Dependencies) {
  const { db, now, stripe, checkouts, lookup, booked, sync, runExclusive, access } = deps
  const { consumerLaw, crashPoint } = deps

  /** An idempotency key based on what we know now: the same request made twice, even in two processes, counts once. */
  async function keyFor(wish: string, subscriptionId: string) {
    const checkout = await checkouts.ofSubscription(subscriptionId)
    return `${wish}-${subscriptionId}-${checkout?.version ?? 0}`
  }

  const noticeOf = async (id: string) =>
    consumerLaw === 'eu' ? noticeFor(await lookup.find(id), now()) : null

  const setRestRefund = (id: string, restRefund: number | null) =>
    db.update(purchases).set({ restRefund }).where(eq(purchases.id, id))

  async function cancel(id: string, userId?: string) {
    const { stripeSubscriptionId: subscriptionId } = await lookup.find(id, userId)
    if (!subscriptionId) return booked.cancel(id)
    await runExclusive(subscriptionId, async () => {
      const { status } = await lookup.find(id, userId)
      if (status === 'pending_cancel') return
      if (status !== 'active' && status !== 'past_due')
        throw conflict('not-active', 'Only an active subscription can be cancelled')
      // Stripe first: if we crash before the sync, the webhook fixes the row.
      const notice = status === 'active' ? await noticeOf(id) : null
      if (status === 'past_due') await stripe.cancelNow(subscriptionId)
      else if (notice) {
        await setRestRefund(id, notice.refund)
        await stripe.cancelAt(subscriptionId, notice.endsAt, await keyFor('notice', subscriptionId))
      } else await stripe.cancelAtPeriodEnd(subscriptionId, await keyFor('cancel', subscriptionId))
      crashPoint('cancelled at Stripe')
      await sync(subscriptionId)
    })
  }

  async function endAndPayBack(purchase: PurchaseRow, isMeant: (paidAt: Date) => boolean) {
    const { id, stripeSubscriptionId: subscriptionId } = purchase
    if (!subscriptionId) {
      await booked.end(id)
      return 0
    }
    return runExclusive(subscriptionId, async () => {
      await stripe.cancelNow(subscriptionId)
      crashPoint('withdrawn at Stripe')
      await payBackAll(stripe, subscriptionId, ({ paidAt }) => isMeant(paidAt))
      await sync(subscriptionId)
      const { payments } = await stripe.subscription(subscriptionId)
      return payments.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0)
    })
  }

  return {
    /** The buyer keeps access until the paid period ends; an unpaid subscription ends immediately. */
    cancel: ({ user }: Actor, id: string) => cancel(id, user.id),

    /**
     * For an owner who declared it without logging in: see features/declarations. It counts from then: if it was renewed
     * while it waited, it ends now, and the renewals go back.
     */
    async cancelDeclared(id: string, declared: Declared) {
      const purchase = await lookup.find(id)
      if (!isLive(purchase.status)) return
      if (wasRenewedSince(declared.from, purchase, consumerLaw))
        await endAndPayBack(purchase, (paidAt) => paidAt > declared.from && paidAt <= declared.until)
      else if (purchase.status !== 'pending_cancel') await cancel(id)
    },

    /** What `cancel` would do now, to be shown before anyone confirms it. */
    async cancellation(userId: string, id: string) {
      const purchase = await lookup.find(id, userId)
      if (purchase.status !== 'active') return { endsAt: null, refund: 0 }
      if (!purchase.stripeSubscriptionId) return { endsAt: endOf(purchase, now()), refund: 0 }
      return (await noticeOf(id)) ?? { endsAt: purchase.currentPeriodEnd, refund: 0 }
    },

    /** Undoes a cancellation during the paid period. */
    async resume({ user }: Actor, id: string) {
      const { stripeSubscriptionId: subscriptionId } = await lookup.find(id, user.id)
      if (!subscriptionId) return booked.resume(id)
      await runExclusive(subscriptionId, async () => {
        const { status } = await lookup.find(id, user.id)
        if (status === 'active') return
        if (status !== 'pending_cancel')
          throw conflict('subscription-ended', 'This subscription has ended. You can buy a new one any time.')
        await stripe.resume(subscriptionId, await keyFor('resume', subscriptionId))
        crashPoint('resumed at Stripe')
        await setRestRefund(id, null)
        await sync(subscriptionId)
      })
    },

    /** It ends now, and what was paid before `until` goes back. Returns what was not refunded. Safe to repeat. */
    async withdraw(id: string, until: Date) {
      const purchase = await lookup.find(id)
      return endAndPayBack(purchase, (paidAt) => paidAt <= until)
    },

    /** Before an account is deleted: it must not be charged again. What is being paid for can't be ended fairly yet. */
    async endAllOf(userId: string) {
      const open = await db
        .select({ id: checkoutRows.subscriptionId, paymentIntentId: checkoutRows.paymentIntentId })
        .from(checkoutRows)
        .where(and(eq(checkoutRows.userId, userId), isNull(checkoutRows.closedAt)))
      for (const { paymentIntentId } of open)
        if (await stripe.hasPaid(paymentIntentId))
          throw conflict(
            'payment-pending',
            'A payment is still being processed. Please try again in a minute.',
          )
      const live = await db
        .select({ id: purchases.stripeSubscriptionId })
        .from(purchases)
        .where(and(eq(purchases.userId, userId), isLivePurchase))
      for (const { id } of [...live, ...open]) {
        if (!id) continue
        await stripe.cancelNow(id)
        // The card may have been charged since we asked.
        if (open.some((checkout) => checkout.id === id)) await payBackAll(stripe, id)
        await sync(id)
      }
      await db
        .update(purchases)
        .set({ status: 'cancelled', endedAt: now(), endedBecause: 'cancelled' })
        .where(and(eq(purchases.userId, userId), isLivePurchase, isNull(purchases.stripeSubscriptionId)))
      await access.purchaseEnded(db, { userId }, now())
    },
  }
}

/** A year that had renewed before runs on for a month instead, and its rest is paid back: see notice.ts. */
function wasRenewedSince(from: Date, purchase: PurchaseRow, consumerLaw: 'eu' | 'none') {
  const { billingType, createdAt, currentPeriodEnd, lastPaidAt, stripeSubscriptionId } = purchase
  if (!stripeSubscriptionId || !currentPeriodEnd || !lastPaidAt || lastPaidAt <= from) return false
  const isYearly = billingType === 'yearly'
  if (consumerLaw === 'eu' && isYearly && addMonths(createdAt, 12) <= from) return false
  return addMonths(currentPeriodEnd, isYearly ? -12 : -1) > from
}
