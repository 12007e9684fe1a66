import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, tvRuns, tvScripts } from '#server/database/schema.ts'
import { type PeopleList, type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import { compare, type Run } from './compare.ts'
import type { ConnectorDeps } from './connector.ts'
import { planUsernames, type ScriptRow } from './plan.ts'

const maxReads = 3
const summedCounts = ['missing', 'wrong', 'ended', 'foreign', 'blockedRemovals'] as const

/** Queues the differences between each script's whole list and the target states. */
export function createReconcile(
  context: Pick<Context, 'db' | 'mails' | 'now' | 'supportEmail'>,
  { connector, access: { names } }: ConnectorDeps,
): () => Promise<void> {
  const { db, now, mails, supportEmail } = context
  const { connection, requestSyncForAll } = connector
  const countForeignEntries = () => db.$count(tvPeople, isNull(tvPeople.userId))

  /** Returns undefined if TradingView can't be called any further. */
  async function reconcileScript(
    script: ScriptRow,
    client: TradingViewClient,
    mayRemove: boolean,
  ): Promise<Partial<Run> | undefined> {
    const startedAt = now()
    const storeRun = (run: Partial<Run>) =>
      db.insert(tvRuns).values({ ...run, scriptId: script.id, startedAt, endedAt: now() })
    try {
      const list = await readWholeList(client, script.pineId)
      // Records the success first, because the sync jobs below run only while TradingView is up.
      await connection.health.recordSuccess({ unreadableAnswers: 0 })
      // Plans before it compares, so that the guard against mass removal counts these people.
      const unplannedUserIds = list.isComplete ? await findUnplanned(context, script) : []
      for (const userId of unplannedUserIds) await db.transaction((tx) => planUsernames(tx, userId, now()))
      const { toSync, ...run } = await compare(context, client, script, list, mayRemove)
      await storeRun(run)
      await requestSyncForAll(toSync)
      await db.transaction(connector.connectorChanged)
      return run
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      await connection.health.recordFailure(error)
      await storeRun({ isComplete: false, error: error.message })
      const isProblemOfScript = error.kind === 'not_yours' || error.kind === 'no_such_script'
      if (!isProblemOfScript) return undefined
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
    const foreignEntriesBefore = await countForeignEntries()
    for (const script of await db.select().from(tvScripts).where(isNull(tvScripts.problem))) {
      const run = await reconcileScript(script, client, mayRemove)
      if (!run) return
      for (const key of summedCounts) totals[key] += run[key] ?? 0
      totals.people = Math.max(totals.people, run.people ?? 0)
    }
    await connection.set({ blockedRemovals: totals.blockedRemovals || null })
    const hasDifferences = totals.missing + totals.wrong + totals.ended + totals.blockedRemovals > 0
    if (hasDifferences || (await countForeignEntries()) > foreignEntriesBefore)
      await mails.sendOnce(
        `tradingview differences ${now().toISOString().slice(0, 10)} ${totals.blockedRemovals}`,
        supportEmail,
        'tradingViewDifferences',
        { ...totals, mode: row.mode },
      )
    await db.delete(tvRuns).where(lt(tvRuns.startedAt, retentionStart(now(), retention.tradingViewCalls)))
  }
}

/** At most 3 attempts, because TradingView's cursor expires when the list changes. */
async function readWholeList(client: TradingViewClient, pineId: string): Promise<PeopleList> {
  let list: PeopleList = { people: [], isComplete: false, pages: 0 }
  for (let reads = 0; reads < maxReads && !list.isComplete; reads++) list = await client.people(pineId)
  return list
}

/** Returns people with a username for this product who have no entry for the script yet. */
async function findUnplanned({ db }: Pick<Context, 'db'>, { id, productId }: ScriptRow): Promise<string[]> {
  const entitledKey = sql`case when ${access.reason} is not null then ${access.nameKey} end`
  const key = sql`coalesce(${entitledKey}, lower(${access.unlockedName}))`
  const isPlanned = and(eq(tvPeople.scriptId, id), eq(tvPeople.userId, access.userId), eq(tvPeople.usernameKey, key))
  const rows = await db
    .select({ userId: access.userId })
    .from(access)
    .leftJoin(tvPeople, isPlanned)
    .where(and(eq(access.productId, productId), sql`${key} is not null`, isNull(tvPeople.id)))
  return rows.map(({ userId }) => userId)
}
