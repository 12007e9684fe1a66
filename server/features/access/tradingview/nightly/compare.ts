import { and, eq } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import { tvGrants, type tvRuns } from '#server/database/schema.ts'
import type { PeopleList } from '#server/gateways/tradingview.ts'
import { decide, type Observed, takesAway } from '../sync/decide.ts'
import { type GrantRow, oneMoreVersion, type ScriptRow, wishOf } from '../sync/grants.ts'
import type { Comparison } from './comparison.ts'
import { reportStrangers } from './strangers.ts'

export type Run = Omit<typeof tvRuns.$inferInsert, 'scriptId' | 'startedAt'> & { toMend: string[] }

/** So many people may lose something in one night without anybody being asked. */
const guardOf = (people: number) => Math.max(5, Math.floor(people / 10))

/** Compares a script's list with what is wanted. Only a list that reached its end allows a conclusion. */
export async function compare(
  deps: Comparison,
  script: ScriptRow,
  { people, isComplete, pages }: PeopleList,
  mayRemove: boolean,
): Promise<Run> {
  const run: Run = { pages, isComplete, people: people.length, toMend: [] }
  if (!isComplete) return run
  const { db, now } = deps
  const grants = await db.select().from(tvGrants).where(eq(tvGrants.scriptId, script.id))
  const known = new Map(grants.map((grant) => [grant.usernameKey, grant]))
  const listed = new Map(people.map((person) => [keyOfName(person.username), person]))
  const counts = { missing: 0, wrong: 0, ended: 0 }
  const lost: GrantRow[] = []
  const mend: GrantRow[] = []
  for (const grant of grants) {
    const person = listed.get(grant.usernameKey)
    const observed = { isPresent: person !== undefined, until: person?.until ?? null }
    const wanted = wishOf(grant)
    await observe(deps, grant, observed, person?.id ?? null)
    const action = decide(observed, wanted, grant.isOurs, now())
    // Who has no name on TradingView cannot be let in: that is the buyer's matter, not a difference.
    const isNameless = grant.state === 'name_not_found' && action === 'add'
    if (action === 'nothing' || action === 'leave' || isNameless || !grant.userId) continue
    counts[action === 'add' ? 'missing' : action === 'remove' ? 'ended' : 'wrong'] += 1
    if (takesAway(action, observed, wanted)) lost.push(grant)
    else mend.push(grant)
  }
  const foreign = await reportStrangers(deps, script, people, known)
  const isTooMany = lost.length > guardOf(people.length) && !mayRemove
  if (!isTooMany) mend.push(...lost)
  return {
    ...run,
    ...counts,
    foreign,
    heldBack: isTooMany ? lost.length : 0,
    toMend: mend.flatMap(({ userId }) => userId ?? []),
  }
}

/** Whoever acts on this grant at the same moment has the newer answer. */
async function observe({ db, now }: Comparison, grant: GrantRow, seen: Observed, rowId: string | null) {
  await db
    .update(tvGrants)
    .set({
      isPresent: seen.isPresent,
      presentUntil: seen.until,
      observedAt: now(),
      rowId: rowId ?? grant.rowId,
      ...oneMoreVersion,
    })
    .where(and(eq(tvGrants.id, grant.id), eq(tvGrants.version, grant.version)))
}
