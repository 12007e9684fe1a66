import { and, inArray, lt, not, sql } from 'drizzle-orm'
import { keptSinceNewYear, retention } from '#contract/retention.ts'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { purchases } from '#server/database/schema.ts'

const batch = 1000

/**
 * Deletes what the books no longer need. The checkout that led to it, with what the buyer agreed to, then counts as one
 * without a purchase and is deleted like those; invoices are at Stripe.
 */
export function createForgetOld({ db, now }: { db: Database; now: () => Date }) {
  const endedAt = sql`coalesce(${purchases.endedAt}, ${purchases.createdAt})`
  return async function forgetOld() {
    for (;;) {
      const old = db
        .select({ id: purchases.id })
        .from(purchases)
        .where(and(not(isLivePurchase), lt(endedAt, keptSinceNewYear(now(), retention.books))))
        .limit(batch)
      const { rowCount } = await db.delete(purchases).where(inArray(purchases.id, old))
      if (!rowCount || rowCount < batch) return
    }
  }
}
