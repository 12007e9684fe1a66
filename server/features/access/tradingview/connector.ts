import { and, eq, inArray, isNotNull, lt, notInArray, or } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, tvEvents, tvGrants, tvScripts } from '#server/database/schema.ts'
import type { TradingViewGateway } from '#server/gateways/tradingview.ts'
import type { Queue } from '#server/jobs/queue.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Secrets } from '#server/security/secrets.ts'
import { createConnecting } from './connection/connecting.ts'
import { createConnections } from './connection/connections.ts'
import { createMeasures } from './measures.ts'
import { createSync } from './sync/sync.ts'

type TradingViewDependencies = {
  db: Database
  now: () => Date
  queue: Queue
  mails: Mails
  audit: Audit
  secrets: Secrets
  gateway: TradingViewGateway
  supportEmail: string
  crashPoint: (name: string) => void
}

/** Without a name, now or before, there is nothing to do on TradingView. */
async function isNamed(tx: Transaction, userId: string) {
  const named = and(eq(entitlements.userId, userId), isNotNull(entitlements.usernameKey))
  return (await tx.$count(entitlements, named)) + (await tx.$count(tvGrants, eq(tvGrants.userId, userId))) > 0
}

export type TradingView = ReturnType<typeof createTradingView>

/** Unlocks on TradingView what people are entitled to, and locks it again: desired and observed, and a job for each change. */
export function createTradingView(deps: TradingViewDependencies) {
  const { queue, db, now } = deps
  const connections = createConnections(deps)
  const connecting = createConnecting({ ...deps, connections })
  const measures = createMeasures({ ...deps, connections })
  const syncing = createSync({ ...deps, connections, unlocked: measures.unlocked })

  const enqueue = queue.job<{ userId: string }>(
    'tradingview-sync',
    async ({ userId }) => {
      const pause = await syncing.sync(userId)
      if (pause !== undefined) await enqueue(db, { userId }, { startAfter: Math.ceil(pause / 1000) })
    },
    { workers: 2, describe: ({ userId }) => userId },
  )

  const isOn = async (tx?: Transaction | Database) => {
    const row = await connections.current(tx)
    return row !== undefined && row.state !== 'off'
  }

  return {
    ...deps,
    connections,
    connecting,
    measures,
    syncing,
    isOn,

    /** Queues what has to happen on TradingView, along with the change. Switched off, nothing is queued. */
    async deliver(tx: Transaction, userId: string) {
      if ((await isOn(tx)) && (await isNamed(tx, userId))) await enqueue(tx, { userId })
    },

    /** Many at once, outside any change. */
    async deliverAll(userIds: Iterable<string>) {
      for (const userId of new Set(userIds)) await enqueue(db, { userId })
    },

    /** As a connector, for access requests. */
    async isWorking(tx?: Transaction | Database) {
      return connections.isWorking(await connections.current(tx))
    },

    /** After 90 days nobody asks about a call anymore, nor about someone who is forgotten. */
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

    /** Lost jobs, waiting retries and whoever waited for a new session. */
    async catchUp() {
      const opened = await connections.open()
      if (!opened) return
      if (opened.row.downSince) await connections.lookWhetherBack(opened.client)
      for (const { userId } of await syncing.due()) if (userId) await enqueue(db, { userId })
    },
  }
}
