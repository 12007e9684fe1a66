import { eq } from 'drizzle-orm'
import type { GrantState } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvGrants, tvScripts } from '#server/database/schema.ts'
import { recordCheckedName } from '#server/features/access/entitlements/entitlements.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Connection, ConnectionRow } from './connection.ts'
import { isWantedNow, plan, storeIfUnchanged, type Work, wishOf } from './plan.ts'
import { createSyncName } from './sync-name.ts'

type Others = {
  connection: Connection
  /** How long a buyer waited, for the metrics. */
  unlockedAfter(seconds: number): void
}
type Opened = { row: ConnectionRow; client: TradingViewClient }
/** What came of one round over a person's names. */
type Round = { isSettled: boolean; isProof: boolean; isFailed: boolean }

/** Someone else may write while TradingView is asked; then the newer wish counts. */
const mostRounds = 10

/**
 * Brings TradingView in line with what one person may have. Repeating it is harmless, and the next run repairs what a
 * crash left behind. TradingView is called outside any transaction; a row's version shows whether the wish changed
 * meanwhile, and then everything starts over.
 */
export function createSync(context: Context, { connection, unlockedAfter }: Others) {
  const { db, now } = context
  const syncName = createSyncName(context, unlockedAfter)
  const fail = createFailures(context, connection)

  async function round(userId: string, { row, client }: Opened, isFirst: boolean): Promise<Round> {
    const works = await db.transaction((tx) => plan(tx, userId, now()))
    const hasOldNames = works.some(({ entitlement }) => !entitlement)
    const result: Round = { isSettled: true, isProof: works.length > 0, isFailed: false }
    for (const work of works) {
      try {
        const isNewName = work.entitlement !== undefined && work.grant.isPresent !== true
        if (!(await syncName(client, row.mode, work))) result.isSettled = false
        // An old name may be waiting for this one.
        else if (isFirst && isNewName && hasOldNames) result.isSettled = false
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        result.isProof = false
        if (await fail(work, error)) result.isFailed = true
      }
    }
    return result
  }

  /** Whatever is left is found by the next look at who is due. */
  const leaveForLater = (tx: Database | Transaction, userId: string) =>
    tx.update(tvGrants).set({ nextTryAt: now() }).where(eq(tvGrants.userId, userId))

  /** False if TradingView has failed in a way that passes. */
  return async function syncPerson(userId: string): Promise<boolean> {
    const opened = await connection.open()
    // Without a connection, only what is wanted is written down, for the moment it is back.
    if (!opened || opened.row.downSince)
      return db.transaction(async (tx) => {
        await plan(tx, userId, now())
        await leaveForLater(tx, userId)
        return true
      })
    for (let count = 0; count < mostRounds; count++) {
      const { isSettled, isProof, isFailed } = await round(userId, opened, count === 0)
      if (isFailed) return false
      if (!isSettled) continue
      // Without a call, or with a failure, it says nothing about the connection.
      if (isProof) await connection.health.succeeded({ misunderstood: 0 })
      return true
    }
    await leaveForLater(db, userId)
    return true
  }
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute]
const givesUpAfter = 72 * hour
const tellsAfter = hour

/** What passes is tried again for three days; what does not waits for a person. */
function createFailures({ db, now, mails, supportEmail }: Context, connection: Connection) {
  /** Returns whether it is tried again after a pause. */
  return async function fail(work: Work, failure: TradingViewFailure): Promise<boolean> {
    await connection.health.failed(failure)
    const { grant, script, entitlement } = work
    const at = now()
    const failingSince = grant.failingSince ?? at
    const about = { tries: grant.tries + 1, failingSince, error: failure.message }
    const isWanted = isWantedNow(wishOf(grant), at)
    const wait = async (state: GrantState, nextTryAt: Date | null = null) => {
      await storeIfUnchanged(db, grant, { ...about, nextTryAt, state })
      return false
    }

    switch (failure.kind) {
      case 'session':
      case 'blocked':
      case 'stopped':
        // Due as soon as the connection is back.
        about.tries = 0
        return wait(isWanted ? 'waiting' : 'locking', at)
      case 'not_yours':
      case 'no_such_script':
        await db.update(tvScripts).set({ problem: failure.message }).where(eq(tvScripts.id, script.id))
        return wait('stuck')
      case 'no_such_name':
        if (entitlement) {
          const checked = { username: grant.username, problem: 'not_found' as const, similar: [], at }
          await db.transaction((tx) => recordCheckedName(tx, entitlement.id, checked))
        }
        return wait(isWanted ? 'name_not_found' : 'locked')
      case 'passing':
      case 'unknown':
    }
    const failingFor = at.getTime() - failingSince.getTime()
    if (failingFor >= tellsAfter) await mailStuck(work, failure, failingSince)
    if (failingFor >= givesUpAfter) return wait('stuck')
    const pause = pauses[grant.tries] ?? hour
    await wait(isWanted ? 'unlocking' : 'locking', new Date(at.getTime() + pause))
    return true
  }

  /** Once for all scripts of a name. */
  async function mailStuck({ grant }: Work, { message: error }: TradingViewFailure, failingSince: Date) {
    const since = failingSince.toISOString()
    const occasion = `stuck ${grant.usernameKey} ${since.slice(0, 10)}`
    const about = { username: grant.username, error, since }
    await mails.sendOnce(occasion, supportEmail, 'tradingViewStuck', about)
  }
}
