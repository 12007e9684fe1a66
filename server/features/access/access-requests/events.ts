import { and, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { accessRequests, users } from '#server/database/schema.ts'
import { isGranted, isUndecided } from './lists.ts'

/*
 * What purchases and the connector report, and what it means for the requests.
 */

/**
 * Runs in the same change that ends purchases, so the "to revoke" list never scans all grants.
 * A purchase can come back to life, so the list rechecks the marked ones.
 */
export async function endAccess(
  tx: Transaction | Database,
  of: { purchaseId: string } | { userId: string },
  at: Date,
) {
  const isOfThese =
    'purchaseId' in of ? eq(accessRequests.purchaseId, of.purchaseId) : eq(accessRequests.userId, of.userId)
  await tx
    .update(accessRequests)
    .set({ endedAt: at })
    .where(and(isOfThese, isGranted, isNull(accessRequests.endedAt)))
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

type Telling = Pick<Context, 'mails' | 'now'>

/** The connector has seen this name unlocked: the request is granted, the buyer hears of it, the keys go. */
export async function recordUnlocked(
  tx: Transaction,
  { mails, now }: Telling,
  userId: string,
  usernameKey: string,
) {
  const ids = await requestsNamed(tx, userId, usernameKey, isUndecided)
  if (ids.length === 0) return
  await tx
    .update(accessRequests)
    .set({ status: 'granted', decidedAt: now(), sealedKeys: null })
    .where(inArray(accessRequests.id, ids))
  await replaceOlderGrants(tx, ids, now())
  const [to] = await tx.select().from(users).where(eq(users.id, userId))
  if (to && !to.deletedAt)
    await mails.send(tx, to.email, 'accessGranted', { name: to.name, tradingViewUsername: usernameKey })
}

/** The connector has seen this name locked: what was granted and has ended is revoked. */
export async function recordLocked(
  tx: Transaction,
  { mails, now }: Telling,
  userId: string,
  usernameKey: string,
) {
  const ids = await requestsNamed(tx, userId, usernameKey, and(isGranted, isNotNull(accessRequests.endedAt)))
  if (ids.length === 0) return
  const [to] = await tx.select().from(users).where(eq(users.id, userId))
  await tx
    .update(accessRequests)
    // A deleted person's username was kept only so it could be revoked.
    .set({ status: 'revoked', decidedAt: now(), ...(to?.deletedAt ? { tradingViewUsername: '' } : {}) })
    .where(inArray(accessRequests.id, ids))
  if (to && !to.deletedAt)
    await mails.send(tx, to.email, 'accessRevoked', { name: to.name, tradingViewUsername: usernameKey })
}

/** The names, in lower case, that this shop's admins have granted to this person: those are the shop's own. */
export async function namesGrantedByHand(tx: Transaction, userId: string): Promise<Set<string>> {
  const rows = await tx
    .select({ name: accessRequests.tradingViewUsername })
    .from(accessRequests)
    .where(and(eq(accessRequests.userId, userId), isGranted, isNotNull(accessRequests.decidedBy)))
  return new Set(rows.flatMap(({ name }) => keyOfTyped(name) ?? []))
}

function keyOfTyped(typed: string): string | undefined {
  const read = readUsername(typed)
  return 'username' in read ? keyOfName(read.username) : undefined
}

async function requestsNamed(
  tx: Transaction,
  userId: string,
  usernameKey: string,
  condition: SQL | undefined,
): Promise<string[]> {
  const rows = await tx
    .select({ id: accessRequests.id, name: accessRequests.tradingViewUsername })
    .from(accessRequests)
    .where(and(eq(accessRequests.userId, userId), condition))
    .for('update')
  return rows.filter(({ name }) => keyOfTyped(name) === usernameKey).map(({ id }) => id)
}

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
