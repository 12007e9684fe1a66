import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { accessRequests, entitlements, purchases, tvGrants } from '#server/database/schema.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import type { ScriptRow } from '../sync/grants.ts'

/** People who bought and asked before there was a connector, or while it was off, get an entitlement with their name. */
export async function claimForgottenNames(db: Database, { claim }: Pick<Entitlements, 'claim'>) {
  const isTheirs = and(
    eq(entitlements.userId, purchases.userId),
    eq(entitlements.productId, purchases.productId),
  )
  const unknown = await db
    .select({
      userId: purchases.userId,
      productId: purchases.productId,
      username: accessRequests.tradingViewUsername,
    })
    .from(purchases)
    .innerJoin(accessRequests, eq(accessRequests.purchaseId, purchases.id))
    .leftJoin(entitlements, isTheirs)
    .where(
      and(
        isLivePurchase,
        inArray(accessRequests.status, ['requested', 'granted']),
        isNull(entitlements.username),
      ),
    )
    .orderBy(accessRequests.submittedAt)
  for (const { userId, productId, username } of unknown)
    await db.transaction((tx) => claim(tx, userId, productId, username))
}

/** Entitled and named, but never planned for on this script. */
export async function neverPlanned(db: Database, script: ScriptRow): Promise<string[]> {
  const isPlanned = and(eq(tvGrants.scriptId, script.id), eq(tvGrants.usernameKey, entitlements.usernameKey))
  const rows = await db
    .select({ userId: entitlements.userId })
    .from(entitlements)
    .leftJoin(tvGrants, isPlanned)
    .where(
      and(
        eq(entitlements.productId, script.productId),
        isNotNull(entitlements.reason),
        isNotNull(entitlements.usernameKey),
        isNull(tvGrants.id),
      ),
    )
  return rows.map(({ userId }) => userId)
}
