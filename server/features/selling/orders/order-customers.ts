import { and, desc, eq, not, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { hasEndedPurchase, isForNewSubscription, orders, purchases } from '#server/database/schema.ts'

export type OrderCustomers = {
  idsOf(tx: Database | Transaction, userId: string): Promise<string[]>
  /** Newest customer of the account itself. Skips guest orders, because their card may be someone else's. */
  ownCustomerOf(userId: string): Promise<string | undefined>
  listWithOtherFooter(footer: string, limit: number): Promise<string[]>
  recordFooter(customerId: string, footer: string): Promise<void>
}

export function createOrderCustomers({ db }: Pick<Context, 'db'>): OrderCustomers {
  return {
    async idsOf(tx, userId) {
      const rows = await tx.selectDistinct({ id: orders.customerId }).from(orders).where(eq(orders.userId, userId))
      return rows.map(({ id }) => id)
    },

    async ownCustomerOf(userId) {
      const [newest] = await db
        .select({ id: orders.customerId })
        .from(orders)
        // `madeAccount` is false for a guest order that was attached to an existing account.
        .where(and(eq(orders.userId, userId), isForNewSubscription, sql`${orders.madeAccount} is distinct from false`))
        .orderBy(desc(orders.createdAt))
        .limit(1)
      return newest?.id
    },

    async listWithOtherFooter(footer, limit) {
      const rows = await db
        .selectDistinct({ id: orders.customerId })
        .from(orders)
        .innerJoin(purchases, eq(purchases.stripeSubscriptionId, orders.subscriptionId))
        .where(
          and(not(hasEndedPurchase), isForNewSubscription, sql`${orders.invoiceFooter} is distinct from ${footer}`),
        )
        .limit(limit)
      return rows.map(({ id }) => id)
    },

    async recordFooter(customerId, footer) {
      await db.update(orders).set({ invoiceFooter: footer }).where(eq(orders.customerId, customerId))
    },
  }
}
