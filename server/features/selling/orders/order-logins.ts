import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { isNewOrder, orders } from '#server/database/schema.ts'

/** Login by payment: once, for the browser with the order's nonce, until the account is handed over. */
export type OrderLogins = {
  hasNonce(nonceHash: string): Promise<boolean>
  rotateNonce(tx: Transaction, oldHash: string, newHash: string): Promise<void>
  forfeit(nonceHash: string): Promise<void>
  /** A guest's payment is good for one login; false if it was already used. */
  use(tx: Transaction, id: string): Promise<boolean>
  /** Ends logins by earlier payments once the mailbox's owner has the account. Returns unpaid subscriptions. */
  end(tx: Transaction, account: { id: string; email: string }): Promise<string[]>
}

export function createOrderLogins({ db, now }: Pick<Context, 'db' | 'now'>): OrderLogins {
  return {
    hasNonce: async (nonceHash) => (await db.$count(orders, eq(orders.nonceHash, nonceHash))) > 0,

    async rotateNonce(tx, oldHash, newHash) {
      await tx.update(orders).set({ nonceHash: newHash }).where(eq(orders.nonceHash, oldHash))
    },

    async forfeit(nonceHash) {
      await db
        .update(orders)
        .set({ loginUsedAt: now() })
        .where(and(eq(orders.nonceHash, nonceHash), isNull(orders.loginUsedAt)))
    },

    async use(tx, id) {
      const used = await tx
        .update(orders)
        .set({ loginUsedAt: now() })
        .where(and(eq(orders.id, id), isNull(orders.loginUsedAt)))
      return used.rowCount === 1
    },

    async end(tx, { id, email }) {
      const before = await tx
        .update(orders)
        .set({ loginUsedAt: sql`coalesce(${orders.loginUsedAt}, ${now()})`, madeAccount: false })
        .where(
          and(
            isNewOrder,
            or(eq(orders.userId, id), and(isNull(orders.closedAt), isNull(orders.userId), eq(orders.email, email))),
          ),
        )
        .returning({ subscriptionId: orders.subscriptionId, closedAt: orders.closedAt })
      return before.filter(({ closedAt }) => !closedAt).map(({ subscriptionId }) => subscriptionId)
    },
  }
}
