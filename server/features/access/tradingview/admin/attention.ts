import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Attention } from '#contract/access/tradingview-admin.ts'
import type { Database } from '#server/database/connect.ts'
import { entitlements, tvGrants, tvScripts, users } from '#server/database/schema.ts'
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
    .selectDistinctOn([tvGrants.usernameKey], { grant: tvGrants, email: users.email })
    .from(tvGrants)
    .innerJoin(users, eq(users.id, tvGrants.userId))
    .where(
      sql`${tvGrants.state} = 'stuck' or (${tvGrants.isWanted} and ${tvGrants.isPresent} and not ${tvGrants.isOurs})`,
    )
    .limit(100)
  const former = alias(tvGrants, 'former')
  const renamed = await db
    .selectDistinctOn([tvGrants.usernameKey], {
      grantId: former.id,
      username: tvGrants.username,
      email: users.email,
      text: tvGrants.error,
    })
    .from(tvGrants)
    .innerJoin(former, and(eq(former.scriptId, tvGrants.scriptId), eq(former.rowId, tvGrants.rowId)))
    .innerJoin(users, eq(users.id, former.userId))
    .where(and(isNull(tvGrants.userId), isNotNull(tvGrants.error)))
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
    ...renamed.map((row) => ({ ...row, kind: 'renamed' as const, text: row.text ?? '' })),
    ...grants.map(({ grant: { id: grantId, username, state, error }, email }) => ({
      kind: state === 'stuck' ? ('stuck' as const) : ('had_access' as const),
      grantId,
      username,
      email,
      text:
        state === 'stuck'
          ? (error ?? '')
          : 'Had access before this shop granted it, so it would not be locked when the subscription ends.',
    })),
    // Whose new name is known is in the list already.
    ...names
      .filter((each) => !renamed.some(({ email }) => email === each.email))
      .map(({ problem, username, email }) => ({
        kind: problem === 'not_found' ? ('name_not_found' as const) : (problem ?? 'unreadable'),
        grantId: null,
        username,
        email,
        text: texts[problem ?? 'unreadable'],
      })),
  ]
}
