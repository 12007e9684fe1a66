import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { isForNewSubscription, orders } from '#server/database/schema.ts'

/**
 * A guest's login by having paid. It works once per order, only in the browser that has the order's nonce, and only until
 * the account is handed over to the owner of the email address.
 */
export type OrderLogins = {
  hasNonce(nonceHash: string): Promise<boolean>
  rotateNonce(tx: Transaction, oldHash: string, newHash: string): Promise<void>
  /** Marks the logins of a browser's orders as used. */
  forfeitAll(nonceHash: string): Promise<void>
  /** Marks the order's login as used. Returns false if it already was. */
  useOnce(tx: Transaction, orderId: string): Promise<boolean>
  /** Ends the logins of an account's orders at its handover. Returns the ids of their unpaid subscriptions. */
  endForAccount(tx: Transaction, account: { id: string; email: string }): Promise<string[]>
}

export function createOrderLogins({ db, now }: Pick<Context, 'db' | 'now'>): OrderLogins {
  return {
    hasNonce: async (nonceHash) => (await db.$count(orders, eq(orders.nonceHash, nonceHash))) > 0,

    async rotateNonce(tx, oldHash, newHash) {
      await tx.update(orders).set({ nonceHash: newHash }).where(eq(orders.nonceHash, oldHash))
    },

    async forfeitAll(nonceHash) {
      await db
        .update(orders)
        .set({ loginUsedAt: now() })
        .where(and(eq(orders.nonceHash, nonceHash), isNull(orders.loginUsedAt)))
    },

    async useOnce(tx, orderId) {
      const { rowCount } = await tx
        .update(orders)
        .set({ loginUsedAt: now() })
        .where(and(eq(orders.id, orderId), isNull(orders.loginUsedAt)))
      return rowCount === 1
    },

    async endForAccount(tx, { id: userId, email }) {
      const isOrderOfAccount = eq(orders.userId, userId)
      const isOpenGuestOrder = and(isNull(orders.closedAt), isNull(orders.userId), eq(orders.email, email))
      const endedOrders = await tx
        .update(orders)
        .set({ loginUsedAt: sql`coalesce(${orders.loginUsedAt}, ${now()})`, madeAccount: false })
        .where(and(isForNewSubscription, or(isOrderOfAccount, isOpenGuestOrder)))
        .returning({ subscriptionId: orders.subscriptionId, closedAt: orders.closedAt })
      return endedOrders.filter(({ closedAt }) => !closedAt).map(({ subscriptionId }) => subscriptionId)
    },
  }
}
