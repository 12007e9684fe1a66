import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { liveStatuses } from '#contract/statuses.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { accessRequests } from '#server/database/schema.ts'
import { sqlList } from '#server/database/sql-list.ts'

/**
 * Runs in the same change that ends purchases, so the "to revoke" list never scans all grants.
 * A purchase can come back to life, so the list rechecks the marked ones.
 */
export async function endAccess(
  tx: Transaction | Database,
  of: { purchaseId: string } | { userId: string },
  at: Date,
) {
  await tx
    .update(accessRequests)
    .set({ endedAt: at })
    .where(
      and(
        'purchaseId' in of
          ? eq(accessRequests.purchaseId, of.purchaseId)
          : eq(accessRequests.userId, of.userId),
        eq(accessRequests.status, 'granted'),
        isNull(accessRequests.endedAt),
      ),
    )
}

/** The buyer has a later purchase and asked for nothing with it: what was granted or asked for before belongs to it now. */
export async function carryAccessOver(tx: Transaction, fromPurchaseId: string, toPurchaseId: string) {
  if ((await tx.$count(accessRequests, eq(accessRequests.purchaseId, toPurchaseId))) > 0) return
  await tx
    .update(accessRequests)
    .set({ purchaseId: toPurchaseId })
    .where(
      and(
        eq(accessRequests.purchaseId, fromPurchaseId),
        inArray(accessRequests.status, ['requested', 'granted']),
      ),
    )
}

/**
 * True for a marked grant with no live subscription behind it. Access belongs to a person, so a later purchase with
 * the same username keeps it.
 */
export const isUnpaid = sql`${accessRequests.endedAt} is not null and not exists (
  select from access_requests claim
  join purchases on purchases.id = claim.purchase_id and purchases.status in ${sql.raw(sqlList(liveStatuses))}
  where claim.user_id = ${accessRequests.userId}
    and lower(claim.trading_view_username) = lower(${accessRequests.tradingViewUsername})
    and claim.status in ('requested', 'granted')
    and not exists (
      select from access_requests later
      where later.purchase_id = claim.purchase_id
        and later.status = 'granted'
        and later.submitted_at > claim.submitted_at
    )
)`

/** A new grant replaces older ones: for the same username they count as one; for the same purchase they get revoked. */
export async function replaceOlderGrants(tx: Transaction, ids: string[], now: Date) {
  for (const id of ids) {
    await tx.execute(sql`
      update access_requests older
      set status = 'revoked', decided_at = ${now}
      from access_requests newer
      where newer.id = ${id}
        and older.id <> newer.id
        and older.status = 'granted'
        and older.user_id = newer.user_id
        and lower(older.trading_view_username) = lower(newer.trading_view_username)
        and (older.purchase_id = newer.purchase_id or older.ended_at is not null)`)
    await tx.execute(sql`
      update access_requests older
      set ended_at = ${now}
      from access_requests newer
      where newer.id = ${id}
        and older.id <> newer.id
        and older.status = 'granted'
        and older.purchase_id = newer.purchase_id`)
  }
}
