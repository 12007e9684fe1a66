import { and, eq, inArray, isNotNull, isNull, lt } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import {
  accessRequests,
  entitlements,
  purchases,
  tvGrants,
  tvRuns,
  tvScripts,
} from '#server/database/schema.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import { type PeopleList, type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import { compare, type Run } from './compare.ts'
import type { Others } from './connector.ts'
import type { ScriptRow } from './plan.ts'

const walksAtMost = 3
const counted = ['missing', 'wrong', 'ended', 'foreign', 'heldBack'] as const

/** Every night: compares each script's whole list with what is wanted, and queues what differs. */
export function createReconcile(context: Context, { connector, entitlements: { usernames } }: Others) {
  const { db, now, mails, supportEmail } = context
  const { connection, requestSyncForAll } = connector
  const countForeign = () => db.$count(tvGrants, isNull(tvGrants.userId))

  /** Undefined if nothing more may be called. */
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
      const { toSync, ...run } = await compare(context, client, script, list, mayRemove)
      await note(run)
      await requestSyncForAll([...toSync, ...(run.isComplete ? await neverPlanned(db, script) : [])])
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
    await takeNamesFromRequests(db, usernames)
    await usernames.recheckUnknown()
    const { row, client } = opened
    const mayRemove = row.mayRemoveUntil !== null && row.mayRemoveUntil > now()
    const totals = { missing: 0, wrong: 0, ended: 0, foreign: 0, heldBack: 0, people: 0 }
    const foreignBefore = await countForeign()
    for (const script of await db.select().from(tvScripts).where(isNull(tvScripts.problem))) {
      const run = await reconcileScript(script, client, mayRemove)
      if (!run) return
      for (const key of counted) totals[key] += run[key] ?? 0
      totals.people = Math.max(totals.people, run.people ?? 0)
    }
    await connection.health.succeeded({ misunderstood: 0 })
    await connection.set({ heldBack: totals.heldBack || null })
    const hasDifferences = totals.missing + totals.wrong + totals.ended + totals.heldBack > 0
    if (hasDifferences || (await countForeign()) > foreignBefore)
      await mails.sendOnce(
        `tradingview differences ${now().toISOString().slice(0, 10)} ${totals.heldBack}`,
        supportEmail,
        'tradingViewDifferences',
        totals,
      )
    await db.delete(tvRuns).where(lt(tvRuns.startedAt, keptSince(now(), retention.tradingViewCalls)))
  }
}

/** A cursor dies when the list changes on the way: then once more from the start. */
async function walk(client: TradingViewClient, pineId: string): Promise<PeopleList> {
  let list: PeopleList = { people: [], isComplete: false, pages: 0 }
  for (let tries = 0; tries < walksAtMost && !list.isComplete; tries++) list = await client.people(pineId)
  return list
}

/** People who bought and asked before there was a connector, or while it was off, get an entitlement with their name. */
export async function takeNamesFromRequests(db: Database, usernames: Pick<Entitlements['usernames'], 'set'>) {
  const isTheirs = and(
    eq(entitlements.userId, purchases.userId),
    eq(entitlements.productId, purchases.productId),
  )
  const unknown = await db
    .select({
      userId: purchases.userId,
      productId: purchases.productId,
      username: accessRequests.tradingViewUsername,
    })
    .from(purchases)
    .innerJoin(accessRequests, eq(accessRequests.purchaseId, purchases.id))
    .leftJoin(entitlements, isTheirs)
    .where(
      and(
        isLivePurchase,
        inArray(accessRequests.status, ['requested', 'granted']),
        isNull(entitlements.username),
      ),
    )
    .orderBy(accessRequests.submittedAt)
  for (const { userId, productId, username } of unknown)
    await db.transaction((tx) => usernames.set(tx, userId, productId, username))
}

/** Entitled and named, but never planned for on this script. */
async function neverPlanned(db: Database, script: ScriptRow): Promise<string[]> {
  const isPlanned = and(eq(tvGrants.scriptId, script.id), eq(tvGrants.usernameKey, entitlements.usernameKey))
  const rows = await db
    .select({ userId: entitlements.userId })
    .from(entitlements)
    .leftJoin(tvGrants, isPlanned)
    .where(
      and(
        eq(entitlements.productId, script.productId),
        isNotNull(entitlements.reason),
        isNotNull(entitlements.usernameKey),
        isNull(tvGrants.id),
      ),
    )
  return rows.map(({ userId }) => userId)
}
