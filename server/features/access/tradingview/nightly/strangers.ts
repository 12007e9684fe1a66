import { and, eq, isNull, notInArray } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import { tvGrants } from '#server/database/schema.ts'
import type { PeopleList } from '#server/gateways/tradingview.ts'
import type { GrantRow, ScriptRow } from '../sync/grants.ts'
import type { Comparison } from './comparison.ts'
import { createRenames } from './renames.ts'

/** People whom this shop did not let in are only reported, and forgotten when they are gone. */
export async function reportStrangers(
  deps: Comparison,
  script: ScriptRow,
  people: PeopleList['people'],
  known: Map<string, GrantRow>,
): Promise<number> {
  const { db, now } = deps
  const strangers = people.filter(({ username }) => {
    const grant = known.get(keyOfName(username))
    return !grant || (!grant.isOurs && !grant.isWanted)
  })
  const propose = createRenames(deps, people, known)
  for (const stranger of strangers) {
    const values = {
      isPresent: true,
      presentUntil: stranger.until,
      observedAt: now(),
      rowId: stranger.id,
      error: await propose(stranger),
    }
    await db
      .insert(tvGrants)
      .values({
        scriptId: script.id,
        usernameKey: keyOfName(stranger.username),
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
  const keys = strangers.map(({ username }) => keyOfName(username))
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
