import { and, eq } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import { entitlements } from '#server/database/schema.ts'
import { recordCheckedName } from '#server/features/access/entitlements/entitlements.ts'
import type { PeopleList } from '#server/gateways/tradingview.ts'
import type { GrantRow } from '../sync/grants.ts'
import { tellNameNotFound } from '../sync/name-not-found.ts'
import type { Comparison } from './comparison.ts'

type Person = PeopleList['people'][number]

/**
 * Someone of ours is gone, another name carries their row's number, and TradingView no longer knows the old name:
 * perhaps they were renamed. Nobody documents that number, so it is only proposed, to the buyer and to the seller.
 */
export function createRenames(
  { db, now, mails, client }: Comparison,
  people: Person[],
  known: Map<string, GrantRow>,
) {
  const listed = new Set(people.map(({ username }) => keyOfName(username)))
  const gone = [...known.values()].filter(
    (grant) => grant.isWanted && grant.userId && grant.rowId && !listed.has(grant.usernameKey),
  )

  /** Returns what to tell the seller about this stranger, if anything. */
  return async function propose({ id, username }: Person): Promise<string | null> {
    const former = gone.find(({ rowId }) => rowId === id)
    if (!former?.userId || 'username' in (await client.findName(former.username))) return null
    await tellBuyer(former.userId, former, [username])
    return `${former.username} is now ${username}?`
  }

  async function tellBuyer(userId: string, { username, usernameKey }: GrantRow, similar: string[]) {
    const [claimed] = await db
      .select()
      .from(entitlements)
      .where(and(eq(entitlements.userId, userId), eq(entitlements.usernameKey, usernameKey)))
    if (!claimed) return
    await db.transaction(async (tx) => {
      await recordCheckedName(tx, claimed.id, { username, problem: 'not_found', similar, at: now() })
      await tellNameNotFound(tx, mails, claimed, username, similar)
    })
  }
}
