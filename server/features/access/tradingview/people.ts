import { and, desc, eq, isNotNull, isNull, like, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Attention } from '#contract/access/tradingview-admin.ts'
import type { GrantState } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import {
  auditLog,
  entitlements,
  tvEvents,
  tvGrants,
  tvRuns,
  tvScripts,
  users,
} from '#server/database/schema.ts'
import type { ConnectionRow } from './connection.ts'
import type { Connector } from './connector.ts'
import { grantOf } from './plan.ts'

type Paging = {
  limit: number
  cursor?: string | undefined
  q?: string | undefined
  state?: GrantState | undefined
}

const eventsShown = 100
const runsShown = 10

/** What the seller looks up about the people on the scripts' lists. */
export function createPeople({ db }: Context, { connection }: Connector) {
  return {
    async list({ limit, cursor, q, state }: Paging) {
      const after = decodeCursor(cursor)
      const rows = await db
        .select({
          id: tvGrants.id,
          username: tvGrants.username,
          script: tvScripts.name,
          state: tvGrants.state,
          isOurs: tvGrants.isOurs,
          isWanted: tvGrants.isWanted,
          wantedUntil: tvGrants.wantedUntil,
          isPresent: tvGrants.isPresent,
          presentUntil: tvGrants.presentUntil,
          observedAt: tvGrants.observedAt,
          tries: tvGrants.tries,
          nextTryAt: tvGrants.nextTryAt,
          error: tvGrants.error,
          createdAt: tvGrants.createdAt,
          user: { id: users.id, email: users.email, name: users.name },
        })
        .from(tvGrants)
        .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
        .leftJoin(users, eq(users.id, tvGrants.userId))
        .where(
          and(
            state ? eq(tvGrants.state, state) : undefined,
            q
              ? or(like(tvGrants.usernameKey, containing(q)), like(users.searchText, containing(q)))
              : undefined,
            after ? sql`(${tvGrants.createdAt}, ${tvGrants.id}) < (${after.at}, ${after.id})` : undefined,
          ),
        )
        .orderBy(desc(tvGrants.createdAt), desc(tvGrants.id))
        .limit(limit + 1)
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    /** The calls about a name, and what admins did about it. */
    async history(id: string) {
      const { usernameKey } = await grantOf(db, id)
      const calls = await db
        .select({ at: tvEvents.at, what: tvEvents.call, outcome: tvEvents.outcome, detail: tvEvents.excerpt })
        .from(tvEvents)
        .where(eq(tvEvents.usernameKey, usernameKey))
        .orderBy(desc(tvEvents.id))
        .limit(eventsShown)
      const actions = await db
        .select({ at: auditLog.at, what: auditLog.action, outcome: users.email })
        .from(auditLog)
        .leftJoin(users, eq(users.id, auditLog.actorId))
        .where(and(like(auditLog.action, 'tradingview.%'), eq(auditLog.subject, id)))
        .orderBy(desc(auditLog.id))
        .limit(eventsShown)
      return [
        ...calls,
        ...actions.map(({ outcome, ...action }) => ({ ...action, outcome: outcome ?? '', detail: null })),
      ].toSorted((a, b) => b.at.getTime() - a.at.getTime())
    },

    attention: async () => attention(db, await connection.current()),

    runs: () =>
      db
        .select({
          id: tvRuns.id,
          script: tvScripts.name,
          startedAt: tvRuns.startedAt,
          pages: tvRuns.pages,
          isComplete: tvRuns.isComplete,
          people: tvRuns.people,
          missing: tvRuns.missing,
          wrong: tvRuns.wrong,
          ended: tvRuns.ended,
          foreign: tvRuns.foreign,
          heldBack: tvRuns.heldBack,
          error: tvRuns.error,
        })
        .from(tvRuns)
        .innerJoin(tvScripts, eq(tvScripts.id, tvRuns.scriptId))
        .orderBy(desc(tvRuns.startedAt))
        .limit(runsShown),
  }
}

const noPerson = { grantId: null, username: null, email: null }
const texts = {
  not_found: 'TradingView does not know this username. The buyer has been told and can correct it.',
  taken: 'Another customer has this TradingView account. Find out whose it is.',
  unreadable: 'This can’t be a TradingView username. Ask the buyer for it.',
}

/** What the connector cannot do without a person. */
async function attention(db: Database, connection: ConnectionRow | undefined): Promise<Attention[]> {
  const heldBack = connection?.heldBack
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
    ...(heldBack
      ? [
          {
            ...noPerson,
            kind: 'held_back' as const,
            text: `We would lock ${heldBack} people at once. Please look.`,
          },
        ]
      : []),
    ...scripts.map(({ name, problem }) => ({
      ...noPerson,
      kind: 'script' as const,
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
    // Anyone whose new name is known is in the list already.
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
