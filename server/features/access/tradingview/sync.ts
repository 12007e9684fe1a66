import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvPeople, tvScripts } from '#server/database/schema.ts'
import { recordCheckedName } from '#server/features/access/access/access.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Connection, ConnectionRow } from './connection.ts'
import { noFailure, plan, storeIfUnchanged, type UsernamePlan } from './plan.ts'
import { createSyncName } from './sync-name.ts'

type SyncDeps = { connection: Connection; unlockedAfter(seconds: number): void }
type Opened = { row: ConnectionRow; client: TradingViewClient }
type Round = { isSettled: boolean; isProof: boolean; isFailed: boolean }

/** Rounds after concurrent changes; the newest wanted state counts. */
const mostRounds = 10

/**
 * Brings one person's entries on TradingView in line with what is wanted. Idempotent. Calls TradingView outside any
 * transaction and starts over if the row's version has changed. Returns false after a temporary failure.
 */
type SyncPerson = (userId: string) => Promise<boolean>

export function createSync(
  context: Pick<Context, 'catalog' | 'crashPoint' | 'db' | 'mails' | 'now' | 'supportEmail'>,
  { connection, unlockedAfter }: SyncDeps,
): SyncPerson {
  const { db, now } = context
  const syncName = createSyncName(context, unlockedAfter)
  const fail = createFailures(context, connection)

  async function round(userId: string, { row, client }: Opened): Promise<Round> {
    const works = await db.transaction((tx) => plan(tx, userId, now()))
    const result: Round = { isSettled: true, isProof: works.length > 0, isFailed: false }
    for (const work of works) {
      try {
        if (!(await syncName(client, row.mode, work))) result.isSettled = false
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        result.isProof = false
        if (await fail(work, error)) result.isFailed = true
      }
    }
    return result
  }

  /** Leaves the rest to the next `catchUp`. */
  const leaveForLater = (tx: Database | Transaction, userId: string) =>
    tx.update(tvPeople).set({ nextTryAt: now() }).where(eq(tvPeople.userId, userId))

  return async function syncPerson(userId) {
    const opened = await connection.open()
    // Without a connection, stores only the wanted state.
    if (!opened || opened.row.downSince)
      return db.transaction(async (tx) => {
        await plan(tx, userId, now())
        await leaveForLater(tx, userId)
        return true
      })
    for (let count = 0; count < mostRounds; count++) {
      const { isSettled, isProof, isFailed } = await round(userId, opened)
      if (isFailed) return false
      if (!isSettled) continue
      // Only rounds with successful calls say that the connection works.
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

/** Temporary failures are retried for three days; others wait for the seller. */
function createFailures(context: Pick<Context, 'db' | 'mails' | 'now' | 'supportEmail'>, connection: Connection) {
  const { db, now, mails, supportEmail } = context

  /** True if it is retried after a pause. */
  return async function fail(work: UsernamePlan, failure: TradingViewFailure): Promise<boolean> {
    await connection.health.failed(failure)
    const { person, script, row } = work
    const at = now()
    const failingSince = person.failingSince ?? at
    const about = { tries: person.tries + 1, failingSince, error: failure.message }
    const wait = async (nextTryAt: Date | null = null) => {
      await storeIfUnchanged(db, person, { ...about, nextTryAt })
      return false
    }

    switch (failure.kind) {
      case 'session':
      case 'blocked':
      case 'stopped':
        // Due again when the connection is back.
        about.tries = 0
        return wait(at)
      case 'not_yours':
      case 'no_such_script':
        await db.update(tvScripts).set({ problem: failure.message }).where(eq(tvScripts.id, script.id))
        return wait()
      case 'no_such_name':
        // An old username that does not exist needs no removal.
        if (!row || !work.isCurrent) {
          await storeIfUnchanged(db, person, { ...noFailure, isPresent: false, presentUntil: null })
          return false
        }
        await db.transaction((tx) =>
          recordCheckedName(tx, row, { username: person.username, problem: 'not_found', similar: [], at }),
        )
        return wait()
      case 'passing':
      case 'unknown':
    }
    const failingFor = at.getTime() - failingSince.getTime()
    if (failingFor >= tellsAfter) await mailStuck(work, failure, failingSince)
    if (failingFor >= givesUpAfter) return wait()
    const pause = pauses[person.tries] ?? hour
    await wait(new Date(at.getTime() + pause))
    return true
  }

  /** Sends one email for all scripts of a username. */
  async function mailStuck({ person }: UsernamePlan, { message: error }: TradingViewFailure, failingSince: Date) {
    const since = failingSince.toISOString()
    const occasion = `stuck ${person.usernameKey} ${since.slice(0, 10)}`
    const about = { username: person.username, error, since }
    await mails.sendOnce(occasion, supportEmail, 'tradingViewStuck', about)
  }
}
