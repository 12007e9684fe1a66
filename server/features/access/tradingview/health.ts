import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { ConnectionState } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { tvConnection } from '#server/database/schema.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'

type HealthContext = Pick<Context, 'db' | 'now' | 'mails' | 'supportEmail'>

export type Health = {
  /** Records a failed call. Stops the connector and emails the seller if retries are useless. */
  recordFailure(failure: TradingViewFailure): Promise<void>
  recordSuccess(changes?: Partial<ConnectionRow>): Promise<void>
  /** Returns true once in 10 s across all processes. A caller that gets true must probe. */
  mayProbe(): Promise<boolean>
  /** Without probes, one failed sync would count as an outage until its retry, up to an hour later. */
  probe(client: TradingViewClient): Promise<boolean>
  /** Emails the seller once a day while the session is expired or TradingView blocks the server. */
  remind(): Promise<void>
}

type ConnectionRow = typeof tvConnection.$inferSelect
type HealthDeps = {
  current(): Promise<ConnectionRow | undefined>
  set(changes: Partial<ConnectionRow>): Promise<unknown>
  clientOf(row: ConnectionRow): TradingViewClient
  connectorChanged(tx: Transaction): Promise<void>
}

/** After this many unreadable answers in a row, TradingView's protocol has probably changed. */
const maxUnreadableAnswers = 3

export const probeSeconds = 10

export function createHealth(
  { db, now, mails, supportEmail }: HealthContext,
  { current, set, clientOf, connectorChanged }: HealthDeps,
): Health {
  /** True if TradingView answers a probe with the account's name. */
  async function isSessionAlive(row: ConnectionRow): Promise<boolean> {
    const client = clientOf(row)
    try {
      return (await client.probe()) !== null
    } catch {
      return false
    }
  }

  async function recordSuccess(changes: Partial<ConnectionRow> = {}) {
    const previous = await current()
    await set({ okAt: now(), checkedAt: now(), downSince: null, lastError: null, ...changes })
    if (previous?.downSince || previous?.state !== 'on') await db.transaction(connectorChanged)
  }

  async function stop(state: ConnectionState, failureFields: Partial<ConnectionRow>) {
    const stopped = await db
      .update(tvConnection)
      .set({ ...failureFields, state })
      .where(and(eq(tvConnection.id, 1), eq(tvConnection.state, 'on')))
    if (!stopped.rowCount) return
    await db.transaction(connectorChanged)
    await mailStopped(state, failureFields.lastError ?? '', now().toISOString())
  }

  async function mailStopped(state: ConnectionState, lastError: string, occasion: string) {
    await mails.sendOnce(`tradingview ${state} ${occasion}`, supportEmail, 'tradingViewStopped', {
      because: state === 'expired' || state === 'blocked' ? state : 'changed',
      lastError,
    })
  }

  async function recordFailure(failure: TradingViewFailure) {
    const row = await current()
    if (row?.state !== 'on') return
    const at = now()
    const failureFields = { checkedAt: at, lastError: failure.message, downSince: row.downSince ?? at }
    const unreadableAnswers = row.unreadableAnswers + 1
    if (failure.kind === 'session' || failure.kind === 'blocked') {
      // An HTML page with status 200 may be a bot check, so a second call decides.
      const mayBeBotCheck = failure.http === 200
      if (mayBeBotCheck && (await isSessionAlive(row))) await set(failureFields)
      else await stop(failure.kind === 'session' ? 'expired' : 'blocked', failureFields)
    } else if (failure.kind === 'unknown') {
      if (unreadableAnswers >= maxUnreadableAnswers) await stop('paused', failureFields)
      else await set({ ...failureFields, unreadableAnswers })
    } else if (failure.kind === 'passing') {
      await set(failureFields)
    }
  }

  return {
    recordFailure,
    recordSuccess,

    async mayProbe() {
      const latestProbeAt = new Date(now().getTime() - probeSeconds * 1000)
      const claimed = await db
        .update(tvConnection)
        .set({ checkedAt: now() })
        .where(or(isNull(tvConnection.checkedAt), lte(tvConnection.checkedAt, latestProbeAt)))
      return claimed.rowCount === 1
    },

    async probe(client) {
      try {
        await client.probe()
        await recordSuccess()
        return true
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await recordFailure(error)
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
