import { and, eq, ne, sql } from 'drizzle-orm'
import type { Transaction } from '#server/database/connect.ts'
import { entitlements, tvGrants, tvScripts, users } from '#server/database/schema.ts'
import { namesGrantedByHand } from '#server/features/access/access-requests/access-requests.ts'
import type { EntitlementRow } from '#server/features/access/entitlements/entitlements.ts'
import { type GrantRow, oneMoreVersion, type ScriptRow, type Work } from './grants.ts'

type Wish = { isWanted: boolean; wantedUntil: Date | null; userId?: string; isOurs?: boolean }

const nothingWanted: Wish = { isWanted: false, wantedUntil: null }

/** Writes down what is wanted for each name of one person on each script: new names first, then old ones. */
export async function plan(tx: Transaction, userId: string, at: Date): Promise<Work[]> {
  // Whoever plans for this person waits here: a wish is never mixed with an older one.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  const mine = await tx.select().from(entitlements).where(eq(entitlements.userId, userId))
  const scripts = await tx.select().from(tvScripts).where(sql`${tvScripts.problem} is null`)
  const byHand = await namesGrantedByHand(tx, userId)
  for (const entitlement of mine)
    for (const script of scripts.filter(({ productId }) => productId === entitlement.productId))
      await want(tx, script, entitlement, byHand.has(entitlement.usernameKey ?? ''), at)
  const grants = await tx
    .select()
    .from(tvGrants)
    .where(eq(tvGrants.userId, userId))
    .orderBy(tvGrants.createdAt)
  const current: Work[] = []
  const old: Work[] = []
  for (const grant of grants) {
    const script = scripts.find(({ id }) => id === grant.scriptId)
    if (!script) continue
    const entitlement = mine.find(({ productId }) => productId === script.productId)
    if (entitlement?.usernameKey === grant.usernameKey) current.push({ grant, script, entitlement })
    else {
      const wish = wishForOldName(grant, entitlement, grants)
      old.push({ grant: await wishFor(tx, grant, wish), script, entitlement: undefined })
    }
  }
  return [...current, ...old]
}

/** The new name is unlocked before the old one is locked. */
function wishForOldName(grant: GrantRow, entitlement: EntitlementRow | undefined, grants: GrantRow[]): Wish {
  const successor = grants.find(
    ({ scriptId, usernameKey }) => scriptId === grant.scriptId && usernameKey === entitlement?.usernameKey,
  )
  const mustWait = entitlement?.reason && !successor?.isPresent
  return mustWait ? { isWanted: grant.isWanted, wantedUntil: entitlement.until } : nothingWanted
}

async function want(
  tx: Transaction,
  script: ScriptRow,
  { usernameKey, username, userId, reason, until }: EntitlementRow,
  isByHand: boolean,
  at: Date,
) {
  if (!usernameKey || !username) return
  const [known] = await tx
    .select()
    .from(tvGrants)
    .where(and(eq(tvGrants.scriptId, script.id), eq(tvGrants.usernameKey, usernameKey)))
    .for('update')
  if (!known && !reason) return
  const isOurs =
    isByHand || (known !== undefined && (known.isOurs || (await isRenamedOurs(tx, userId, known))))
  const wish = { isWanted: reason !== null, wantedUntil: reason ? until : null }
  if (known) await wishFor(tx, known, { ...wish, userId, isOurs })
  else
    await tx.insert(tvGrants).values({
      scriptId: script.id,
      usernameKey,
      username,
      userId,
      ...wish,
      isOurs,
      state: 'unlocking',
      createdAt: at,
    })
}

/** The same row of TradingView's under another name of the same buyer: what this shop granted has only been renamed. */
async function isRenamedOurs(tx: Transaction, userId: string, { id, scriptId, rowId }: GrantRow) {
  if (!rowId) return false
  const former = and(
    eq(tvGrants.scriptId, scriptId),
    eq(tvGrants.userId, userId),
    eq(tvGrants.rowId, rowId),
    eq(tvGrants.isOurs, true),
    ne(tvGrants.id, id),
  )
  return (await tx.$count(tvGrants, former)) > 0
}

async function wishFor(tx: Transaction, grant: GrantRow, wish: Wish): Promise<GrantRow> {
  const isSame =
    grant.isWanted === wish.isWanted &&
    grant.wantedUntil?.getTime() === wish.wantedUntil?.getTime() &&
    (wish.userId ?? grant.userId) === grant.userId &&
    (wish.isOurs ?? grant.isOurs) === grant.isOurs
  if (isSame) return grant
  const [changed] = await tx
    .update(tvGrants)
    .set({ ...wish, ...oneMoreVersion })
    .where(eq(tvGrants.id, grant.id))
    .returning()
  return changed ?? grant
}
