import { eq } from 'drizzle-orm'
import type { GrantState } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { tvScripts } from '#server/database/schema.ts'
import { recordCheckedName } from '#server/features/access/entitlements/entitlements.ts'
import type { TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Connections } from '../connection/connections.ts'
import { isWantedNow } from './decide.ts'
import { store, type Work, wishOf } from './grants.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  connections: Pick<Connections, 'failed'>
  supportEmail: string
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
export const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute]
const givesUpAfter = 72 * hour
const tellsAfter = hour

/** What passes is tried again for three days; what does not waits for a person. */
export function createFailures({ db, now, mails, connections, supportEmail }: Dependencies) {
  /** Returns after how long to try again, if at all. */
  return async function fail(work: Work, failure: TradingViewFailure): Promise<number | undefined> {
    await connections.failed(failure)
    const { grant, script, entitlement } = work
    const at = now()
    const failingSince = grant.failingSince ?? at
    const about = { tries: grant.tries + 1, failingSince, error: failure.message }
    const isWanted = isWantedNow(wishOf(grant), at)
    const wait = async (state: GrantState) =>
      void (await store(db, grant, { ...about, nextTryAt: null, state }))

    switch (failure.kind) {
      case 'session':
      case 'blocked':
      case 'stopped':
        // Due as soon as the connection is back.
        await store(db, grant, { ...about, tries: 0, nextTryAt: at, state: isWanted ? 'waiting' : 'locking' })
        return undefined
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
    if (failingFor >= tellsAfter) await tell(work, failure, failingSince)
    if (failingFor >= givesUpAfter) return wait('stuck')
    const pause = pauses[grant.tries] ?? hour
    const nextTryAt = new Date(at.getTime() + pause)
    await store(db, grant, { ...about, nextTryAt, state: isWanted ? 'unlocking' : 'locking' })
    return pause
  }

  /** Once for all scripts. */
  async function tell({ grant }: Work, { message: error }: TradingViewFailure, failingSince: Date) {
    const since = failingSince.toISOString()
    const occasion = `stuck ${grant.usernameKey} ${since.slice(0, 10)}`
    await mails.sendOnce(occasion, supportEmail, 'tradingViewStuck', {
      username: grant.username,
      error,
      since,
    })
  }
}
