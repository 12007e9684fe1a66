import { isNotNull, isNull, or } from 'drizzle-orm'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, tvScripts } from '#server/database/schema.ts'
import { type AccessRow, isPaid, wishFor } from '#server/features/access/access/access.ts'
import { decide, isUnlockedHere, type ScriptRow, type Seen } from './plan.ts'

/** Effects of switching the connector on, by the lists as last read. */
export async function previewOf({ db, now }: Pick<Context, 'db' | 'now'>) {
  const at = now()
  const rows = await db
    .select()
    .from(access)
    .where(or(isNotNull(access.reason), isNotNull(access.unlockedName)))
  const scripts = await db.select().from(tvScripts).where(isNull(tvScripts.problem))
  const people = await db.select().from(tvPeople)
  const byName = new Map(people.map((person) => [`${person.scriptId} ${person.usernameKey}`, person]))
  const byUser = Map.groupBy(people, ({ userId }) => userId)
  const claimed = new Set(rows.flatMap(keysOf))
  const counts = { toUnlock: 0, toLock: 0, unknownNames: 0, managedFromNow: 0, toHandOver: 0 }

  const namesOn = (script: ScriptRow, row: AccessRow): Seen[] => {
    const own = (byUser.get(row.userId) ?? []).filter(({ scriptId }) => scriptId === script.id)
    const others = keysOf(row).filter((key) => !own.some(({ usernameKey }) => usernameKey === key))
    return [...own, ...others.map((key) => byName.get(`${script.id} ${key}`) ?? unseen(key))]
  }

  for (const row of rows) {
    const isRefused = row.needsDecision || row.state === 'declined' || row.state === 'withheld'
    const mayHave = isPaid(row, at) && !isRefused
    const rowAfterwards: AccessRow =
      mayHave && row.state !== 'unlocked' ? { ...row, state: 'unlocking', undoUntil: null } : row
    const works = scripts
      .filter(({ productId }) => productId === row.productId)
      .flatMap((script) => {
        const names = namesOn(script, row)
        return names.map((person) => ({
          person,
          wish: wishFor(rowAfterwards, person.usernameKey, at),
          isOurs: isUnlockedHere(person, rowAfterwards, names),
        }))
      })
    const actions = new Set(
      works.map(({ person, wish, isOurs }) =>
        decide({ isPresent: person.isPresent === true, until: person.presentUntil }, wish, isOurs),
      ),
    )
    counts.toUnlock += Number(row.nameProblem === null && actions.has('add'))
    counts.toLock += Number(!mayHave && actions.has('remove'))
    counts.unknownNames += Number(mayHave && row.nameProblem !== null)
    counts.managedFromNow += Number(works.some(({ person, isOurs }) => isOurs && !person.isOurs))
    counts.toHandOver += Number(row.state === 'unlocking')
  }
  const foreign = people.filter(
    ({ userId, isPresent, usernameKey }) => !userId && isPresent && !claimed.has(usernameKey),
  )
  return { ...counts, strangers: new Set(foreign.map(({ usernameKey }) => usernameKey)).size }
}

function keysOf({ nameKey, unlockedName }: AccessRow): string[] {
  return [...new Set([nameKey, unlockedName && normalizeUsername(unlockedName)])].filter((key) => key !== null)
}

const unseen = (usernameKey: string): Seen => ({
  usernameKey,
  isOurs: false,
  isPresent: null,
  presentUntil: null,
  listEntryId: null,
  firstPresentAt: null,
})
