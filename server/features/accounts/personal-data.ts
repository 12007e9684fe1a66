import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { passwordTokens, users } from '../../database/schema.ts'

/** Replaces a deleted person's email address. */
export const deletedEmail = (userId: string) => `deleted-${userId}@deleted.invalid`

export function createPersonalData({ db, now }: { db: Database; now: () => Date }) {
  return {
    async forget(tx: Transaction, userId: string) {
      await tx
        .update(users)
        .set({
          email: deletedEmail(userId),
          name: 'Deleted user',
          passwordHash: null,
          isAdmin: false,
          tradingViewUsername: null,
          deletedAt: now(),
        })
        .where(eq(users.id, userId))
      await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
    },

    async dataOf(userId: string) {
      const [account] = await db
        .select({
          id: users.id,
          email: users.email,
          name: users.name,
          isAdmin: users.isAdmin,
          tradingViewUsername: users.tradingViewUsername,
          createdAt: users.createdAt,
          verifiedAt: users.verifiedAt,
        })
        .from(users)
        .where(eq(users.id, userId))
      return { account }
    },
  }
}
