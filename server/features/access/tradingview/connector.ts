import { and, eq, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { access, tvPeople, tvScripts } from '#server/database/schema.ts'
import { type AccessModule, refreshTodo } from '#server/features/access/access/access.ts'
import type { TradingViewClient } from '#server/gateways/tradingview.ts'
import { type Connection, createConnection, isWorking } from './connection.ts'
import { probeSeconds } from './health.ts'
import { createMeasures, type Measures } from './measures.ts'
import { createSync } from './sync.ts'

type ConnectorContext = Pick<
  Context,
  'audit' | 'catalog' | 'crashPoint' | 'db' | 'mails' | 'now' | 'queue' | 'secrets' | 'supportEmail' | 'tradingView'
>

/** Unlocks and locks people on TradingView, by a job for each person. */
export type Connector = {
  connection: Connection
  measures: Measures
  connectorChanged(tx: Transaction): Promise<void>
  isOn(tx?: Transaction | Database): Promise<boolean>
  requestSyncForAll(userIds: Iterable<string>): Promise<void>
  servedProducts(tx?: Transaction | Database): Promise<ReadonlySet<string>>
  /** Queues the sync of a person in the caller's transaction, unless the connector is off. */
  requestSync(tx: Transaction, userId: string): Promise<void>
  catchUp(): Promise<void>
}

export type ConnectorDeps = { connector: Connector; access: Pick<AccessModule, 'names' | 'refresh'> }

export function createConnector(
  context: ConnectorContext,
  /** Reassigns waiting people to the connector or the seller. Called with every change, and every minute. */
  connectorChanged: (tx: Transaction) => Promise<void>,
): Connector {
  const { queue, db, now } = context
  const connection = createConnection(context, connectorChanged)
  const measures = createMeasures(context, connection)
  const syncPerson = createSync(context, { connection, unlockedAfter: measures.unlockedAfter })

  const enqueue = queue.job<{ userId: string }>(
    'tradingview-person',
    async ({ userId }) => {
      const isDone = await syncPerson(userId)
      await refreshTodo(db, { isOn, servedProducts: served }, now(), [userId])
      if (!isDone) await watch(db, {}, soon)
    },
    { workers: 2, describe: ({ userId }) => userId, oneFor: ({ userId }) => userId },
  )

  /** Retries every 10 s during an outage; the minute schedule would be late for new buyers. */
  const watch = queue.job('tradingview-return', catchUp, { oneFor: () => 'return' })

  async function isOn(tx?: Transaction | Database) {
    const row = await connection.current(tx)
    return row !== undefined && row.state !== 'off'
  }

  async function served(tx: Transaction | Database = db): Promise<ReadonlySet<string>> {
    return servedProducts(tx, await connection.current(tx), now())
  }

  async function requestSyncForAll(userIds: Iterable<string>) {
    for (const userId of new Set(userIds)) await enqueue(db, { userId })
  }

  /** People who are due: new buyers first, then by waiting time. */
  const due = (most: number) => {
    const isNew = sql<boolean>`bool_or(coalesce(${access.state} = 'unlocking', false))`
    return db
      .select({ userId: sql<string>`${tvPeople.userId}`, isNew })
      .from(tvPeople)
      .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
      .leftJoin(access, and(eq(access.userId, tvPeople.userId), eq(access.productId, tvScripts.productId)))
      .where(and(lte(tvPeople.nextTryAt, now()), isNotNull(tvPeople.userId), isNull(tvScripts.problem)))
      .groupBy(tvPeople.userId)
      .orderBy(sql`${isNew} desc`, sql`min(${tvPeople.nextTryAt})`)
      .limit(most)
  }

  /** Probes at most once in 10 s. Syncs one person first, so that a partial recovery fails one job, not hundreds. */
  async function isBack(client: TradingViewClient): Promise<boolean> {
    if (!(await connection.health.mayProbe())) return false
    const [first] = (await connection.health.probe(client)) ? await due(1) : []
    if (first) await syncPerson(first.userId)
    const isUp = (await connection.current())?.downSince === null
    if (!isUp) await watch(db, {}, soon)
    return isUp
  }

  /** Queues people whose job was lost, who are due for a retry or who waited for TradingView; 60 at most. */
  async function catchUp() {
    const opened = await connection.open()
    const isUp = opened && (!opened.row.downSince || (await isBack(opened.client)))
    await db.transaction(connectorChanged)
    if (!isUp) return
    for (const { userId, isNew } of await due(aMinutesWork)) await enqueue(db, { userId }, isNew ? newBuyer : {})
  }

  return {
    connection,
    measures,
    connectorChanged,
    isOn,
    requestSyncForAll,

    servedProducts: served,

    async requestSync(tx, userId) {
      await refreshTodo(tx, { isOn, servedProducts: served }, now(), [userId])
      if (!(await isOn(tx)) || !(await isNamed(tx, userId))) return
      await enqueue(tx, { userId }, (await isWaiting(tx, userId)) > 0 ? newBuyer : {})
    },

    catchUp,
  }
}

/** Ids of products with a script. Empty unless the connector works. */
export async function servedProducts(
  tx: Transaction | Database,
  row: Parameters<typeof isWorking>[0],
  at: Date,
): Promise<ReadonlySet<string>> {
  if (!isWorking(row, at)) return new Set()
  const scripts = await tx.selectDistinct({ productId: tvScripts.productId }).from(tvScripts)
  return new Set(scripts.map(({ productId }) => productId))
}

const newBuyer = { priority: 1 }
const soon = { startAfter: probeSeconds, deleteAfterSeconds: 3600 }
/** 60 people per minute at one call per second. */
const aMinutesWork = 60

const isWaiting = (tx: Transaction, userId: string) =>
  tx.$count(access, and(eq(access.userId, userId), eq(access.state, 'unlocking')))

/** True if the person has or had a username, so that there is something to sync. */
async function isNamed(tx: Transaction, userId: string) {
  const named = and(eq(access.userId, userId), or(isNotNull(access.nameKey), isNotNull(access.unlockedName)))
  return (await tx.$count(access, named)) + (await tx.$count(tvPeople, eq(tvPeople.userId, userId))) > 0
}
