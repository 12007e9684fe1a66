import { and, desc, eq, not, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { hasEndedPurchase, isNewOrder, orders, purchases } from '#server/database/schema.ts'

/** The Stripe customers behind orders. */
export type OrderCustomers = {
  idsOf(from: Database | Transaction, userId: string): Promise<string[]>
  /** Returns the account's newest Stripe customer; skips guest orders, whose card may be someone else's. */
  ownOf(userId: string): Promise<string | undefined>
  /** Customers of running subscriptions whose next invoices carry another footer. */
  withOtherFooter(footer: string, limit: number): Promise<string[]>
  recordFooter(customerId: string, footer: string): Promise<void>
}

export function createOrderCustomers({ db }: Pick<Context, 'db'>): OrderCustomers {
  return {
    async idsOf(from, userId) {
      const rows = await from.selectDistinct({ id: orders.customerId }).from(orders).where(eq(orders.userId, userId))
      return rows.map(({ id }) => id)
    },

    async ownOf(userId) {
      const [own] = await db
        .select({ id: orders.customerId })
        .from(orders)
        .where(and(eq(orders.userId, userId), isNewOrder, sql`${orders.madeAccount} is distinct from false`))
        .orderBy(desc(orders.createdAt))
        .limit(1)
      return own?.id
    },

    async withOtherFooter(footer, limit) {
      const rows = await db
        .selectDistinct({ id: orders.customerId })
        .from(orders)
        .innerJoin(purchases, eq(purchases.stripeSubscriptionId, orders.subscriptionId))
        .where(and(not(hasEndedPurchase), isNewOrder, sql`${orders.invoiceFooter} is distinct from ${footer}`))
        .limit(limit)
      return rows.map(({ id }) => id)
    },

    async recordFooter(customerId, footer) {
      await db.update(orders).set({ invoiceFooter: footer }).where(eq(orders.customerId, customerId))
    },
  }
}
