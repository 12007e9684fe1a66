import { eq, isNull, lt } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import { tvGrants, tvRuns, tvScripts } from '#server/database/schema.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import { type PeopleList, type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { TradingView } from '../connector.ts'
import type { ScriptRow } from '../sync/grants.ts'
import { compare, type Run } from './compare.ts'
import { claimForgottenNames, neverPlanned } from './never-planned.ts'

const walksAtMost = 3
const counted = ['missing', 'wrong', 'ended', 'foreign', 'heldBack'] as const

/** Every night: compares each script's whole list with what is wanted, and mends what differs. */
export function createReconcile(
  tradingView: TradingView,
  entitlements: Pick<Entitlements, 'claim' | 'recheckNames'>,
) {
  const { db, now, mails, connections, supportEmail, deliverAll } = tradingView
  const strangers = () => db.$count(tvGrants, isNull(tvGrants.userId))

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
      const { toMend, ...run } = await compare({ db, now, mails, client }, script, list, mayRemove)
      await note(run)
      await deliverAll([...toMend, ...(run.isComplete ? await neverPlanned(db, script) : [])])
      return run
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      await connections.failed(error)
      await note({ isComplete: false, error: error.message })
      if (error.kind !== 'not_yours' && error.kind !== 'no_such_script') return undefined
      await db.update(tvScripts).set({ problem: error.message }).where(eq(tvScripts.id, script.id))
      return {}
    }
  }

  return async function reconcile() {
    const opened = await connections.open()
    if (!opened) return
    await claimForgottenNames(db, entitlements)
    await entitlements.recheckNames()
    const { row, client } = opened
    const mayRemove = row.mayRemoveUntil !== null && row.mayRemoveUntil > now()
    const totals = { missing: 0, wrong: 0, ended: 0, foreign: 0, heldBack: 0, people: 0 }
    const strangersBefore = await strangers()
    for (const script of await db.select().from(tvScripts).where(isNull(tvScripts.problem))) {
      const run = await reconcileScript(script, client, mayRemove)
      if (!run) return
      for (const key of counted) totals[key] += run[key] ?? 0
      totals.people = Math.max(totals.people, run.people ?? 0)
    }
    await connections.succeeded()
    await connections.set({ heldBack: totals.heldBack || null })
    const hasDifferences = totals.missing + totals.wrong + totals.ended + totals.heldBack > 0
    if (hasDifferences || (await strangers()) > strangersBefore)
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
