import { and, eq, isNotNull, isNull, lte, notExists, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, tvGrants, tvScripts } from '#server/database/schema.ts'
import type { AccessRequests } from '#server/features/access/access-requests/access-requests.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import type { TradingViewClient, TradingViewGateway } from '#server/gateways/tradingview.ts'
import { createConnection } from './connection.ts'
import { probeSeconds } from './health.ts'
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
    'tradingview-person',
    async ({ userId }) => {
      if (!(await syncPerson(userId))) await watch(db, {}, soon)
    },
    {
      workers: 2,
      describe: ({ userId }) => userId,
      oneFor: ({ userId }) => userId,
      formerly: 'tradingview-sync',
    },
  )

  /** Soon after a failure, and again until TradingView is back: once a minute would be late for someone who has just paid. */
  const watch = queue.job('tradingview-return', catchUp, { oneFor: () => 'return' })

  async function isOn(tx?: Transaction | Database) {
    const row = await connection.current(tx)
    return row !== undefined && row.state !== 'off'
  }

  async function requestSyncForAll(userIds: Iterable<string>) {
    for (const userId of new Set(userIds)) await enqueue(db, { userId })
  }

  /** Those who paid and have nothing yet, then those who have waited longest. */
  const due = (most: number) => {
    const isNew = sql<boolean>`bool_or(${tvGrants.isWanted} and ${tvGrants.isPresent} is not true)`
    return db
      .select({ userId: sql<string>`${tvGrants.userId}`, isNew })
      .from(tvGrants)
      .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
      .where(and(lte(tvGrants.nextTryAt, now()), isNotNull(tvGrants.userId), isNull(tvScripts.problem)))
      .groupBy(tvGrants.userId)
      .orderBy(sql`${isNew} desc`, sql`min(${tvGrants.nextTryAt})`)
      .limit(most)
  }

  /** Asked at most once in ten seconds. One person goes ahead, so that a half-hearted return costs one job, not hundreds. */
  async function isBack(client: TradingViewClient): Promise<boolean> {
    if (!(await connection.health.mayProbe())) return false
    const [first] = (await connection.health.probe(client)) ? await due(1) : []
    if (first) await syncPerson(first.userId)
    const isUp = (await connection.current())?.downSince === null
    if (!isUp) await watch(db, {}, soon)
    return isUp
  }

  /** Everyone whose job was lost, who is due for a retry, or who waited for TradingView: no more than a minute's work. */
  async function catchUp() {
    const opened = await connection.open()
    if (!opened) return
    if (opened.row.downSince && !(await isBack(opened.client))) return
    for (const { userId, isNew } of await due(aMinutesWork))
      await enqueue(db, { userId }, isNew ? newBuyer : {})
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
      if (!(await isOn(tx)) || !(await isNamed(tx, userId))) return
      await enqueue(tx, { userId }, (await isLockedOut(tx, userId)) ? newBuyer : {})
    },

    catchUp,
  }
}

const newBuyer = { priority: 1 }
const soon = { startAfter: probeSeconds, deleteAfterSeconds: 3600 }
/** At one call a second, and never less than one for a person. */
const aMinutesWork = 60

/** May have access under a name that has none yet. */
async function isLockedOut(tx: Transaction, userId: string) {
  const isPresent = and(
    eq(tvGrants.userId, userId),
    eq(tvGrants.usernameKey, entitlements.usernameKey),
    eq(tvGrants.isPresent, true),
  )
  const isWaiting = and(
    eq(entitlements.userId, userId),
    isNotNull(entitlements.usernameKey),
    isNotNull(entitlements.reason),
    notExists(tx.select().from(tvGrants).where(isPresent)),
  )
  return (await tx.$count(entitlements, isWaiting)) > 0
}

/** Without a name, now or before, there is nothing to do on TradingView. */
async function isNamed(tx: Transaction, userId: string) {
  const named = and(eq(entitlements.userId, userId), isNotNull(entitlements.usernameKey))
  return (await tx.$count(entitlements, named)) + (await tx.$count(tvGrants, eq(tvGrants.userId, userId))) > 0
}
