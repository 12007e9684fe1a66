import { eq, gte, sql } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { purchases } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import { findPurchase, type PurchaseRow, updatePurchase } from '../purchases/purchases.ts'
import { fullAmountIf, refundAll } from './refund-all.ts'
import { isRefundable } from './refundable.ts'

type SettlementDeps = Pick<Context, 'db' | 'stripe' | 'audit' | 'runExclusive'> & {
  sync(subscriptionId: string): Promise<void>
}

export type Settlements = {
  /**
   * Answers a fraud warning before it becomes a dispute. `refund` also ends the subscription and refunds every payment
   * since the reported one.
   */
  settleWarning(actor: Actor, id: string, decision: 'refund' | 'dismiss'): Promise<void>
  /** Records that the subscription continues although an earlier payment was charged back. */
  keepAfterLoss(actor: Actor, id: string, amount: number): Promise<void>
  /** Records that the seller paid failed refunds another way, because Stripe refunds only to the card. */
  settleRefunds(actor: Actor, id: string, amount: number): Promise<void>
}

export function createSettlements({ db, stripe, audit, runExclusive, sync }: SettlementDeps): Settlements {
  const auditSubject = ({ id, userId }: PurchaseRow) => ({ subject: id, aboutId: userId })

  return {
    async settleWarning(actor, id, decision) {
      const purchase = await findPurchase(db, id)
      const { warnedPaymentIntentId, stripeSubscriptionId: subscriptionId } = purchase
      if (!warnedPaymentIntentId || !subscriptionId) return
      if (decision === 'refund')
        await runExclusive(subscriptionId, async () => {
          const { payments } = await stripe.subscriptions.read(subscriptionId)
          const reported = payments.find(({ paymentIntentId }) => paymentIntentId === warnedPaymentIntentId)
          if (reported && reported.refunded < reported.amount && !isRefundable(reported))
            throw conflict('refund-refused', 'A bank decides about this payment by now, so it can’t be refunded.')
          const amountDue = fullAmountIf(({ paidAt }) => reported !== undefined && paidAt >= reported.paidAt)
          await refundAll(stripe, subscriptionId, amountDue)
          await stripe.subscriptions.cancelNow(subscriptionId)
          // A renewal may have been paid just before the end.
          await refundAll(stripe, subscriptionId, amountDue)
          await sync(subscriptionId)
        })
      await db.transaction(async (tx) => {
        const isSameWarning = eq(purchases.warnedPaymentIntentId, warnedPaymentIntentId)
        await updatePurchase(tx, id, { warnedPaymentIntentId: null }, isSameWarning)
        await audit.record(tx, actor, { action: 'purchase.warning', ...auditSubject(purchase), detail: { decision } })
      })
    },

    async keepAfterLoss(actor, id, amount) {
      await db.transaction(async (tx) => {
        const updated = await updatePurchase(tx, id, { lostAndKept: amount }, eq(purchases.lostAmount, amount))
        if (!updated) throw conflict('changed-meanwhile', 'This has changed meanwhile. Please look again.')
        const detail = { amount }
        await audit.record(tx, actor, { action: 'purchase.keep_after_loss', ...auditSubject(updated), detail })
      })
    },

    async settleRefunds(actor, id, amount) {
      await db.transaction(async (tx) => {
        const changes = {
          failedRefunds: sql`${purchases.failedRefunds} - ${amount}`,
          refundedElsewhere: sql`${purchases.refundedElsewhere} + ${amount}`,
          uncoveredNotes: sql`greatest(0, ${purchases.uncoveredNotes} - ${amount})`,
        }
        const updated = await updatePurchase(tx, id, changes, gte(purchases.failedRefunds, amount))
        if (!updated) throw conflict('changed-meanwhile', 'This has changed meanwhile. Please look again.')
        const detail = { amount }
        await audit.record(tx, actor, { action: 'purchase.refund_settled', ...auditSubject(updated), detail })
      })
    },
  }
}
