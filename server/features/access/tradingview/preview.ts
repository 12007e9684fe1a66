import { isNotNull, isNull, or } from 'drizzle-orm'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, tvScripts } from '#server/database/schema.ts'
import { type AccessRow, isPaid, targetStateFor } from '#server/features/access/access/access.ts'
import { decideAction, isUnlockedHere, type ScriptRow, type StoredEntry } from './plan.ts'

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
  const entriesOn = (script: ScriptRow, row: AccessRow): StoredEntry[] => {
    const own = (entriesByUser.get(row.userId) ?? []).filter(({ scriptId }) => scriptId === script.id)
    const otherKeys = keysOf(row).filter((key) => !own.some(({ usernameKey }) => usernameKey === key))
    return [...own, ...otherKeys.map((key) => entryByName.get(`${script.id} ${key}`) ?? unreadEntry(key))]
  }

  for (const row of rows) {
    const isRefused = row.needsDecision || row.state === 'declined' || row.state === 'withheld'
    const isEntitled = isPaid(row, at) && !isRefused
    // With the connector on, the rows of entitled buyers move to `unlocking`.
    const rowAfterwards: AccessRow =
      isEntitled && row.state !== 'unlocked' ? { ...row, state: 'unlocking', undoUntil: null } : row
    const plans = scripts
      .filter(({ productId }) => productId === row.productId)
      .flatMap((script) => {
        const entries = entriesOn(script, row)
        return entries.map((person) => ({
          person,
          target: targetStateFor(rowAfterwards, person.usernameKey, at),
          isOurs: isUnlockedHere(person, rowAfterwards, entries),
        }))
      })
    const actions = new Set(
      plans.map(({ person, target, isOurs }) =>
        decideAction({ isPresent: person.isPresent === true, until: person.presentUntil }, target, isOurs),
      ),
    )
    counts.toUnlock += Number(row.nameProblem === null && actions.has('add'))
    counts.toLock += Number(!isEntitled && actions.has('remove'))
    counts.unknownNames += Number(isEntitled && row.nameProblem !== null)
    counts.managedFromNow += Number(plans.some(({ person, isOurs }) => isOurs && !person.isOurs))
    counts.toHandOver += Number(row.state === 'unlocking')
  }
  const foreignEntries = people.filter(
    ({ userId, isPresent, usernameKey }) => !userId && isPresent && !claimedKeys.has(usernameKey),
  )
  return { ...counts, strangers: new Set(foreignEntries.map(({ usernameKey }) => usernameKey)).size }
}

function keysOf({ nameKey, unlockedName }: AccessRow): string[] {
  return [...new Set([nameKey, unlockedName && normalizeUsername(unlockedName)])].filter((key) => key !== null)
}

const unreadEntry = (usernameKey: string): StoredEntry => ({
  usernameKey,
  isOurs: false,
  isPresent: null,
  presentUntil: null,
  listEntryId: null,
  firstPresentAt: null,
})
