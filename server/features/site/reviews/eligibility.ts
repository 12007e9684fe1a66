import { and, eq, exists, isNotNull, isNull, sql } from 'drizzle-orm'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { paidDaysToReview } from '#contract/site/reviews.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { purchases, users } from '#server/database/schema.ts'

/** A user who may write: paid through Stripe for long enough, with no money back. */
export const isEligible = (db: Database | Transaction, now: Date) =>
  and(
    isNull(users.deletedAt),
    exists(
      db
        .select({ one: sql`1` })
        .from(purchases)
        .where(
          and(
            eq(purchases.userId, users.id),
            eq(purchases.productId, reboundSigmaPro.id),
            isNotNull(purchases.stripeSubscriptionId),
            eq(purchases.refundedAmount, 0),
            eq(purchases.isDisputed, false),
            sql`coalesce(${purchases.endedAt}, ${now}) - ${purchases.createdAt} >= make_interval(days => ${paidDaysToReview})`,
          ),
        ),
    ),
  )

export async function mayWrite(db: Database | Transaction, userId: string, now: Date): Promise<boolean> {
  const [found] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isEligible(db, now)))
  return found !== undefined
}
