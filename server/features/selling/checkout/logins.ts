import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { checkouts } from '#server/database/schema.ts'

/** Whom a payment logs in: the browser that holds its checkout's nonce, once, until the account is handed over. */
export function createLogins({ db, now }: { db: Database; now: () => Date }) {
  return {
    async hasNonce(nonceHash: string): Promise<boolean> {
      const [found] = await db
        .select({ id: checkouts.id })
        .from(checkouts)
        .where(eq(checkouts.nonceHash, nonceHash))
        .limit(1)
      return found !== undefined
    },

    /** A browser keeps its checkouts under a new nonce; the old nonce becomes worthless. */
    async rotateNonce(oldHash: string, newHash: string) {
      await db.update(checkouts).set({ nonceHash: newHash }).where(eq(checkouts.nonceHash, oldHash))
    },

    /** From now on, no payment logs in the holder of this nonce. */
    async forfeitLogins(nonceHash: string) {
      await db
        .update(checkouts)
        .set({ loginUsedAt: now() })
        .where(and(eq(checkouts.nonceHash, nonceHash), isNull(checkouts.loginUsedAt)))
    },

    /**
     * The account is now its mailbox owner's: no earlier payment logs in to it, and the Stripe customer and card that
     * came with one aren't the owner's. Returns what's still unpaid.
     */
    async handOver(tx: Transaction, { id, email }: { id: string; email: string }): Promise<string[]> {
      const before = await tx
        .update(checkouts)
        .set({ loginUsedAt: sql`coalesce(${checkouts.loginUsedAt}, ${now()})`, madeAccount: false })
        .where(
          or(
            eq(checkouts.userId, id),
            and(isNull(checkouts.closedAt), isNull(checkouts.userId), eq(checkouts.email, email)),
          ),
        )
        .returning({ subscriptionId: checkouts.subscriptionId, closedAt: checkouts.closedAt })
      return before.filter(({ closedAt }) => !closedAt).map(({ subscriptionId }) => subscriptionId)
    },

    /** A guest's payment is good for one login; false if it was already used. */
    async useLogin(id: string): Promise<boolean> {
      const used = await db
        .update(checkouts)
        .set({ loginUsedAt: now() })
        .where(and(eq(checkouts.id, id), isNull(checkouts.loginUsedAt)))
        .returning({ id: checkouts.id })
      return used.length > 0
    },
  }
}
