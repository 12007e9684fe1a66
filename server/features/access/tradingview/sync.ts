import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvPeople, tvScripts } from '#server/database/schema.ts'
import { recordCheckedName } from '#server/features/access/access/access.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Connection, OpenConnection } from './connection.ts'
import { noFailure, planUsernames, storeIfUnchanged, type UsernamePlan } from './plan.ts'
import { createSyncName } from './sync-name.ts'

type SyncDeps = { connection: Connection; observeUnlock(seconds: number): void }
type RoundResult = {
  /** False if a target state changed during the round. */
  isSettled: boolean
  /** True if every call succeeded, and there was one. */
  hasOnlySuccesses: boolean
  /** True if a failure is retried after a pause. */
  isRetried: boolean
}

/** Rounds for one person, if concurrent changes make a new round necessary. */
const maxRounds = 10

/** Idempotent. Calls TradingView outside any transaction; starts over if the row's version has changed. False after a temporary failure. */
type SyncPerson = (userId: string) => Promise<boolean>

export function createSync(
  context: Pick<Context, 'catalog' | 'crashPoint' | 'db' | 'mails' | 'now' | 'supportEmail'>,
  { connection, observeUnlock }: SyncDeps,
): SyncPerson {
  const { db, now } = context
  const syncName = createSyncName(context, observeUnlock)
  const handleFailure = createFailureHandler(context, connection)

  async function runRound(userId: string, { row, client }: OpenConnection): Promise<RoundResult> {
    const plans = await db.transaction((tx) => planUsernames(tx, userId, now()))
    const result: RoundResult = { isSettled: true, hasOnlySuccesses: plans.length > 0, isRetried: false }
    for (const plan of plans) {
      try {
        if (!(await syncName(client, row.mode, plan))) result.isSettled = false
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        result.hasOnlySuccesses = false
        if (await handleFailure(plan, error)) result.isRetried = true
      }
    }
    return result
  }

  const leaveForLater = (tx: Database | Transaction, userId: string) =>
    tx.update(tvPeople).set({ nextTryAt: now() }).where(eq(tvPeople.userId, userId))

  return async function syncPerson(userId) {
    const opened = await connection.open()
    // Without a working connection, only stores the entries.
    if (!opened || opened.row.downSince)
      return db.transaction(async (tx) => {
        await planUsernames(tx, userId, now())
        await leaveForLater(tx, userId)
        return true
      })
    for (let count = 0; count < maxRounds; count++) {
      const { isSettled, hasOnlySuccesses, isRetried } = await runRound(userId, opened)
      if (isRetried) return false
      if (!isSettled) continue
      // A round without calls, or with a failed one, does not show that the connection works.
      if (hasOnlySuccesses) await connection.health.recordSuccess({ unreadableAnswers: 0 })
      return true
    }
    await leaveForLater(db, userId)
    return true
  }
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** Pauses before the first retries; every later pause is an hour. */
const retryPausesMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs]
const giveUpAfterMs = 72 * hourMs
/** The seller gets an email about a failure that lasts longer. */
const emailAfterMs = hourMs

/** Temporary failures are retried for three days; others wait for the seller. */
function createFailureHandler(context: Pick<Context, 'db' | 'mails' | 'now' | 'supportEmail'>, connection: Connection) {
  const { db, now, mails, supportEmail } = context

  /** Returns true if the call is retried after a pause. */
  return async function handleFailure(plan: UsernamePlan, failure: TradingViewFailure): Promise<boolean> {
    await connection.health.recordFailure(failure)
    const { person, script, row } = plan
    const at = now()
    const failingSince = person.failingSince ?? at
    const error = failure.message
    const storeFailure = (nextTryAt: Date | null, tries = person.tries + 1) =>
      storeIfUnchanged(db, person, { tries, failingSince, error, nextTryAt })

    async function retryOrGiveUp() {
      const failingForMs = at.getTime() - failingSince.getTime()
      if (failingForMs >= emailAfterMs) await mailStuck(plan, failure, failingSince)
      if (failingForMs >= giveUpAfterMs) {
        await storeFailure(null)
        return false
      }
      const pauseMs = retryPausesMs[person.tries] ?? hourMs
      await storeFailure(new Date(at.getTime() + pauseMs))
      return true
    }

    switch (failure.kind) {
      case 'session':
      case 'blocked':
      case 'stopped':
        // The person is due again as soon as the connection is back.
        await storeFailure(at, 0)
        return false
      case 'not_yours':
      case 'no_such_script':
        await db.update(tvScripts).set({ problem: failure.message }).where(eq(tvScripts.id, script.id))
        await storeFailure(null)
        return false
      case 'no_such_name':
        // An old username that does not exist needs no removal.
        if (!row || !plan.isCurrent) {
          await storeIfUnchanged(db, person, { ...noFailure, isPresent: false, presentUntil: null })
          return false
        }
        await db.transaction((tx) =>
          recordCheckedName(tx, row, { username: person.username, problem: 'not_found', similar: [], at }),
        )
        await storeFailure(null)
        return false
      case 'passing':
      case 'unknown':
        return retryOrGiveUp()
    }
  }

  /** Sends one email for all scripts of a username. */
  async function mailStuck({ person }: UsernamePlan, { message: error }: TradingViewFailure, failingSince: Date) {
    const since = failingSince.toISOString()
    const occasion = `stuck ${person.usernameKey} ${since.slice(0, 10)}`
    const about = { username: person.username, error, since }
    await mails.sendOnce(occasion, supportEmail, 'tradingViewStuck', about)
  }
}
