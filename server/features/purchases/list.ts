import { and, desc, eq, like, type SQL, sql } from 'drizzle-orm'
import { catalogue } from '#contract/price-list.ts'
import type { Database } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { purchases, users } from '../../database/schema.ts'
import { graceEnd } from './state.ts'

type Wanted = { limit: number; cursor?: string | undefined; q?: string | undefined; userId?: string }

/** Purchases as the contract shows them, newest first. */
export async function listPurchases(db: Database, { limit, cursor, q, userId }: Wanted) {
  const after = decodeCursor(cursor)
  const conditions: SQL[] = []
  if (userId) conditions.push(eq(purchases.userId, userId))
  if (after) conditions.push(sql`(${purchases.createdAt}, ${purchases.id}) < (${after.at}, ${after.id})`)
  if (q) conditions.push(like(users.searchText, containing(q)))
  const rows = await db
    .select({
      purchase: purchases,
      user: { email: users.email, name: users.name, tradingViewUsername: users.tradingViewUsername },
    })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(and(...conditions))
    .orderBy(desc(purchases.createdAt), desc(purchases.id))
    .limit(limit + 1)
  return pageOf(rows.map(present), limit, ({ createdAt: at, id }) => ({ at, id }))
}

type Row = {
  purchase: typeof purchases.$inferSelect
  user: { email: string; name: string; tradingViewUsername: string | null }
}

function present({ purchase, user: { email, name, tradingViewUsername } }: Row) {
  const { pastDueSince } = purchase
  const {
    stripeSubscriptionId: _,
    lastPaidAt: __,
    failedPayments: ___,
    isDisputed: ____,
    ...shown
  } = purchase
  const product = catalogue.find(({ id }) => id === purchase.productId)
  return {
    ...shown,
    graceEndsAt: pastDueSince && graceEnd(pastDueSince),
    tradingViewUsername,
    user: { email, name },
    product: { name: product?.name ?? 'Former product', slug: product?.slug ?? '' },
  }
}
