import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, usernameChanges } from '#server/database/schema.ts'

type Dependencies = { db: Database; deliver(tx: Transaction, userId: string): Promise<void> }

export function createPersonalData({ db, deliver }: Dependencies) {
  return {
    /** Nothing is wanted for a deleted person, so whoever delivered it takes it back. */
    async forget(tx: Transaction, userId: string) {
      await tx.delete(usernameChanges).where(eq(usernameChanges.userId, userId))
      await tx.delete(entitlements).where(eq(entitlements.userId, userId))
      await deliver(tx, userId)
    },

    async dataOf(userId: string) {
      const rows = await db
        .select({
          productId: entitlements.productId,
          until: entitlements.until,
          reason: entitlements.reason,
          tradingViewUsername: entitlements.username,
          checkedAt: entitlements.checkedAt,
          withheldSince: entitlements.withheldSince,
        })
        .from(entitlements)
        .where(eq(entitlements.userId, userId))
      const changes = await db
        .select({ from: usernameChanges.fromKey, to: usernameChanges.toKey, at: usernameChanges.at })
        .from(usernameChanges)
        .where(eq(usernameChanges.userId, userId))
      return { entitlements: rows, tradingViewUsernameChanges: changes }
    },
  }
}
