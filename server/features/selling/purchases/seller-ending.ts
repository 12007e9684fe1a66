import { exactDollars } from '#contract/money.ts'
import { hasEnded } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { conflict } from '#server/errors.ts'
import type { Booked } from './booked.ts'
import type { Ending } from './ending.ts'
import { findPurchase, type PurchaseRow } from './list.ts'
import { unusedShare } from './state.ts'
import { restOfPeriod, type Sync } from './sync.ts'

type Others = { booked: Booked; ending: Ending; sync: Sync }

export type SellerEnding = ReturnType<typeof createSellerEnding>

/** How the seller ends subscriptions, now or when they are paid until, and takes that back. */
export function createSellerEnding(context: Context, { booked, ending, sync }: Others) {
  const { db, now, stripe, audit, runExclusive } = context

  async function endAtStripe({ stripeSubscriptionId, status }: PurchaseRow) {
    if (!stripeSubscriptionId || hasEnded(status)) return
    // Whether a refund is still promised: the cancellation may have been taken back at Stripe a moment ago.
    await sync(stripeSubscriptionId)
    await stripe.subscriptions.cancelNow(stripeSubscriptionId)
    await sync(stripeSubscriptionId)
  }

  /** Before it ends: if the bank refuses, nothing has changed, and a second try refunds nothing twice. */
  async function payBackUnused(subscriptionId: string, wanted: number) {
    const unused = async () => unusedShare(await stripe.subscriptions.read(subscriptionId), now())
    const payment = await unused()
    if (!payment) throw conflict('nothing-to-refund', 'Nothing can be refunded for the rest of this period')
    const decide = async () => {
      const amount = (await unused())?.amount ?? 0
      if (amount === wanted) return amount
      throw conflict('changed-meanwhile', `The rest is ${exactDollars(amount)} by now. Please look again.`)
    }
    await stripe.payments.refund(payment.paymentIntentId, decide, {
      purpose: restOfPeriod(subscriptionId),
    })
  }

  const record = (
    tx: Database | Transaction,
    actor: Actor,
    { id, userId }: PurchaseRow,
    detail: { when: string; amount?: number },
  ) => audit.record(tx, actor, { action: 'purchase.cancel', subject: id, aboutId: userId, detail })

  return {
    endAtStripe,

    /** What the seller is shown before deciding. */
    async preview(id: string) {
      const { status, endsAt, restRefund, stripeSubscriptionId } = await findPurchase(db, id)
      const later =
        status === 'pending_cancel' ? { endsAt, refund: restRefund ?? 0 } : await ending.forBuyer.preview(id)
      const unused =
        stripeSubscriptionId && !hasEnded(status)
          ? unusedShare(await stripe.subscriptions.read(stripeSubscriptionId), now())
          : null
      return { ...later, rest: unused?.amount ?? 0 }
    },

    async cancel(actor: Actor, id: string, refund: number | undefined) {
      const purchase = await findPurchase(db, id)
      const { status, stripeSubscriptionId: subscriptionId } = purchase
      if (status === 'cancelled') return
      if (hasEnded(status)) throw conflict('not-active', 'Only an active purchase can be cancelled')
      if (refund && !subscriptionId)
        throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')
      if (refund && subscriptionId)
        await runExclusive(subscriptionId, () => payBackUnused(subscriptionId, refund))
      await endAtStripe(purchase)
      await db.transaction(async (tx) => {
        await booked.end(tx, id)
        await record(tx, actor, purchase, { when: 'now', ...(refund && { amount: refund }) })
      })
    },

    /** What the buyer's own cancellation does. One that is not paid for would end now: that is `cancel`'s. */
    async cancelAtPeriodEnd(actor: Actor, id: string) {
      const purchase = await findPurchase(db, id)
      if (purchase.status === 'pending_cancel') return
      if (purchase.status !== 'active')
        throw conflict('not-active', 'Only an active purchase can be cancelled at the end of its period')
      await ending.forBuyer.cancel(id)
      await record(db, actor, purchase, { when: 'period_end' })
    },

    async resume(actor: Actor, id: string) {
      const purchase = await findPurchase(db, id)
      await ending.forBuyer.resume(id)
      await audit.record(db, actor, { action: 'purchase.resume', subject: id, aboutId: purchase.userId })
    },
  }
}
