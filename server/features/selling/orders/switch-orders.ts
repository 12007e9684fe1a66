import { and, eq, isNull, lt } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { orders } from '#server/database/schema.ts'

type SwitchOrder = Omit<typeof orders.$inferInsert, 'kind' | 'createdAt' | 'agreedAt'>

/** Orders to pay by the year from now on. Each is on record before anything is charged. */
export type SwitchOrders = {
  begin(order: SwitchOrder): Promise<void>
  /** Its payment has arrived. Does nothing about one that is closed already. */
  close(tx: Transaction, id: string, paidAt: Date): Promise<void>
  /** Deletes the order of a switch that failed. */
  drop(subscriptionId: string): Promise<void>
  /** Subscriptions whose switch has waited for its payment since before. */
  waitingSince(before: Date): Promise<string[]>
}

export function createSwitchOrders({ db, now }: Pick<Context, 'db' | 'now'>): SwitchOrders {
  const isOpenSwitch = and(eq(orders.kind, 'switch'), isNull(orders.closedAt))

  return {
    async begin(order) {
      await db.insert(orders).values({ ...order, kind: 'switch', createdAt: now(), agreedAt: now() })
    },

    async close(tx, id, paidAt) {
      await tx
        .update(orders)
        .set({ closedAt: paidAt })
        .where(and(eq(orders.id, id), isOpenSwitch))
    },

    async drop(subscriptionId) {
      await db.delete(orders).where(and(eq(orders.subscriptionId, subscriptionId), isOpenSwitch))
    },

    async waitingSince(before) {
      const rows = await db
        .select({ id: orders.subscriptionId })
        .from(orders)
        .where(and(isOpenSwitch, lt(orders.createdAt, before)))
      return rows.map(({ id }) => id)
    },
  }
}
