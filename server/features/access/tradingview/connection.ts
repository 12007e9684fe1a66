import { setTimeout } from 'node:timers/promises'
import { eq, type SQL, sql } from 'drizzle-orm'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvConnection, tvEvents } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { connectorPatienceMs } from '#server/features/access/access/access.ts'
import {
  readCookies,
  type SessionCookies,
  standInHost,
  type TradingViewClient,
  TradingViewFailure,
  type TradingViewGateway,
} from '#server/gateways/tradingview.ts'
import type { Secrets } from '#server/security/secrets.ts'
import { createHealth, type Health } from './health.ts'

type ConnectionDeps = Pick<Context, 'audit' | 'db' | 'mails' | 'now' | 'secrets' | 'supportEmail' | 'tradingView'>

/** The connection to TradingView. Other modules get a client only from here. */
export type Connection = {
  health: Health
  /** The stored connection, as the settings of this server allow it. */
  current(tx?: Database | Transaction): Promise<ConnectionRow | undefined>
  clientOf(row: ConnectionRow, waitBeforeCall?: () => Promise<void>): TradingViewClient
  /** Stores changes without audit, for what the connector itself finds out. */
  set(changes: Partial<ConnectionRow>, tx?: Database | Transaction): Promise<void>
  /** Returns a client if calls are allowed. `maxWaitMs` limits the wait before each call. */
  open(maxWaitMs?: number): Promise<OpenConnection | undefined>
  requireClient(): Promise<TradingViewClient>
  isWorking(row: ConnectionRow | undefined): boolean
  /** A change by an admin, which is audited. */
  change(
    actor: Actor,
    action: 'forget' | 'pause' | 'reconcile' | 'resume' | 'settings',
    changes: Partial<ConnectionRow>,
    detail?: Record<string, unknown>,
  ): Promise<void>
}

export type ConnectionRow = typeof tvConnection.$inferSelect
export type OpenConnection = { row: ConnectionRow; client: TradingViewClient }

export const notConnected = () => conflict('tradingview-not-connected', 'TradingView is not connected.')
export const asRefusal = (error: unknown) =>
  error instanceof TradingViewFailure ? new Refusal(409, 'tradingview-failed', error.message) : error

export const cookiesPurpose = 'tv_connection'

export function createConnection(
  context: ConnectionDeps,
  /** Called in the transaction of every change of the connection. */
  connectorChanged: (tx: Transaction) => Promise<void>,
): Connection {
  const { db, now, tradingView: gateway, audit, secrets } = context

  const current = (tx: Database | Transaction = db) => currentConnection(tx, gateway)

  async function set(changes: Partial<ConnectionRow>, tx: Database | Transaction = db) {
    await tx.update(tvConnection).set(changes).where(eq(tvConnection.id, 1))
  }

  function clientOf(row: ConnectionRow, waitBeforeCall = () => waitForTurn(db, row.host)): TradingViewClient {
    return gateway.client(row.host, cookiesOf(secrets, row), {
      turn: waitBeforeCall,
      report: ({ username, ...call }) => {
        // Ignores errors, because a missing history entry must not stop an unlock.
        db.insert(tvEvents)
          .values({ ...call, at: now(), usernameKey: username === undefined ? null : normalizeUsername(username) })
          .catch(() => {})
      },
    })
  }

  /** Checks before each call that the connection is still on, so that a pause takes effect within one call. */
  async function waitWhileOn({ host }: ConnectionRow, maxWaitMs: number | undefined) {
    await waitForTurn(db, host, maxWaitMs)
    if ((await current())?.state !== 'on')
      throw new TradingViewFailure('stopped', 'The connection is paused or has ended.')
  }

  const health = createHealth(context, { current, set, clientOf, connectorChanged })

  async function open(maxWaitMs?: number): Promise<OpenConnection | undefined> {
    const row = await current()
    if (row?.state !== 'on') return undefined
    try {
      return { row, client: clientOf(row, () => waitWhileOn(row, maxWaitMs)) }
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      await health.recordFailure(error)
      return undefined
    }
  }

  return {
    health,
    current,
    clientOf,
    set,
    open,

    async requireClient() {
      const opened = await open()
      if (!opened) throw notConnected()
      return opened.client
    },

    isWorking: (row) => isWorking(row, now()),

    async change(actor, action, changes, detail = {}) {
      await db.transaction(async (tx) => {
        const changed = await tx.update(tvConnection).set(changes).where(eq(tvConnection.id, 1))
        if (changed.rowCount === 0) throw notConnected()
        await connectorChanged(tx)
        await audit.record(tx, actor, { action: `tradingview.${action}`, subject: 'TradingView', detail })
      })
    },
  }
}

/** The stored connection, but off if its host is not allowed, and in dry mode if writes are not allowed. */
export async function currentConnection(
  tx: Database | Transaction,
  gateway: Pick<TradingViewGateway, 'isAllowed' | 'mayConnectTo' | 'mayWrite'>,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx.select().from(tvConnection)
  if (!row) return undefined
  if (!gateway.isAllowed || !gateway.mayConnectTo(row.host)) return { ...row, state: 'off' }
  return gateway.mayWrite(row.host) ? row : { ...row, mode: 'dry' }
}

/** Counts a connection as working during the first 10 minutes of an outage, because buyers wait that long for it. */
export function isWorking(row: ConnectionRow | undefined, at: Date): boolean {
  if (row?.state !== 'on' || row.mode === 'dry') return false
  return !row.downSince || at.getTime() - row.downSince.getTime() < connectorPatienceMs
}

function cookiesOf(secrets: Secrets, { sealedCookies }: ConnectionRow): SessionCookies {
  if (!sealedCookies) throw new TradingViewFailure('session', 'There is no session.')
  if (secrets.missingKeyId(sealedCookies))
    throw new TradingViewFailure('session', 'The cookies were sealed with another SECRETS_KEY.')
  const cookies = readCookies(secrets.open(sealedCookies, cookiesPurpose))
  if ('refusal' in cookies) throw new TradingViewFailure('session', cookies.refusal)
  return cookies
}

export async function resealCookies(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const [row] = await db.select().from(tvConnection)
  if (!row?.sealedCookies || secrets.isCurrent(row.sealedCookies)) return { resealed: 0 }
  const sealedCookies = secrets.seal(secrets.open(row.sealedCookies, cookiesPurpose), cookiesPurpose)
  const changed = await db
    .update(tvConnection)
    .set({ sealedCookies })
    .where(eq(tvConnection.sealedCookies, row.sealedCookies))
  return { resealed: changed.rowCount ?? 0 }
}

/** Waits for the rate limit, which the sandbox doesn't have. */
export async function waitForTurn(db: Database, host: string, maxWaitMs?: number) {
  if (host === standInHost) return
  const waitMs = await nextTurn(db, maxWaitMs)
  if (waitMs === undefined && maxWaitMs !== undefined)
    throw new TradingViewFailure('passing', 'Too much is asked at the moment.')
  if (waitMs) await setTimeout(waitMs)
}

/**
 * Reserves a call in the row that all processes share, by the database's clock, and returns the milliseconds to wait for it.
 * Allows one call a second, and three in a row after a pause: far below the rates that public tools report as harmless.
 * Returns undefined, and reserves nothing, if the wait would exceed `maxWaitMs` or if there is no connection.
 */
export async function nextTurn(
  db: Database,
  maxWaitMs?: number,
  now: SQL = sql`clock_timestamp()`,
): Promise<number | undefined> {
  const isSoonEnough =
    maxWaitMs === undefined
      ? sql`true`
      : sql`coalesce(next_call_at <= ${now} + ${maxWaitMs} * interval '1 millisecond', true)`
  const { rows } = await db.execute<{ wait: string }>(sql`
    update tv_connection
    set next_call_at = greatest(next_call_at, ${now} - interval '2 seconds') + interval '1 second'
    where ${isSoonEnough}
    returning extract(epoch from next_call_at - interval '1 second' - ${now}) * 1000 as wait`)
  return rows[0] && Math.max(0, Number(rows[0].wait))
}
