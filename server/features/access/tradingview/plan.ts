import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, tvGrants, tvScripts, users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { namesGrantedByHand } from '#server/features/access/access-requests/access-requests.ts'
import type { EntitlementRow } from '#server/features/access/entitlements/entitlements.ts'

export type GrantRow = typeof tvGrants.$inferSelect
export type ScriptRow = typeof tvScripts.$inferSelect
/** One name on one script; without an entitlement, it is an old name or a person who has left. */
export type Work = { grant: GrantRow; script: ScriptRow; entitlement: EntitlementRow | undefined }

export type Wanted = { isWanted: boolean; until: Date | null }
export type Observed = { isPresent: boolean; until: Date | null }
export type Action = 'nothing' | 'add' | 'modify' | 'remove' | 'leave'

export const noFailure = { tries: 0, failingSince: null, nextTryAt: null, error: null }

export const nextVersion = { version: sql`${tvGrants.version} + 1` }

/** Undefined if the wish has changed in the meantime. */
export async function storeIfUnchanged(
  tx: Database | Transaction,
  { id, version }: GrantRow,
  changes: Partial<GrantRow>,
): Promise<GrantRow | undefined> {
  const [stored] = await tx
    .update(tvGrants)
    .set({ ...changes, ...nextVersion })
    .where(and(eq(tvGrants.id, id), eq(tvGrants.version, version)))
    .returning()
  return stored
}

export async function grantOf(db: Database, id: string) {
  const [grant] = await db.select().from(tvGrants).where(eq(tvGrants.id, id))
  if (!grant) throw notFound('Person')
  return grant
}

export const wishOf = ({ isWanted, wantedUntil }: GrantRow) => ({ isWanted, until: wantedUntil })

const tolerance = 60_000
const lasts = (until: Date | null) => until?.getTime() ?? Number.POSITIVE_INFINITY

export const isSameUntil = (a: Date | null, b: Date | null) =>
  a === null || b === null ? a === b : Math.abs(a.getTime() - b.getTime()) <= tolerance

/** Something whose time is over is not wanted anymore, whatever the books still say. */
export const isWantedNow = ({ isWanted, until }: Wanted, now: Date) =>
  isWanted && lasts(until) > now.getTime()

/**
 * What to do about one username on one script: the table of docs/tradingview.md. `isOurs`: this shop granted it, or an
 * admin took it over. Anybody else is never removed nor shortened; if they buy, what they have is only extended.
 */
export function decide(observed: Observed, wanted: Wanted, isOurs: boolean, now: Date): Action {
  if (!isWantedNow(wanted, now)) {
    if (!observed.isPresent) return 'nothing'
    return isOurs ? 'remove' : 'leave'
  }
  if (!observed.isPresent) return 'add'
  if (isSameUntil(observed.until, wanted.until)) return 'nothing'
  if (isOurs) return 'modify'
  return lasts(observed.until) < lasts(wanted.until) ? 'modify' : 'leave'
}

/** Would take something away: what the modes and the guard look at. */
export const takesAway = (action: Action, observed: Observed, wanted: Wanted) =>
  action === 'remove' || (action === 'modify' && lasts(wanted.until) < lasts(observed.until))

type Wish = { isWanted: boolean; wantedUntil: Date | null; userId?: string; isOurs?: boolean }

const nothingWanted: Wish = { isWanted: false, wantedUntil: null }

/** Writes down what is wanted for each name of one person on each script: new names first, then old ones. */
export async function plan(tx: Transaction, userId: string, at: Date): Promise<Work[]> {
  // Plans for one person take turns: a wish is never mixed with an older one.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  const mine = await tx.select().from(entitlements).where(eq(entitlements.userId, userId))
  const scripts = await tx.select().from(tvScripts).where(isNull(tvScripts.problem))
  const byHand = await namesGrantedByHand(tx, userId)
  for (const entitlement of mine)
    for (const script of scripts.filter(({ productId }) => productId === entitlement.productId))
      await wantName(tx, script, entitlement, byHand.has(entitlement.usernameKey ?? ''), at)
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

async function wantName(
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
    .set({ ...wish, ...nextVersion })
    .where(eq(tvGrants.id, grant.id))
    .returning()
  return changed ?? grant
}
