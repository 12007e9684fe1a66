import { and, eq, isNull, notInArray } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { entitlements, tvGrants, type tvRuns } from '#server/database/schema.ts'
import type { PeopleList, TradingViewClient } from '#server/gateways/tradingview.ts'
import { decide, type GrantRow, type ScriptRow, storeIfUnchanged, takesAway, wishOf } from './plan.ts'
import { recordNameNotFound } from './sync-name.ts'

type Person = PeopleList['people'][number]
export type Run = Omit<typeof tvRuns.$inferInsert, 'scriptId' | 'startedAt'> & { toSync: string[] }

/** How many people may lose something in one night before the seller is asked. */
const guardOf = (people: number) => Math.max(5, Math.floor(people / 10))

/** Compares a script's list with what is wanted. Only a list that reached its end allows a conclusion. */
export async function compare(
  context: Context,
  client: TradingViewClient,
  script: ScriptRow,
  { people, isComplete, pages }: PeopleList,
  mayRemove: boolean,
): Promise<Run> {
  const run: Run = { pages, isComplete, people: people.length, toSync: [] }
  if (!isComplete) return run
  const { db, now } = context
  const grants = await db.select().from(tvGrants).where(eq(tvGrants.scriptId, script.id))
  const known = new Map(grants.map((grant) => [grant.usernameKey, grant]))
  const listed = new Map(people.map((person) => [keyOfName(person.username), person]))
  const counts = { missing: 0, wrong: 0, ended: 0 }
  const lost: GrantRow[] = []
  const toSync: GrantRow[] = []
  for (const grant of grants) {
    const person = listed.get(grant.usernameKey)
    const observed = { isPresent: person !== undefined, until: person?.until ?? null }
    const wanted = wishOf(grant)
    // A job that acts on this grant at the same moment has the newer answer.
    await storeIfUnchanged(db, grant, {
      isPresent: observed.isPresent,
      presentUntil: observed.until,
      observedAt: now(),
      rowId: person?.id ?? grant.rowId,
    })
    const action = decide(observed, wanted, grant.isOurs, now())
    // A name that TradingView does not know is for the buyer to correct, and no difference.
    const isNameless = grant.state === 'name_not_found' && action === 'add'
    if (action === 'nothing' || action === 'leave' || isNameless || !grant.userId) continue
    counts[action === 'add' ? 'missing' : action === 'remove' ? 'ended' : 'wrong'] += 1
    if (takesAway(action, observed, wanted)) lost.push(grant)
    else toSync.push(grant)
  }
  const gone = grants.filter(
    (grant) => grant.isWanted && grant.userId && grant.rowId && !listed.has(grant.usernameKey),
  )
  const propose = (person: Person) => proposeRename(context, client, gone, person)
  const foreign = await recordForeign(context, script, people, known, propose)
  const isTooMany = lost.length > guardOf(people.length) && !mayRemove
  if (!isTooMany) toSync.push(...lost)
  return {
    ...run,
    ...counts,
    foreign,
    heldBack: isTooMany ? lost.length : 0,
    toSync: toSync.flatMap(({ userId }) => userId ?? []),
  }
}

/** People whom this shop did not unlock are only listed, and forgotten when they are gone. */
async function recordForeign(
  { db, now }: Context,
  script: ScriptRow,
  people: Person[],
  known: Map<string, GrantRow>,
  propose: (person: Person) => Promise<string | null>,
): Promise<number> {
  const foreign = people.filter(({ username }) => {
    const grant = known.get(keyOfName(username))
    return !grant || (!grant.isOurs && !grant.isWanted)
  })
  for (const person of foreign) {
    const values = {
      isPresent: true,
      presentUntil: person.until,
      observedAt: now(),
      rowId: person.id,
      error: await propose(person),
    }
    await db
      .insert(tvGrants)
      .values({
        scriptId: script.id,
        usernameKey: keyOfName(person.username),
        username: person.username,
        state: 'foreign',
        createdAt: now(),
        ...values,
      })
      .onConflictDoUpdate({
        target: [tvGrants.scriptId, tvGrants.usernameKey],
        set: values,
        setWhere: isNull(tvGrants.userId),
      })
  }
  const keys = foreign.map(({ username }) => keyOfName(username))
  await db
    .delete(tvGrants)
    .where(
      and(
        eq(tvGrants.scriptId, script.id),
        isNull(tvGrants.userId),
        keys.length > 0 ? notInArray(tvGrants.usernameKey, keys) : undefined,
      ),
    )
  return foreign.length
}

/**
 * Someone of ours is gone, another name carries their row's number, and TradingView no longer knows the old name:
 * perhaps they were renamed. That number is documented nowhere, so it is only proposed, to the buyer and to the seller.
 * Returns what to tell the seller, if anything.
 */
async function proposeRename(
  context: Context,
  client: TradingViewClient,
  gone: GrantRow[],
  { id, username }: Person,
) {
  const former = gone.find(({ rowId }) => rowId === id)
  if (!former?.userId || 'username' in (await client.findName(former.username))) return null
  const { db } = context
  const isNamedSo = and(
    eq(entitlements.userId, former.userId),
    eq(entitlements.usernameKey, former.usernameKey),
  )
  const [entitlement] = await db.select().from(entitlements).where(isNamedSo)
  if (entitlement)
    await db.transaction((tx) =>
      recordNameNotFound(tx, context, entitlement, { username: former.username, similar: [username] }),
    )
  return `${former.username} is now ${username}?`
}
