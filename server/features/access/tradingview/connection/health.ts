import { and, eq } from 'drizzle-orm'
import type { ConnectionState } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { tvConnection } from '#server/database/schema.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Mails } from '#server/mails/mails.ts'
import { type ConnectionRow, onlyRow } from './row.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  supportEmail: string
  current(): Promise<ConnectionRow | undefined>
  set(changes: Partial<ConnectionRow>): Promise<unknown>
  clientOf(row: ConnectionRow): TradingViewClient
}

/** So many answers in a row that nobody understands mean that the protocol has changed. */
const misunderstoodLimit = 3

/** What successes and failures mean for the whole connection. */
export function createHealth({ db, now, mails, supportEmail, current, set, clientOf }: Dependencies) {
  const isStillAlive = (row: ConnectionRow) =>
    clientOf(row)
      .probe()
      .then(
        () => true,
        () => false,
      )

  /** Told at once, then daily by the schedule. */
  async function stop(state: ConnectionState, about: Partial<ConnectionRow>) {
    const stopped = await db
      .update(tvConnection)
      .set({ ...about, state })
      .where(and(onlyRow, eq(tvConnection.state, 'on')))
    if (stopped.rowCount) await tellStopped(state, about.lastError ?? '', now().toISOString())
  }

  async function tellStopped(state: ConnectionState, lastError: string, occasion: string) {
    await mails.sendOnce(`tradingview ${state} ${occasion}`, supportEmail, 'tradingViewStopped', {
      because: state === 'expired' || state === 'blocked' ? state : 'changed',
      lastError,
    })
  }

  /** The whole connection suffers from some failures: everything stops, and the seller hears of it. */
  async function failed(failure: TradingViewFailure) {
    const row = await current()
    if (row?.state !== 'on') return
    const at = now()
    const about = { checkedAt: at, lastError: failure.message, downSince: row.downSince ?? at }
    const misunderstood = row.misunderstood + 1
    if (failure.kind === 'session' || failure.kind === 'blocked') {
      // A page may be a check for robots that passes: ask once more before giving up.
      if (failure.http === 200 && (await isStillAlive(row))) return void (await set(about))
      await stop(failure.kind === 'session' ? 'expired' : 'blocked', about)
    } else if (failure.kind === 'unknown' && misunderstood >= misunderstoodLimit) await stop('paused', about)
    else if (failure.kind === 'unknown') await set({ ...about, misunderstood })
    else if (failure.kind === 'passing') await set(about)
  }

  /** Somebody's next try may be an hour away: until then, one failure must not look like an outage. */
  async function lookWhetherBack(client: TradingViewClient) {
    try {
      await client.probe()
      await set({ okAt: now(), checkedAt: now(), downSince: null, lastError: null })
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      await failed(error)
    }
  }

  return {
    async succeeded() {
      await set({ okAt: now(), checkedAt: now(), downSince: null, misunderstood: 0, lastError: null })
    },

    failed,
    lookWhetherBack,

    /** Daily, while the session is over: buyers are waiting. */
    async remind() {
      const row = await current()
      if (row?.state === 'expired' || row?.state === 'blocked')
        await tellStopped(row.state, row.lastError ?? '', now().toISOString().slice(0, 10))
    },
  }
}
