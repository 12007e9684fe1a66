import { and, desc, eq } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { purchases } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { listPurchases, prepareOwnPurchases, showToBuyer } from './list.ts'

export type PurchaseRow = typeof purchases.$inferSelect

export type Lookup = ReturnType<typeof createLookup>

/** Purchases as recorded in the books. */
export function createLookup({ db }: { db: Database }) {
  const firstPage = prepareOwnPurchases(db)

  /** With a user, finds only what's theirs: someone else's purchase doesn't exist. */
  async function find(id: string, userId?: string): Promise<PurchaseRow> {
    const [found] = await db
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, id), userId ? eq(purchases.userId, userId) : undefined))
    if (!found) throw notFound('Purchase')
    return found
  }

  return {
    find,

    /** The subscription behind a purchase; one booked by hand has none. */
    async findSubscription(id: string, userId: string, refusal: string): Promise<string> {
      const { stripeSubscriptionId } = await find(id, userId)
      if (!stripeSubscriptionId) throw conflict('booked-by-hand', refusal)
      return stripeSubscriptionId
    },

    list: (userId: string, page: { limit: number; cursor?: string | undefined }) =>
      page.cursor ? listPurchases(db, { ...page, userId }, showToBuyer) : firstPage(userId, page.limit),

    async ofPaymentIntent(userId: string, paymentIntentId: string): Promise<PurchaseRow | undefined> {
      const [found] = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.paymentIntentId, paymentIntentId), eq(purchases.userId, userId)))
      return found
    },

    /** The books stay; the seller's words about the person go. */
    async forget(tx: Transaction, userId: string) {
      await tx.update(purchases).set({ bookedBecause: null }).where(eq(purchases.userId, userId))
    },

    async dataOf(userId: string) {
      const owned = await db
        .select({
          id: purchases.id,
          productId: purchases.productId,
          billingType: purchases.billingType,
          amountInCents: purchases.amount,
          refundedInCents: purchases.refundedAmount,
          status: purchases.status,
          createdAt: purchases.createdAt,
          currentPeriodEnd: purchases.currentPeriodEnd,
          endsAt: purchases.endsAt,
          endedAt: purchases.endedAt,
          bookedByHandAs: purchases.bookedAs,
          bookedByHandBecause: purchases.bookedBecause,
        })
        .from(purchases)
        .where(eq(purchases.userId, userId))
        .orderBy(desc(purchases.createdAt))
      return { purchases: owned }
    },
  }
}
