import { and, eq, isNull, sql } from 'drizzle-orm'
import { normalizeUsername, parseUsername } from '#contract/tradingview-name.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { access, tvPeople, tvScripts } from '#server/database/schema.ts'
import { type AccessRow, isPaid, targetStateFor } from '#server/features/access/access/access.ts'

export type PersonRow = typeof tvPeople.$inferSelect
export type ScriptRow = typeof tvScripts.$inferSelect

export type TargetState = { isWanted: boolean; until: Date | null }
export type Observed = { isPresent: boolean; until: Date | null }
/** Change of TradingView's list. `leave`: the entry is not as wanted, but this shop did not make it. */
export type Action = 'nothing' | 'add' | 'modify' | 'remove' | 'leave'

export type UsernamePlan = {
  person: PersonRow
  script: ScriptRow
  /** Undefined for a deleted person. */
  row: AccessRow | undefined
  target: TargetState
  /** True while the seller has not decided about a request or can undo the decision. Nothing is called meanwhile. */
  isAwaitingSeller: boolean
  /** True for the wanted username, false for an older one. */
  isCurrent: boolean
  /** True if this shop unlocked it, or an admin adopted it. */
  isOurs: boolean
}

export const noFailure = { tries: 0, failingSince: null, nextTryAt: null, error: null }

export const nextVersion = { version: sql`${tvPeople.version} + 1` }

/** Optimistic lock on `version`. Returns undefined if the row has changed meanwhile. */
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

/** End dates within a minute of each other count as the same. */
const untilToleranceMs = 60_000
const endMs = (until: Date | null) => until?.getTime() ?? Number.POSITIVE_INFINITY

export const isSameUntil = (a: Date | null, b: Date | null) =>
  a === null || b === null ? a === b : Math.abs(a.getTime() - b.getTime()) <= untilToleranceMs

/** Implements the table of docs/tradingview.md. Never removes or shortens access that this shop did not give. */
export function decideAction(observed: Observed, wanted: TargetState, isOurs: boolean): Action {
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

/** `peers` are all usernames of the person on the script. */
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
    target: row ? targetStateFor(row, person.usernameKey, at) : { isWanted: false, until: null },
    isAwaitingSeller: isCurrent && isPaid(row, at) && isUndecided(row, at),
    isCurrent,
    isOurs: isUnlockedHere(person, row, peers),
  }
}

const isUndecided = ({ state, needsDecision, undoUntil }: AccessRow, at: Date) =>
  (state === 'asked' && !needsDecision) || (undoUntil !== null && undoUntil > at)

export type StoredEntry = Pick<
  PersonRow,
  'usernameKey' | 'isOurs' | 'isPresent' | 'presentUntil' | 'listEntryId' | 'firstPresentAt'
>

/** True if this shop unlocked the username, by the connector or by hand. */
export function isUnlockedHere(person: StoredEntry, row: AccessRow | undefined, peers: StoredEntry[]): boolean {
  if (person.isOurs) return true
  // Recorded as unlocked before the connector saw it, so it was unlocked by hand.
  const isRecordedAsUnlocked = row?.unlockedName && normalizeUsername(row.unlockedName) === person.usernameKey
  if (isRecordedAsUnlocked && person.firstPresentAt === null) return true
  // TradingView keeps an entry's id when its user is renamed.
  return person.listEntryId !== null && peers.some((peer) => peer.isOurs && peer.listEntryId === person.listEntryId)
}

/** Plans each username of a person on each script, the wanted username first. Stores entries that are missing. */
export async function planUsernames(tx: Transaction, userId: string, at: Date): Promise<UsernamePlan[]> {
  // Concurrent plans run one after the other.
  await lockPerson(tx, userId)
  const rows = await tx.select().from(access).where(eq(access.userId, userId))
  const scripts = await tx.select().from(tvScripts).where(isNull(tvScripts.problem))
  for (const row of rows)
    for (const script of scripts.filter(({ productId }) => productId === row.productId))
      for (const username of usernamesOf(row, at)) await upsertListEntry(tx, script, row, username, at)

  const people = await tx
    .select()
    .from(tvPeople)
    .where(eq(tvPeople.userId, userId))
    .orderBy(tvPeople.createdAt, tvPeople.id)
  const plans = people.flatMap((person) => {
    const script = scripts.find(({ id }) => id === person.scriptId)
    const row = rows.find(({ productId }) => productId === script?.productId)
    const peers = people.filter(({ scriptId }) => scriptId === person.scriptId)
    return script ? [usernamePlanFor(person, script, row, peers, at)] : []
  })
  return plans.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
}

function usernamesOf(row: AccessRow, at: Date): string[] {
  const { username, nameKey, unlockedName } = row
  const names = []
  if (nameKey && isPaid(row, at)) {
    const parsed = parseUsername(username ?? '')
    // Prefers the buyer's spelling to the key, which is in lower case.
    const hasSpelling = 'username' in parsed && normalizeUsername(parsed.username) === nameKey
    names.push(hasSpelling ? parsed.username : nameKey)
  }
  if (unlockedName && 'username' in parseUsername(unlockedName)) names.push(unlockedName)
  return names
}

/** Stores an entry. Takes it from another user only if its username is this user's wanted one. */
async function upsertListEntry(
  tx: Transaction,
  { id: scriptId }: ScriptRow,
  { userId, nameKey }: AccessRow,
  username: string,
  at: Date,
) {
  const usernameKey = normalizeUsername(username)
  const isOfAnotherUser = sql`${tvPeople.userId} is distinct from ${userId}`
  const mayTake = usernameKey === nameKey ? sql`true` : isNull(tvPeople.userId)
  await tx
    .insert(tvPeople)
    .values({ scriptId, usernameKey, username, userId, createdAt: at })
    .onConflictDoUpdate({
      target: [tvPeople.scriptId, tvPeople.usernameKey],
      set: { userId, ...noFailure, ...nextVersion },
      setWhere: sql`${isOfAnotherUser} and ${mayTake}`,
    })
}
