import { and, eq, isNull, sql } from 'drizzle-orm'
import { normalizeUsername, parseUsername } from '#contract/tradingview-name.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { access, tvPeople, tvScripts, users } from '#server/database/schema.ts'
import { type AccessRow, isPaid, wishFor } from '#server/features/access/access/access.ts'

export type PersonRow = typeof tvPeople.$inferSelect
export type ScriptRow = typeof tvScripts.$inferSelect

export type TargetState = { isWanted: boolean; until: Date | null }
export type Observed = { isPresent: boolean; until: Date | null }
export type Action = 'nothing' | 'add' | 'modify' | 'remove' | 'leave'

/** A username on a script: observed and target state. */
export type UsernamePlan = {
  person: PersonRow
  script: ScriptRow
  /** Undefined for a deleted person. */
  row: AccessRow | undefined
  wish: TargetState
  /** True while a normal request waits for the seller or can be undone; requests "to decide" are not held. */
  isHeld: boolean
  /** True for the wanted username, false for an older one. */
  isCurrent: boolean
  /** True if this shop unlocked it, or an admin adopted it. */
  isOurs: boolean
}

export const noFailure = { tries: 0, failingSince: null, nextTryAt: null, error: null }

export const nextVersion = { version: sql`${tvPeople.version} + 1` }

/** Stores by optimistic lock. Undefined if the row has changed meanwhile. */
export async function storeIfUnchanged(
  tx: Database | Transaction,
  { id, version }: PersonRow,
  changes: Partial<PersonRow>,
): Promise<PersonRow | undefined> {
  const [stored] = await tx
    .update(tvPeople)
    .set({ ...changes, ...nextVersion })
    .where(and(eq(tvPeople.id, id), eq(tvPeople.version, version)))
    .returning()
  return stored
}

const tolerance = 60_000
const endMs = (until: Date | null) => until?.getTime() ?? Number.POSITIVE_INFINITY

export const isSameUntil = (a: Date | null, b: Date | null) =>
  a === null || b === null ? a === b : Math.abs(a.getTime() - b.getTime()) <= tolerance

/** Implements the table of docs/tradingview.md. Never removes or shortens access that this shop did not give. */
export function decide(observed: Observed, wanted: TargetState, isOurs: boolean): Action {
  if (!wanted.isWanted) {
    if (!observed.isPresent) return 'nothing'
    return isOurs ? 'remove' : 'leave'
  }
  if (!observed.isPresent) return 'add'
  if (isSameUntil(observed.until, wanted.until)) return 'nothing'
  if (isOurs) return 'modify'
  return endMs(observed.until) < endMs(wanted.until) ? 'modify' : 'leave'
}

export const removesAccess = (action: Action, observed: Observed, wanted: TargetState) =>
  action === 'remove' || (action === 'modify' && endMs(wanted.until) < endMs(observed.until))

/** Target state of a username by its access row. `peers` are all usernames of the person on the script. */
export function usernamePlanFor(
  person: PersonRow,
  script: ScriptRow,
  row: AccessRow | undefined,
  peers: PersonRow[],
  at: Date,
): UsernamePlan {
  const isCurrent = row !== undefined && row.nameKey === person.usernameKey
  return {
    person,
    script,
    row,
    wish: row ? wishFor(row, person.usernameKey, at) : { isWanted: false, until: null },
    isHeld: isCurrent && isPaid(row, at) && isUndecided(row, at),
    isCurrent,
    isOurs: isUnlockedHere(person, row, peers),
  }
}

const isUndecided = ({ state, needsDecision, undoUntil }: AccessRow, at: Date) =>
  (state === 'asked' && !needsDecision) || (undoUntil !== null && undoUntil > at)

export type Seen = Pick<
  PersonRow,
  'usernameKey' | 'isOurs' | 'isPresent' | 'presentUntil' | 'listEntryId' | 'firstPresentAt'
>

export function isUnlockedHere(person: Seen, row: AccessRow | undefined, peers: Seen[]): boolean {
  if (person.isOurs) return true
  // Recorded as unlocked before the connector saw it, so it was unlocked by hand.
  if (person.firstPresentAt === null && row?.unlockedName && normalizeUsername(row.unlockedName) === person.usernameKey)
    return true
  // The same entry under another username of the buyer was only renamed.
  return person.listEntryId !== null && peers.some((peer) => peer.isOurs && peer.listEntryId === person.listEntryId)
}

/** Target state of each username of a person on each script, the wanted username first. */
export async function plan(tx: Transaction, userId: string, at: Date): Promise<UsernamePlan[]> {
  // Locks the person, so that concurrent plans run one after the other.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  const rows = await tx.select().from(access).where(eq(access.userId, userId))
  const scripts = await tx.select().from(tvScripts).where(isNull(tvScripts.problem))
  for (const row of rows)
    for (const script of scripts.filter(({ productId }) => productId === row.productId))
      for (const name of namesOf(row, at)) await upsertListEntry(tx, script, row, name, at)
  const people = await tx
    .select()
    .from(tvPeople)
    .where(eq(tvPeople.userId, userId))
    .orderBy(tvPeople.createdAt, tvPeople.id)
  const works = people.flatMap((person) => {
    const script = scripts.find(({ id }) => id === person.scriptId)
    const row = rows.find(({ productId }) => productId === script?.productId)
    const peers = people.filter(({ scriptId }) => scriptId === person.scriptId)
    return script ? [usernamePlanFor(person, script, row, peers, at)] : []
  })
  return works.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
}

function namesOf(row: AccessRow, at: Date): string[] {
  const { username, nameKey, unlockedName } = row
  const names = []
  if (nameKey && isPaid(row, at)) {
    const read = parseUsername(username ?? '')
    names.push('username' in read && normalizeUsername(read.username) === nameKey ? read.username : nameKey)
  }
  if (unlockedName && 'username' in parseUsername(unlockedName)) names.push(unlockedName)
  return names
}

/** Stores the username; takes an entry from another user only if it is this user's current username. */
async function upsertListEntry(
  tx: Transaction,
  { id: scriptId }: ScriptRow,
  { userId, nameKey }: AccessRow,
  username: string,
  at: Date,
) {
  const usernameKey = normalizeUsername(username)
  await tx
    .insert(tvPeople)
    .values({ scriptId, usernameKey, username, userId, createdAt: at })
    .onConflictDoUpdate({
      target: [tvPeople.scriptId, tvPeople.usernameKey],
      set: { userId, ...noFailure, ...nextVersion },
      setWhere: sql`${tvPeople.userId} is distinct from ${userId} and (${tvPeople.userId} is null or ${usernameKey === nameKey})`,
    })
}
