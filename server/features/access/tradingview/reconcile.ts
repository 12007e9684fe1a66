import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, tvRuns, tvScripts } from '#server/database/schema.ts'
import { type PeopleList, type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import { compare, type Run } from './compare.ts'
import type { ConnectorDeps } from './connector.ts'
import { plan, type ScriptRow } from './plan.ts'

const walksAtMost = 3
const counted = ['missing', 'wrong', 'ended', 'foreign', 'blockedRemovals'] as const

/** Nightly comparison of each script's whole list with the wanted state. Queues the differences. */
export function createReconcile(
  context: Pick<Context, 'db' | 'mails' | 'now' | 'supportEmail'>,
  { connector, access: { names } }: ConnectorDeps,
): () => Promise<void> {
  const { db, now, mails, supportEmail } = context
  const { connection, requestSyncForAll } = connector
  const countStrangers = () => db.$count(tvPeople, isNull(tvPeople.userId))

  /** Undefined if no more calls may be made. */
  async function reconcileScript(
    script: ScriptRow,
    client: TradingViewClient,
    mayRemove: boolean,
  ): Promise<Partial<Run> | undefined> {
    const startedAt = now()
    const note = (run: Partial<Run>) =>
      db.insert(tvRuns).values({ ...run, scriptId: script.id, startedAt, endedAt: now() })
    try {
      const list = await walk(client, script.pineId)
      // Marks TradingView as up before the jobs that follow.
      await connection.health.succeeded({ misunderstood: 0 })
      // Planned before the comparison, so that the mass-removal guard counts them.
      for (const userId of list.isComplete ? await neverPlanned(context, script) : [])
        await db.transaction((tx) => plan(tx, userId, now()))
      const { toSync, ...run } = await compare(context, client, script, list, mayRemove)
      await note(run)
      await requestSyncForAll(toSync)
      await db.transaction(connector.connectorChanged)
      return run
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      await connection.health.failed(error)
      await note({ isComplete: false, error: error.message })
      if (error.kind !== 'not_yours' && error.kind !== 'no_such_script') return undefined
      await db.update(tvScripts).set({ problem: error.message }).where(eq(tvScripts.id, script.id))
      return {}
    }
  }

  return async function reconcile() {
    const opened = await connection.open()
    if (!opened) return
    await names.recheckUnknown()
    const { row, client } = opened
    const mayRemove = row.mayRemoveUntil !== null && row.mayRemoveUntil > now()
    const totals = { missing: 0, wrong: 0, ended: 0, foreign: 0, blockedRemovals: 0, people: 0 }
    const strangersBefore = await countStrangers()
    for (const script of await db.select().from(tvScripts).where(isNull(tvScripts.problem))) {
      const run = await reconcileScript(script, client, mayRemove)
      if (!run) return
      for (const key of counted) totals[key] += run[key] ?? 0
      totals.people = Math.max(totals.people, run.people ?? 0)
    }
    await connection.set({ blockedRemovals: totals.blockedRemovals || null })
    const hasDifferences = totals.missing + totals.wrong + totals.ended + totals.blockedRemovals > 0
    if (hasDifferences || (await countStrangers()) > strangersBefore)
      await mails.sendOnce(
        `tradingview differences ${now().toISOString().slice(0, 10)} ${totals.blockedRemovals}`,
        supportEmail,
        'tradingViewDifferences',
        totals,
      )
    await db.delete(tvRuns).where(lt(tvRuns.startedAt, retentionStart(now(), retention.tradingViewCalls)))
  }
}

/** Reads the whole list. A cursor expires when the list changes; then it starts over, 3 times at most. */
async function walk(client: TradingViewClient, pineId: string): Promise<PeopleList> {
  let list: PeopleList = { people: [], isComplete: false, pages: 0 }
  for (let tries = 0; tries < walksAtMost && !list.isComplete; tries++) list = await client.people(pineId)
  return list
}

/** People who should have access but were never planned on this script. */
async function neverPlanned({ db }: Pick<Context, 'db'>, { id, productId }: ScriptRow): Promise<string[]> {
  const key = sql`coalesce(case when ${access.reason} is not null then ${access.nameKey} end, lower(${access.unlockedName}))`
  const isPlanned = and(eq(tvPeople.scriptId, id), eq(tvPeople.userId, access.userId), eq(tvPeople.usernameKey, key))
  const rows = await db
    .select({ userId: access.userId })
    .from(access)
    .leftJoin(tvPeople, isPlanned)
    .where(and(eq(access.productId, productId), sql`${key} is not null`, isNull(tvPeople.id)))
  return rows.map(({ userId }) => userId)
}
