import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { ConnectionState } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { tvConnection } from '#server/database/schema.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'

type HealthContext = Pick<Context, 'db' | 'now' | 'mails' | 'supportEmail'>

export type Health = {
  failed(failure: TradingViewFailure): Promise<undefined>
  succeeded(more?: Partial<ConnectionRow>): Promise<void>
  /** True once in 10 seconds across all processes. A caller that gets true must probe. */
  mayProbe(): Promise<boolean>
  /** Calls TradingView, so that one failed sync does not count as an outage until its next try, up to an hour later. */
  probe(client: TradingViewClient): Promise<boolean>
  /** Emails the seller once a day while the session is expired. */
  remind(): Promise<void>
}

type ConnectionRow = typeof tvConnection.$inferSelect
type TheConnection = {
  current(): Promise<ConnectionRow | undefined>
  set(changes: Partial<ConnectionRow>): Promise<unknown>
  clientOf(row: ConnectionRow): TradingViewClient
  connectorChanged(tx: Transaction): Promise<void>
}

/** Unreadable answers in a row after which TradingView's protocol is taken to have changed. */
const misunderstoodLimit = 3

/** Interval of probes during an outage. */
export const probeSeconds = 10

export function createHealth(
  { db, now, mails, supportEmail }: HealthContext,
  { current, set, clientOf, connectorChanged }: TheConnection,
): Health {
  const isAlive = async (row: ConnectionRow) =>
    (await clientOf(row)
      .probe()
      .catch(() => null)) !== null

  async function succeeded(more: Partial<ConnectionRow> = {}) {
    const before = await current()
    await set({ okAt: now(), checkedAt: now(), downSince: null, lastError: null, ...more })
    if (before?.downSince || before?.state !== 'on') await db.transaction(connectorChanged)
  }

  /** Stops the connector and emails the seller. `remind` repeats that daily. */
  async function stop(state: ConnectionState, about: Partial<ConnectionRow>) {
    const stopped = await db
      .update(tvConnection)
      .set({ ...about, state })
      .where(and(eq(tvConnection.id, 1), eq(tvConnection.state, 'on')))
    if (!stopped.rowCount) return
    await db.transaction(connectorChanged)
    await mailStopped(state, about.lastError ?? '', now().toISOString())
  }

  async function mailStopped(state: ConnectionState, lastError: string, occasion: string) {
    await mails.sendOnce(`tradingview ${state} ${occasion}`, supportEmail, 'tradingViewStopped', {
      because: state === 'expired' || state === 'blocked' ? state : 'changed',
      lastError,
    })
  }

  async function failed(failure: TradingViewFailure) {
    const row = await current()
    if (row?.state !== 'on') return
    const at = now()
    const about = { checkedAt: at, lastError: failure.message, downSince: row.downSince ?? at }
    const misunderstood = row.misunderstood + 1
    if (failure.kind === 'session' || failure.kind === 'blocked') {
      // An HTML page may be a bot check; asks once more before giving up.
      if (failure.http === 200 && (await isAlive(row))) return void (await set(about))
      await stop(failure.kind === 'session' ? 'expired' : 'blocked', about)
    } else if (failure.kind === 'unknown' && misunderstood >= misunderstoodLimit) await stop('paused', about)
    else if (failure.kind === 'unknown') await set({ ...about, misunderstood })
    else if (failure.kind === 'passing') await set(about)
  }

  return {
    failed,
    succeeded,

    async mayProbe() {
      const before = new Date(now().getTime() - probeSeconds * 1000)
      const claimed = await db
        .update(tvConnection)
        .set({ checkedAt: now() })
        .where(or(isNull(tvConnection.checkedAt), lte(tvConnection.checkedAt, before)))
      return claimed.rowCount === 1
    },

    async probe(client) {
      try {
        await client.probe()
        await succeeded()
        return true
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await failed(error)
        return false
      }
    },

    async remind() {
      const row = await current()
      if (row?.state === 'expired' || row?.state === 'blocked')
        await mailStopped(row.state, row.lastError ?? '', now().toISOString().slice(0, 10))
    },
  }
}
