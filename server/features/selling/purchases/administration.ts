import { and, eq, gte, sql } from 'drizzle-orm'
import { exactDollars } from '#contract/money.ts'
import { hasEnded, isExtendable } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase, purchases } from '#server/database/schema.ts'
import { conflict, invalid } from '#server/errors.ts'
import { readPaidHistory } from '../invoices/invoices.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Booked, Booking } from './booked.ts'
import type { Ending } from './ending.ts'
import type { AccessEffects } from './entitlement.ts'
import { findPurchase, listPurchases, type PurchaseRow, showToSeller, type Wanted } from './list.ts'
import type { Missing } from './missing.ts'
import type { Notices } from './notices.ts'
import type { Refunds } from './payments.ts'
import { canGoBack, unusedShare } from './refundable.ts'
import { payBackAll, restOfPeriod, type Sync, whole } from './sync.ts'

type Others = {
  ledger: Ledger
  access: AccessEffects
  booked: Booked
  sellerEnding: SellerEnding
  notices: Notices
  sync: Sync
}

const day = 86_400_000
/** Stripe moves a payment by two years at most. */
const mostDays = 730

/** What the seller does with purchases. Every action goes into the audit log. */
export function createAdministration(context: Context, others: Others) {
  const { db, now, stripe, audit, runExclusive } = context
  const { ledger, access, booked, sellerEnding, notices, sync } = others

  const about = ({ id, userId }: PurchaseRow) => ({ subject: id, aboutId: userId })

  return {
    list: (wanted: Wanted) => listPurchases(db, wanted, now(), showToSeller),

    async add(actor: Actor, booking: Booking) {
      await db.transaction(async (tx) => {
        const added = await booked.book(tx, booking)
        // The reason stays with the purchase: it may name the buyer.
        const { reason: _, ...detail } = booking
        await audit.record(tx, actor, { action: 'purchase.add', ...about(added), detail })
      })
    },

    async remove(actor: Actor, id: string) {
      await sellerEnding.endAtStripe(await findPurchase(db, id))
      await db.transaction(async (tx) => {
        const [removed] = await tx.delete(purchases).where(eq(purchases.id, id)).returning()
        if (!removed) return
        await ledger.recordEnd(tx, removed, 'deleted')
        await access.purchasesChanged(tx, removed.userId)
        const { bookedBecause: _, ...detail } = removed
        await audit.record(tx, actor, { action: 'purchase.delete', ...about(removed), detail })
      })
    },

    /** A bank takes a payment for fraud: refunded in time, it never becomes a dispute. Or the seller knows better. */
    async settleWarning(actor: Actor, id: string, decision: 'refund' | 'dismiss') {
      const purchase = await findPurchase(db, id)
      const { warnedPaymentIntentId: warned, stripeSubscriptionId: subscriptionId } = purchase
      if (!warned || !subscriptionId) return
      if (decision === 'refund')
        await runExclusive(subscriptionId, async () => {
          const { payments } = await stripe.subscriptions.read(subscriptionId)
          const payment = payments.find(({ paymentIntentId }) => paymentIntentId === warned)
          if (payment && payment.refunded < payment.amount && !canGoBack(payment))
            throw conflict('refund-refused', 'A bank decides about this payment by now, so it can’t be refunded.')
          const isWarned = whole(({ paymentIntentId }) => paymentIntentId === warned)
          await payBackAll(stripe, subscriptionId, isWarned)
          await stripe.subscriptions.cancelNow(subscriptionId)
          await sync(subscriptionId)
        })
      await db.transaction(async (tx) => {
        await tx.update(purchases).set({ warnedPaymentIntentId: null }).where(eq(purchases.id, id))
        const detail = { decision }
        await audit.record(tx, actor, { action: 'purchase.warning', ...about(purchase), detail })
      })
    },

    /** The bank took back an earlier payment; the seller goes on with the buyer. */
    async keepAfterLoss(actor: Actor, id: string, amount: number) {
      await db.transaction(async (tx) => {
        const [kept] = await tx
          .update(purchases)
          .set({ lostAndKept: amount })
          .where(and(eq(purchases.id, id), eq(purchases.lostAmount, amount)))
          .returning()
        if (!kept) throw conflict('changed-meanwhile', 'This has changed meanwhile. Please look again.')
        await audit.record(tx, actor, { action: 'purchase.keep_after_loss', ...about(kept), detail: { amount } })
      })
    },

    /** Stripe can't send it anywhere but to the card: the seller has found another way. */
    async settleRefunds(actor: Actor, id: string, amount: number) {
      await db.transaction(async (tx) => {
        const [settled] = await tx
          .update(purchases)
          .set({
            failedRefunds: sql`${purchases.failedRefunds} - ${amount}`,
            refundedElsewhere: sql`${purchases.refundedElsewhere} + ${amount}`,
            uncoveredNotes: sql`greatest(0, ${purchases.uncoveredNotes} - ${amount})`,
          })
          .where(and(eq(purchases.id, id), gte(purchases.failedRefunds, amount)))
          .returning()
        if (!settled) throw conflict('changed-meanwhile', 'This has changed meanwhile. Please look again.')
        const detail = { amount }
        await audit.record(tx, actor, { action: 'purchase.refund_settled', ...about(settled), detail })
      })
    },

    /** Time as a gift: the next payment, or the end, moves to a later day. */
    async extend(actor: Actor, id: string, until: Date) {
      const purchase = await findPurchase(db, id)
      const { stripeSubscriptionId: subscriptionId } = purchase
      assertLater(until, purchase, now())
      if (subscriptionId)
        await runExclusive(subscriptionId, async () => {
          if (!isExtendable(await findPurchase(db, id)))
            throw conflict('not-active', 'Only an active subscription can be extended')
          await stripe.subscriptions.extend(subscriptionId, until, `extend-${subscriptionId}-${until.getTime()}`)
          await sync(subscriptionId)
        })
      await db.transaction(async (tx) => {
        if (!subscriptionId) await booked.extend(tx, id, until)
        const detail = { until: until.toISOString() }
        await audit.record(tx, actor, { action: 'purchase.extend', ...about(purchase), detail })
        await notices.tellExtended(tx, purchase, until)
      })
    },
  }
}

function assertLater(until: Date, { currentPeriodEnd, endsAt }: PurchaseRow, now: Date) {
  if (until <= (endsAt ?? currentPeriodEnd ?? now))
    throw invalid('until', 'Please choose a later day than the present one')
  if (until.getTime() > now.getTime() + mostDays * day) throw invalid('until', 'Two years from now at most')
}

type EndingRooms = { booked: Booked; ending: Ending; missing: Missing; sync: Sync; refunds: Refunds }
type SellerEnding = ReturnType<typeof createSellerEnding>

export function createSellerEnding(context: Context, { booked, ending, missing, sync, refunds }: EndingRooms) {
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
      await sync(subscriptionId)
      throw conflict('changed-meanwhile', `The rest is ${exactDollars(amount)} by now. Please look again.`)
    }
    await stripe.payments.refund(payment.paymentIntentId, decide, { purpose: restOfPeriod(subscriptionId) })
  }

  const record = (
    tx: Database | Transaction,
    actor: Actor,
    { id, userId }: PurchaseRow,
    detail: { when: string; amount?: number },
  ) => audit.record(tx, actor, { action: 'purchase.cancel', subject: id, aboutId: userId, detail })

  return {
    endAtStripe,

    async preview(id: string) {
      const purchase = await findPurchase(db, id)
      const { status, endsAt, restRefund, missingSince } = purchase
      if (missingSince) return { endsAt: null, refund: 0, rest: 0, isMissing: true }
      const later =
        status === 'pending_cancel' ? { endsAt, refund: restRefund ?? 0 } : await ending.forBuyer.preview(id)
      const unused = hasEnded(status) ? null : unusedShare(await readPaidHistory(db, purchase), now())
      return { ...later, rest: unused?.amount ?? 0, isMissing: false }
    },

    async cancel(actor: Actor, id: string, refund: number | undefined) {
      const purchase = await findPurchase(db, id)
      const { status, stripeSubscriptionId: subscriptionId } = purchase
      if (status === 'cancelled') return
      if (hasEnded(status)) throw conflict('not-active', 'Only an active purchase can be cancelled')
      if (refund && !subscriptionId)
        throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')
      if (refund && subscriptionId) await runExclusive(subscriptionId, () => payBackUnused(subscriptionId, refund))
      await endAtStripe(purchase)
      await db.transaction(async (tx) => {
        await booked.end(tx, id)
        await missing.end(tx, id)
        await record(tx, actor, purchase, { when: 'now', ...(refund && { amount: refund }) })
      })
    },

    /** Refunds the latest payment of a running purchase in full, which ends it; one booked by hand just ends. */
    async refundAndEnd(actor: Actor, userId: string, productId: string) {
      const [running] = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase))
      if (!running) return
      const { id, stripeSubscriptionId, refundedAmount } = running
      if (stripeSubscriptionId) await refunds.refund(actor, id, { refundedSoFar: refundedAmount })
      await this.cancel(actor, id, undefined)
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
