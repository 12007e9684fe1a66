import { and, eq } from 'drizzle-orm'
import { catalogue } from '#contract/price-list.ts'
import { type BillingType, type BookableStatus, isLive } from '#contract/statuses.ts'
import type { Actor } from '../../actor.ts'
import type { RunExclusive } from '../../concurrency/keyed-mutex.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { isLivePurchase } from '../../database/live-purchase.ts'
import { purchases, users } from '../../database/schema.ts'
import { conflict, notFound } from '../../errors.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import { endAccess } from '../access-requests/access-requests.ts'
import type { Audit } from '../audit/audit.ts'
import { listPurchases, type Wanted } from './list.ts'
import type { Lookup } from './lookup.ts'

type NewPurchase = {
  userId: string
  productId: string
  billingType: BillingType
  amount: number
  status: BookableStatus
}

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  lookup: Lookup
  sync: (subscriptionId: string) => Promise<void>
  runExclusive: RunExclusive
  audit: Pick<Audit, 'record'>
}

/** What the seller does to purchases. Each action stands in the audit log. */
export function createAdministration(deps: Dependencies) {
  const { db, now, stripe, lookup, sync, runExclusive, audit } = deps

  const record = (tx: Transaction | Database, actor: Actor, action: string, subject: string, detail = {}) =>
    audit.record(tx, actor, { action: `purchase.${action}`, subject, detail })

  async function endAtStripe(id: string) {
    const { stripeSubscriptionId, status } = await lookup.find(id)
    if (!stripeSubscriptionId || !isLive(status)) return
    await stripe.cancelNow(stripeSubscriptionId)
    await sync(stripeSubscriptionId)
  }

  return {
    list: (wanted: Wanted) => listPurchases(db, wanted),

    async add(actor: Actor, wanted: NewPurchase) {
      const { userId, productId, status } = wanted
      if (!catalogue.some(({ id }) => id === productId)) throw notFound('Product')
      await db.transaction(async (tx) => {
        const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
        if (!user || user.deletedAt) throw notFound('User')
        const [live] = await tx
          .select({ id: purchases.id })
          .from(purchases)
          .where(and(eq(purchases.userId, userId), eq(purchases.productId, productId), isLivePurchase))
        if (live && status === 'active') throw conflict('This user already has an active subscription')
        await tx.insert(purchases).values({ ...wanted, createdAt: now() })
        await record(tx, actor, 'add', user.email, wanted)
      })
    },

    /** At once, unlike the buyer's own cancellation. */
    async cancel(actor: Actor, id: string) {
      const { status, stripeSubscriptionId } = await lookup.find(id)
      if (status === 'cancelled') return
      if (!isLive(status)) throw conflict('Only an active purchase can be cancelled')
      await endAtStripe(id)
      await db.transaction(async (tx) => {
        if (!stripeSubscriptionId)
          await tx
            .update(purchases)
            .set({ status: 'cancelled', endedAt: now(), endedBecause: 'cancelled' })
            .where(eq(purchases.id, id))
        await endAccess(tx, { purchaseId: id }, now())
        await record(tx, actor, 'cancel', id)
      })
    },

    async remove(actor: Actor, id: string) {
      await endAtStripe(id)
      await db.transaction(async (tx) => {
        await endAccess(tx, { purchaseId: id }, now())
        const [removed] = await tx.delete(purchases).where(eq(purchases.id, id)).returning()
        if (removed) await record(tx, actor, 'delete', id, removed)
      })
    },

    /** The latest payment, or the part of it that is left. Asked for twice at once, it is one refund. */
    async refund(actor: Actor, id: string, wanted: number | undefined) {
      const { stripeSubscriptionId } = await lookup.find(id)
      if (!stripeSubscriptionId)
        throw conflict('This purchase was booked by hand: there is no payment to refund')
      await runExclusive(stripeSubscriptionId, async () => {
        const [latest] = (await stripe.subscription(stripeSubscriptionId)).payments
        const left = latest ? latest.amount - latest.refunded : 0
        if (!latest || left === 0) throw conflict('This payment has already been refunded')
        const amount = wanted ?? left
        if (amount > left) throw conflict(`Only $${(left / 100).toFixed(2)} of this payment can be refunded`)
        await stripe.refund(latest.paymentIntentId, amount)
        await record(db, actor, 'refund', id, { amount })
        await sync(stripeSubscriptionId)
      })
    },
  }
}
