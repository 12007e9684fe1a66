import { isNotNull, isNull, or } from 'drizzle-orm'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, tvScripts } from '#server/database/schema.ts'
import { type AccessRow, isPaid, targetStateFor } from '#server/features/access/access/access.ts'
import { type Action, decideAction, isUnlockedHere, type ScriptRow, type StoredEntry } from './plan.ts'

/** Counts what switching the connector on would change, by the lists as last read. Calls nothing. */
export async function previewOf({ db, now }: Pick<Context, 'db' | 'now'>) {
  const at = now()
  const rows = await db
    .select()
    .from(access)
    .where(or(isNotNull(access.reason), isNotNull(access.unlockedName)))
  const scripts = await db.select().from(tvScripts).where(isNull(tvScripts.problem))
  const people = await db.select().from(tvPeople)
  const entryByName = new Map(people.map((person) => [`${person.scriptId} ${person.usernameKey}`, person]))
  const entriesByUser = Map.groupBy(people, ({ userId }) => userId)
  const claimedKeys = new Set(rows.flatMap(keysOf))
  const counts = { toUnlock: 0, toLock: 0, unknownNames: 0, managedFromNow: 0, toHandOver: 0 }

  /** Entries of a row on a script: those of its user, and those with its usernames. */
  function findEntries(script: ScriptRow, row: AccessRow): StoredEntry[] {
    const entriesOfUser = (entriesByUser.get(row.userId) ?? []).filter(({ scriptId }) => scriptId === script.id)
    const otherKeys = keysOf(row).filter((key) => !entriesOfUser.some(({ usernameKey }) => usernameKey === key))
    const otherEntries = otherKeys.map((key) => entryByName.get(`${script.id} ${key}`) ?? unreadEntry(key))
    return [...entriesOfUser, ...otherEntries]
  }

  for (const row of rows) {
    const isRefused = row.needsDecision || row.state === 'declined' || row.state === 'withheld'
    const isEntitled = isPaid(row, at) && !isRefused
    // With the connector on, the rows of entitled buyers move to `unlocking`.
    const rowAfterwards: AccessRow =
      isEntitled && row.state !== 'unlocked' ? { ...row, state: 'unlocking', undoUntil: null } : row
    const actions = new Set<Action>()
    let isNewlyManaged = false
    for (const script of scripts.filter(({ productId }) => productId === row.productId)) {
      const entries = findEntries(script, row)
      for (const entry of entries) {
        const target = targetStateFor(rowAfterwards, entry.usernameKey, at)
        const isOurs = isUnlockedHere(entry, rowAfterwards, entries)
        actions.add(decideAction({ isPresent: entry.isPresent === true, until: entry.presentUntil }, target, isOurs))
        if (isOurs && !entry.isOurs) isNewlyManaged = true
      }
    }
    if (row.nameProblem === null && actions.has('add')) counts.toUnlock += 1
    if (!isEntitled && actions.has('remove')) counts.toLock += 1
    if (isEntitled && row.nameProblem !== null) counts.unknownNames += 1
    if (isNewlyManaged) counts.managedFromNow += 1
    if (row.state === 'unlocking') counts.toHandOver += 1
  }
  const foreignEntries = people.filter(
    ({ userId, isPresent, usernameKey }) => !userId && isPresent && !claimedKeys.has(usernameKey),
  )
  return { ...counts, strangers: new Set(foreignEntries.map(({ usernameKey }) => usernameKey)).size }
}

function keysOf({ nameKey, unlockedName }: AccessRow): string[] {
  const unlockedKey = unlockedName === null ? null : normalizeUsername(unlockedName)
  return [...new Set([nameKey, unlockedKey])].filter((key) => key !== null)
}

/** Stands for a username whose entry the connector has not read yet. */
const unreadEntry = (usernameKey: string): StoredEntry => ({
  usernameKey,
  isOurs: false,
  isPresent: null,
  presentUntil: null,
  listEntryId: null,
  firstPresentAt: null,
})
