import { and, eq, isNull, lt } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { orders } from '#server/database/schema.ts'

type SwitchOrder = Omit<typeof orders.$inferInsert, 'kind' | 'createdAt' | 'agreedAt'>

/** Orders of a longer plan for a running subscription, recorded before anything is charged. */
export type SwitchOrders = {
  begin(order: SwitchOrder): Promise<void>
  /** Idempotent. */
  close(tx: Transaction, id: string, paidAt: Date): Promise<void>
  drop(subscriptionId: string): Promise<void>
  listUnpaid(orderedBefore: Date): Promise<string[]>
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

    async listUnpaid(orderedBefore) {
      const rows = await db
        .select({ id: orders.subscriptionId })
        .from(orders)
        .where(and(isOpenSwitch, lt(orders.createdAt, orderedBefore)))
      return rows.map(({ id }) => id)
    },
  }
}
