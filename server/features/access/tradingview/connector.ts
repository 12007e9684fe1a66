import { and, eq, isNotNull, lte } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, tvGrants } from '#server/database/schema.ts'
import type { AccessRequests } from '#server/features/access/access-requests/access-requests.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import type { TradingViewGateway } from '#server/gateways/tradingview.ts'
import { createConnection } from './connection.ts'
import { createMeasures } from './measures.ts'
import { createSync } from './sync.ts'

/** What the room's parts work with, besides the context. */
export type Others = {
  gateway: TradingViewGateway
  connector: Connector
  entitlements: Pick<Entitlements, 'refresh' | 'usernames'>
  accessRequests: Pick<AccessRequests, 'recordUsername'>
}

export type Connector = ReturnType<typeof createConnector>

/** Unlocks on TradingView what people are entitled to, and locks it again: wanted and observed, and a job for each change. */
export function createConnector(context: Context, gateway: TradingViewGateway) {
  const { queue, db, now } = context
  const connection = createConnection(context, gateway)
  const measures = createMeasures(context, { gateway, connection })
  const syncPerson = createSync(context, { connection, unlockedAfter: measures.unlockedAfter })

  const enqueue = queue.job<{ userId: string }>(
    'tradingview-sync',
    async ({ userId }) => {
      const pause = await syncPerson(userId)
      if (pause !== undefined) await enqueue(db, { userId }, { startAfter: Math.ceil(pause / 1000) })
    },
    { workers: 2, describe: ({ userId }) => userId },
  )

  async function isOn(tx?: Transaction | Database) {
    const row = await connection.current(tx)
    return row !== undefined && row.state !== 'off'
  }

  async function requestSyncForAll(userIds: Iterable<string>) {
    for (const userId of new Set(userIds)) await enqueue(db, { userId })
  }

  return {
    connection,
    measures,
    isOn,
    requestSyncForAll,

    /** Whether buyers may expect to be unlocked by themselves. */
    isWorking: async (tx?: Transaction | Database) => connection.isWorking(await connection.current(tx)),

    /** Queues what has to happen on TradingView, along with the change. Switched off, nothing is queued. */
    async requestSync(tx: Transaction, userId: string) {
      if ((await isOn(tx)) && (await isNamed(tx, userId))) await enqueue(tx, { userId })
    },

    /** Everyone whose job was lost, who is due for a retry, or who waited for a new session. */
    async catchUp() {
      const opened = await connection.open()
      if (!opened) return
      if (opened.row.downSince) await connection.health.probe(opened.client)
      const due = await db
        .selectDistinct({ userId: tvGrants.userId })
        .from(tvGrants)
        .where(and(lte(tvGrants.nextTryAt, now()), isNotNull(tvGrants.userId)))
      await requestSyncForAll(due.flatMap(({ userId }) => userId ?? []))
    },
  }
}

/** Without a name, now or before, there is nothing to do on TradingView. */
async function isNamed(tx: Transaction, userId: string) {
  const named = and(eq(entitlements.userId, userId), isNotNull(entitlements.usernameKey))
  return (await tx.$count(entitlements, named)) + (await tx.$count(tvGrants, eq(tvGrants.userId, userId))) > 0
}
