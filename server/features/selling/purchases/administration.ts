import { eq } from 'drizzle-orm'
import { exactDollars } from '#contract/money.ts'
import { isLive } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { RunExclusive } from '#server/concurrency/keyed-mutex.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { purchases } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { AccessEffects } from './access-effects.ts'
import type { Booking, createBooked } from './booked.ts'
import { listPurchases, showToSeller, type Wanted } from './list.ts'
import type { Lookup } from './lookup.ts'

type Refund = { amount?: number | undefined; refundedSoFar: number }

const refundedOf = (payments: { refunded: number }[]) =>
  payments.reduce((sum, each) => sum + each.refunded, 0)

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  lookup: Lookup
  booked: ReturnType<typeof createBooked>
  sync: (subscriptionId: string) => Promise<void>
  runExclusive: RunExclusive
  access: AccessEffects
  audit: Pick<Audit, 'record'>
}

/** What the seller does with purchases. Every action goes into the audit log. */
export function createAdministration(deps: Dependencies) {
  const { db, now, stripe, lookup, booked, sync, runExclusive, access, audit } = deps

  const record = (
    tx: Transaction | Database,
    actor: Actor,
    action: 'add' | 'cancel' | 'delete' | 'refund',
    { id, userId }: { id: string; userId: string },
    detail = {},
  ) => audit.record(tx, actor, { action: `purchase.${action}`, subject: id, aboutId: userId, detail })

  async function endAtStripe(id: string) {
    const { stripeSubscriptionId, status } = await lookup.find(id)
    if (!stripeSubscriptionId || !isLive(status)) return
    await stripe.cancelNow(stripeSubscriptionId)
    await sync(stripeSubscriptionId)
  }

  return {
    list: (wanted: Wanted) => listPurchases(db, wanted, showToSeller),

    async add(actor: Actor, booking: Booking) {
      await db.transaction(async (tx) => {
        const added = await booked.book(tx, booking)
        // The reason stays with the purchase: it may name the buyer.
        const { reason: _, ...detail } = booking
        await record(tx, actor, 'add', added, detail)
      })
    },

    /** Immediate, unlike the buyer's own cancellation. */
    async cancel(actor: Actor, id: string) {
      const purchase = await lookup.find(id)
      const { status, stripeSubscriptionId } = purchase
      if (status === 'cancelled') return
      if (!isLive(status)) throw conflict('not-active', 'Only an active purchase can be cancelled')
      await endAtStripe(id)
      await db.transaction(async (tx) => {
        if (!stripeSubscriptionId)
          await tx
            .update(purchases)
            .set({ status: 'cancelled', endsAt: null, endedAt: now(), endedBecause: 'cancelled' })
            .where(eq(purchases.id, id))
        await access.purchaseEnded(tx, { purchaseId: id }, now())
        await access.purchasesChanged(tx, purchase.userId)
        await record(tx, actor, 'cancel', purchase)
      })
    },

    async remove(actor: Actor, id: string) {
      await endAtStripe(id)
      await db.transaction(async (tx) => {
        await access.purchaseEnded(tx, { purchaseId: id }, now())
        const [removed] = await tx.delete(purchases).where(eq(purchases.id, id)).returning()
        if (!removed) return
        await access.purchasesChanged(tx, removed.userId)
        const { bookedBecause: _, ...detail } = removed
        await record(tx, actor, 'delete', removed, detail)
      })
    },

    /** As Stripe has it now: our copy knows only the sum over all payments. */
    async refundable(id: string) {
      const { stripeSubscriptionId } = await lookup.find(id)
      const payments = stripeSubscriptionId ? (await stripe.subscription(stripeSubscriptionId)).payments : []
      const [latest] = payments
      return {
        left: latest ? latest.amount - latest.refunded : 0,
        paidAt: latest?.paidAt ?? null,
        refundedSoFar: refundedOf(payments),
      }
    },

    /**
     * Refunds the latest payment, or what's left of it. Callers say how much they saw as refunded, so asking twice,
     * at the same moment or in a retry, makes one refund.
     */
    async refund(actor: Actor, id: string, { amount: wanted, refundedSoFar }: Refund) {
      const purchase = await lookup.find(id)
      const { stripeSubscriptionId } = purchase
      if (!stripeSubscriptionId)
        throw conflict('booked-by-hand', 'This purchase was booked by hand, so there’s no payment to refund')
      await runExclusive(stripeSubscriptionId, async () => {
        const [latest] = (await stripe.subscription(stripeSubscriptionId)).payments
        if (!latest) throw conflict('nothing-to-refund', 'There’s no payment to refund')
        let amount = 0
        await stripe.refund(latest.paymentIntentId, async () => {
          const { payments } = await stripe.subscription(stripeSubscriptionId)
          const payment = payments.find(({ paymentIntentId }) => paymentIntentId === latest.paymentIntentId)
          const left = payment ? payment.amount - payment.refunded : 0
          if (left === 0) throw conflict('nothing-to-refund', 'This payment has already been refunded')
          const refunded = refundedOf(payments)
          if (refunded !== refundedSoFar)
            throw conflict(
              'changed-meanwhile',
              `${exactDollars(refunded)} of this purchase has been refunded by now. Please look again.`,
            )
          if (wanted !== undefined && wanted > left)
            throw conflict('too-much-to-refund', `Only ${exactDollars(left)} of this payment can be refunded`)
          amount = wanted ?? left
          return amount
        })
        await record(db, actor, 'refund', purchase, { amount })
        await sync(stripeSubscriptionId)
      })
    },
  }
}
