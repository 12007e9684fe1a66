import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { emailChanges, passwordTokens, users } from '#server/database/schema.ts'

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
          role: null,
          tradingViewUsername: null,
          deletedAt: now(),
        })
        .where(eq(users.id, userId))
      await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
      await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
    },

    async dataOf(userId: string) {
      const [account] = await db
        .select({
          id: users.id,
          email: users.email,
          name: users.name,
          isAdmin: users.isAdmin,
          role: users.role,
          tradingViewUsername: users.tradingViewUsername,
          createdAt: users.createdAt,
          verifiedAt: users.verifiedAt,
        })
        .from(users)
        .where(eq(users.id, userId))
      const changes = await db
        .select({
          from: emailChanges.oldEmail,
          to: emailChanges.newEmail,
          requestedAt: emailChanges.requestedAt,
          confirmedAt: emailChanges.confirmedAt,
        })
        .from(emailChanges)
        .where(eq(emailChanges.userId, userId))
      return { account, emailChanges: changes }
    },
  }
}
