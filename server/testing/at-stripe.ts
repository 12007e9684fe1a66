import { sql } from 'drizzle-orm'
import type { TestShop } from './open-shop.ts'

type StoredObject = Record<string, unknown> & { status: string }

export function atStripe(shop: TestShop) {
  const { db } = shop.connection

  return {
    edit: (id: string, change: object) =>
      db.execute(sql`update sandbox.objects set data = data || ${JSON.stringify(change)}::jsonb where id = ${id}`),

    async object(id: string | null | undefined): Promise<StoredObject | undefined> {
      const { rows } = await db.execute<{ data: StoredObject }>(
        sql`select data from sandbox.objects where id = ${id ?? ''}`,
      )
      return rows[0]?.data
    },

    /** Newest first. */
    async invoicesOf(subscription: string | null | undefined) {
      const { rows } = await db.execute<{ id: string; data: StoredObject & { amount_paid: number; lines: unknown } }>(
        sql`select id, data from sandbox.objects where kind = 'invoice'
            and data->'parent'->'subscription_details'->>'subscription' = ${subscription ?? ''} order by seq desc`,
      )
      return rows.map(({ id, data }) => ({ ...data, id }))
    },

    async reconcile() {
      await shop.queue.runNow('reconcile')
      await shop.queue.waitUntilIdle()
    },
  }
}
