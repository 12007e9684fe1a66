import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { HistoryPart, Page } from '#server/database/cursor.ts'
import { hasEndedPurchase, purchases } from '#server/database/schema.ts'
import { eventsOf, type PurchaseEvent } from './events.ts'
import { listPurchases, type PurchaseFilter, prepareOwnPurchases, showToBuyer, showToSeller } from './list.ts'
import { findPurchase, type PurchaseRow } from './rows.ts'

export { type AccessEffects, entitlementOf, graceDays, graceEnd } from './entitlement.ts'
export { chargesOf, periodOf } from './list.ts'
export { countNeeds } from './needs.ts'
export {
  deletePurchase,
  findPurchase,
  insertPurchase,
  isUnpaid,
  type PurchaseRow,
  updatePurchase,
  updatePurchases,
} from './rows.ts'

export { coversOnlySwitch, latestOrderAt, withdrawalOf } from './withdrawal.ts'

type PurchaseDeps = Pick<Context, 'db' | 'now' | 'catalog'>

export type Purchases = {
  /** Throws 404, with a user also for someone else's purchase. */
  find(id: string, userId?: string): Promise<PurchaseRow>
  list(
    userId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<ReturnType<typeof showToBuyer>>>
  listForSeller(filter: PurchaseFilter): Promise<Page<ReturnType<typeof showToSeller>>>
  findByPayment(userId: string, paymentIntentId: string): Promise<PurchaseRow | undefined>
  historyOf(userId: string, part: HistoryPart): Promise<PurchaseEvent[]>
  /** `Orders.forgetUnpaid` later deletes the orders of these purchases. */
  forgetOld(): Promise<void>
}

/** Far more purchases than one person has. */
const mostInHistory = 200
/** Keeps each statement short. */
const deletionBatch = 1000

export function createPurchases({ db, now, catalog }: PurchaseDeps): Purchases {
  const listFirstPage = prepareOwnPurchases(db)

  return {
    find: (id, userId) => findPurchase(db, id, userId),

    list: (userId, page) =>
      page.cursor
        ? listPurchases(db, { ...page, userId }, now(), showToBuyer)
        : listFirstPage(userId, page.limit, now()),

    listForSeller: (filter) => listPurchases(db, filter, now(), showToSeller),

    async findByPayment(userId, paymentIntentId) {
      const [found] = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.paymentIntentId, paymentIntentId), eq(purchases.userId, userId)))
      return found
    },

    async historyOf(userId, { before }) {
      const rows = await db
        .select()
        .from(purchases)
        .where(eq(purchases.userId, userId))
        .orderBy(desc(purchases.createdAt), desc(purchases.id))
        .limit(mostInHistory)
      const events: PurchaseEvent[] = []
      for (const row of rows) events.push(...eventsOf(row, (await catalog.findRow(row.productId)).name))
      return events.filter(({ at }) => at <= before)
    },

    async forgetOld() {
      const endedAt = sql`coalesce(${purchases.endedAt}, ${purchases.createdAt})`
      const isOld = and(hasEndedPurchase, lt(endedAt, retentionStartOfYear(now(), retention.books)))
      for (;;) {
        const oldIds = db.select({ id: purchases.id }).from(purchases).where(isOld).limit(deletionBatch)
        const { rowCount } = await db.delete(purchases).where(inArray(purchases.id, oldIds))
        if (!rowCount || rowCount < deletionBatch) break
      }
    },
  }
}
