import { and, eq, isNull, notInArray } from 'drizzle-orm'
import type { Database } from '../../../database/connect.ts'
import { tvGrants } from '../../../database/schema.ts'
import type { PeopleList } from '../../../gateways/tradingview.ts'
import type { GrantRow, ScriptRow } from '../sync/grants.ts'

type Stranger = PeopleList['people'][number]

/** People whom this shop did not let in are only reported, and forgotten when they are gone. */
export async function reportStrangers(
  { db, now }: { db: Database; now: () => Date },
  script: ScriptRow,
  people: Stranger[],
  known: Map<string, GrantRow>,
): Promise<number> {
  const strangers = people.filter(({ username }) => {
    const grant = known.get(username.toLowerCase())
    return !grant || (!grant.isOurs && !grant.isWanted)
  })
  for (const stranger of strangers) {
    const values = {
      isPresent: true,
      presentUntil: stranger.until,
      observedAt: now(),
      rowId: stranger.id,
      error: renamedFrom(stranger, known),
    }
    await db
      .insert(tvGrants)
      .values({
        scriptId: script.id,
        usernameKey: stranger.username.toLowerCase(),
        username: stranger.username,
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
  const keys = strangers.map(({ username }) => username.toLowerCase())
  await db
    .delete(tvGrants)
    .where(
      and(
        eq(tvGrants.scriptId, script.id),
        isNull(tvGrants.userId),
        keys.length > 0 ? notInArray(tvGrants.usernameKey, keys) : undefined,
      ),
    )
  return strangers.length
}

/** Someone of ours is gone, and this row carries the same number: perhaps renamed. */
function renamedFrom({ id, username }: Stranger, known: Map<string, GrantRow>): string | null {
  const former = [...known.values()].find(
    (grant) => grant.isWanted && grant.rowId === id && grant.usernameKey !== username.toLowerCase(),
  )
  return former ? `${former.username} may be called ${username} now.` : null
}
