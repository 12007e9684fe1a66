import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Attention } from '#contract/tradingview-admin.ts'
import type { Database } from '../../../database/connect.ts'
import { entitlements, tvGrants, tvScripts, users } from '../../../database/schema.ts'
import type { ConnectionRow } from '../connection/row.ts'

const texts = {
  not_found: 'TradingView does not know this username. The buyer has been told and can correct it.',
  taken: 'Another customer has this TradingView account. Find out whose it is.',
  unreadable: 'This can’t be a TradingView username. Ask the buyer for it.',
}

/** What the connector cannot do without a person. */
export async function attention(db: Database, connection: ConnectionRow | undefined): Promise<Attention[]> {
  const names = await db
    .select({ problem: entitlements.problem, username: entitlements.username, email: users.email })
    .from(entitlements)
    .innerJoin(users, eq(users.id, entitlements.userId))
    .where(and(isNotNull(entitlements.problem), isNotNull(entitlements.reason)))
    .limit(100)
  const grants = await db
    .select({ grant: tvGrants, email: users.email })
    .from(tvGrants)
    .leftJoin(users, eq(users.id, tvGrants.userId))
    .where(
      sql`${tvGrants.state} = 'stuck' or (${tvGrants.userId} is null and ${tvGrants.error} is not null)
        or (${tvGrants.isWanted} and ${tvGrants.isPresent} and not ${tvGrants.isOurs})`,
    )
    .limit(100)
  const scripts = await db.select().from(tvScripts).where(isNotNull(tvScripts.problem))
  return [
    ...(connection?.heldBack
      ? [
          {
            kind: 'held_back' as const,
            grantId: null,
            username: null,
            email: null,
            text: `We would lock ${connection.heldBack} people at once. Please look.`,
          },
        ]
      : []),
    ...scripts.map(({ name, problem }) => ({
      kind: 'script' as const,
      grantId: null,
      username: null,
      email: null,
      text: `${name}: ${problem}`,
    })),
    ...grants.map(({ grant, email }) => ({
      kind:
        grant.state === 'stuck'
          ? ('stuck' as const)
          : grant.userId
            ? ('had_access' as const)
            : ('renamed' as const),
      grantId: grant.id,
      username: grant.username,
      email,
      text:
        grant.state === 'stuck' || !grant.userId
          ? (grant.error ?? '')
          : 'Had access before this shop granted it, so it would not be locked when the subscription ends.',
    })),
    ...names.map(({ problem, username, email }) => ({
      kind: problem === 'not_found' ? ('name_not_found' as const) : (problem ?? 'unreadable'),
      grantId: null,
      username,
      email,
      text: texts[problem ?? 'unreadable'],
    })),
  ]
}
