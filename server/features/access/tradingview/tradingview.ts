import { and, desc, eq, getTableColumns, isNotNull, lt, notInArray, or } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { tvEvents, tvPeople, tvRuns, tvScripts } from '#server/database/schema.ts'
import { connectLookAlike, createConnecting } from './connecting.ts'
import type { Others } from './connector.ts'
import { createNameCheck } from './name-check.ts'
import { createPerson } from './person.ts'
import { createReconcile } from './reconcile.ts'
import { createScripts } from './scripts.ts'
import { createStrangers } from './strangers.ts'

export { currentConnection, isWorking, resealCookies } from './connection.ts'
export { createConnector } from './connector.ts'

const runsShown = 10
const { scriptId: _, endedAt: __, ...shownOfRun } = getTableColumns(tvRuns)

export type TradingView = ReturnType<typeof createTradingView>

/** What buyers and the seller see of the connector, and have it do. Whatever an admin does is audited. */
export function createTradingView(context: Context, others: Others) {
  const { db, now } = context
  const { connector } = others
  return {
    measures: connector.measures,
    connecting: createConnecting(context, others),
    connectLookAlike: () => connectLookAlike(context, others.gateway),
    scripts: createScripts(context, connector),
    strangers: createStrangers(context, connector),
    person: createPerson(context, others),
    checkUsername: createNameCheck(context, connector.connection),
    reconcile: createReconcile(context, others),
    catchUp: connector.catchUp,
    remind: connector.connection.health.remind,

    /** Calls are kept for 90 days, and those about someone who is forgotten until the next night. */
    async forgetHistory() {
      const isKnown = db.select({ key: tvPeople.usernameKey }).from(tvPeople)
      await db
        .delete(tvEvents)
        .where(
          or(
            lt(tvEvents.at, keptSince(now(), retention.tradingViewCalls)),
            and(isNotNull(tvEvents.usernameKey), notInArray(tvEvents.usernameKey, isKnown)),
          ),
        )
    },

    /** The latest comparisons. */
    runs: () =>
      db
        .select({ ...shownOfRun, script: tvScripts.name })
        .from(tvRuns)
        .innerJoin(tvScripts, eq(tvScripts.id, tvRuns.scriptId))
        .orderBy(desc(tvRuns.startedAt))
        .limit(runsShown),
  }
}
