import { and, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../database/connect.ts'
import { purchases } from '../../database/schema.ts'

/** What gives access: also a cancelled one until its period ends, and an unpaid one while the card is asked again. */
export const liveStatuses = ['active', 'pending_cancel', 'past_due'] as const

export function createOwnership({ db }: { db: Database }) {
  return {
    async owns(userId: string, productId: string): Promise<boolean> {
      const owned = await db
        .select({ id: purchases.id })
        .from(purchases)
        .where(
          and(
            eq(purchases.userId, userId),
            eq(purchases.productId, productId),
            inArray(purchases.status, [...liveStatuses]),
          ),
        )
        .limit(1)
      return owned.length > 0
    },
  }
}
