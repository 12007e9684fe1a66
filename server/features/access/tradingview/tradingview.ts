import { and, eq, inArray, isNotNull, lt, notInArray, or } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { tvEvents, tvGrants, tvScripts } from '#server/database/schema.ts'
import { createBuyers } from './buyers.ts'
import { connectLookAlike, createConnecting } from './connecting.ts'
import type { Others } from './connector.ts'
import { createPeople } from './people.ts'
import { createPerson } from './person.ts'
import { createReconcile } from './reconcile.ts'
import { createScripts } from './scripts.ts'

export { resealCookies } from './connection.ts'
export { createConnector } from './connector.ts'
export { takeNamesFromRequests } from './reconcile.ts'

export type TradingView = ReturnType<typeof createTradingView>

/** What buyers and the seller see of the connector, and do with it. Whatever an admin does is audited. */
export function createTradingView(context: Context, others: Others) {
  const { db, now } = context
  const { connector } = others
  return {
    measures: connector.measures,
    connecting: createConnecting(context, others),
    connectLookAlike: () => connectLookAlike(context, others.gateway),
    scripts: createScripts(context, connector),
    people: createPeople(context, connector),
    person: createPerson(context, others),
    buyers: createBuyers(context, others),
    reconcile: createReconcile(context, others),
    catchUp: connector.catchUp,
    remind: connector.connection.health.remind,

    /** Calls are kept for 90 days, and those about someone who is forgotten until the next night. */
    async forgetHistory() {
      const isKnown = db.select({ key: tvGrants.usernameKey }).from(tvGrants)
      await db
        .delete(tvEvents)
        .where(
          or(
            lt(tvEvents.at, keptSince(now(), retention.tradingViewCalls)),
            and(isNotNull(tvEvents.usernameKey), notInArray(tvEvents.usernameKey, isKnown)),
          ),
        )
    },

    /** What TradingView was asked and last said about someone. */
    async dataOf(userId: string) {
      const access = await db
        .select({
          username: tvGrants.username,
          script: tvScripts.name,
          state: tvGrants.state,
          until: tvGrants.presentUntil,
          checkedAt: tvGrants.observedAt,
        })
        .from(tvGrants)
        .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
        .where(eq(tvGrants.userId, userId))
      const names = db.select({ key: tvGrants.usernameKey }).from(tvGrants).where(eq(tvGrants.userId, userId))
      const calls = await db
        .select({ at: tvEvents.at, call: tvEvents.call, outcome: tvEvents.outcome })
        .from(tvEvents)
        .where(inArray(tvEvents.usernameKey, names))
        .orderBy(tvEvents.id)
      return { tradingViewAccess: access, tradingViewCalls: calls }
    },
  }
}
