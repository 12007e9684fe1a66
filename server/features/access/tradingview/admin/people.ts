import { and, desc, eq, like, or, sql } from 'drizzle-orm'
import type { GrantState } from '#contract/statuses.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import { auditLog, tvEvents, tvGrants, tvRuns, tvScripts, users } from '#server/database/schema.ts'
import { attention } from './attention.ts'
import type { AdminDependencies } from './dependencies.ts'
import { grantOf } from './person.ts'

type Paging = {
  limit: number
  cursor?: string | undefined
  q?: string | undefined
  state?: GrantState | undefined
}

const eventsShown = 100
const runsShown = 10

/** What there is to look up about people. */
export function createPeopleAdmin({ tradingView: { db, connections } }: AdminDependencies) {
  return {
    async people({ limit, cursor, q, state }: Paging) {
      const after = decodeCursor(cursor)
      const rows = await db
        .select({
          grant: tvGrants,
          script: tvScripts.name,
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
      const { items, next } = pageOf(rows, limit, ({ grant }) => ({ at: grant.createdAt, id: grant.id }))
      return {
        items: items.map(({ grant, script, user }) => ({
          id: grant.id,
          username: grant.username,
          script,
          state: grant.state,
          isOurs: grant.isOurs,
          isWanted: grant.isWanted,
          wantedUntil: grant.wantedUntil,
          isPresent: grant.isPresent,
          presentUntil: grant.presentUntil,
          observedAt: grant.observedAt,
          tries: grant.tries,
          nextTryAt: grant.nextTryAt,
          error: grant.error,
          createdAt: grant.createdAt,
          user: user?.id ? user : null,
        })),
        next,
      }
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

    attention: async () => attention(db, await connections.current()),

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
