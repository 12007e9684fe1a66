import { and, eq, isNull, or, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { isForNewSubscription, orders } from '#server/database/schema.ts'

/** Login by payment: once per order, in the browser with the order's nonce, until the account is handed over. */
export type OrderLogins = {
  hasNonce(nonceHash: string): Promise<boolean>
  rotateNonce(tx: Transaction, oldHash: string, newHash: string): Promise<void>
  forfeitAll(nonceHash: string): Promise<void>
  /** Returns false if the login was already used. */
  useOnce(tx: Transaction, orderId: string): Promise<boolean>
  /** Called at a handover. Returns the ids of the account's unpaid subscriptions. */
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
