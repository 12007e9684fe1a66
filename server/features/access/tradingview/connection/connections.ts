import { eq } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { tvConnection, tvEvents } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import { connectorPatience } from '#server/features/access/access-requests/access-requests.ts'
import {
  readCookies,
  type SessionCookies,
  type TradingViewClient,
  TradingViewFailure,
  type TradingViewGateway,
} from '#server/gateways/tradingview.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Secrets } from '#server/security/secrets.ts'
import { createHealth } from './health.ts'
import { waitForTurn } from './pace.ts'
import { type ConnectionRow, cookiesOwner, onlyRow } from './row.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  audit: Audit
  secrets: Secrets
  gateway: TradingViewGateway
  supportEmail: string
}

export type Connections = ReturnType<typeof createConnections>

/** The seller's session at TradingView: what state it is in, and the only way to a client. */
export function createConnections({ db, now, mails, audit, secrets, gateway, supportEmail }: Dependencies) {
  /** As it counts now: switched off, or without a way to its host, it is off whatever the row says. */
  async function current(tx: Database | Transaction = db): Promise<ConnectionRow | undefined> {
    const [row] = await tx.select().from(tvConnection)
    if (!row) return undefined
    return gateway.isAllowed && gateway.mayConnectTo(row.host) ? row : { ...row, state: 'off' }
  }

  const set = (changes: Partial<ConnectionRow>, tx: Database | Transaction = db) =>
    tx.update(tvConnection).set(changes).where(onlyRow)

  function clientOf(row: ConnectionRow, turn = () => waitForTurn(db, row.host)): TradingViewClient {
    return gateway.client(row.host, cookiesOf(row), {
      turn,
      report: ({ username, ...call }) => {
        // Best effort: a history that cannot be written must not stop a grant.
        db.insert(tvEvents)
          .values({ ...call, at: now(), usernameKey: username === undefined ? null : keyOfName(username) })
          .catch(() => {})
      },
    })
  }

  function cookiesOf({ sealedCookies }: ConnectionRow): SessionCookies {
    if (!sealedCookies) throw new TradingViewFailure('session', 'There is no session.')
    if (secrets.missingKey(sealedCookies))
      throw new TradingViewFailure('session', 'The cookies were sealed with another SECRETS_KEY.')
    const read = readCookies(secrets.open(sealedCookies, cookiesOwner))
    if ('refusal' in read) throw new TradingViewFailure('session', read.refusal)
    return read
  }

  /** "Pause" stops everything within one request, and so does a session that ends. */
  async function turnWhileOn({ host }: ConnectionRow, atMost: number | undefined) {
    await waitForTurn(db, host, atMost)
    if ((await current())?.state !== 'on')
      throw new TradingViewFailure('stopped', 'The connection is paused or has ended.')
  }

  const health = createHealth({ db, now, mails, supportEmail, current, set, clientOf })

  return {
    ...health,
    current,
    clientOf,
    set,

    /** A client, if calls may be made at all; `atMost` is how long a call may wait for its turn. */
    async open(atMost?: number): Promise<{ row: ConnectionRow; client: TradingViewClient } | undefined> {
      const row = await current()
      if (row?.state !== 'on') return undefined
      try {
        return { row, client: clientOf(row, () => turnWhileOn(row, atMost)) }
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await health.failed(error)
        return undefined
      }
    },

    /** Whether buyers may expect to be unlocked by themselves. */
    isWorking: (row: ConnectionRow | undefined) =>
      row?.state === 'on' &&
      row.mode !== 'dry' &&
      (!row.downSince || now().getTime() - row.downSince.getTime() < connectorPatience),

    /** By an admin, so it is audited. */
    async change(
      actor: Actor,
      action: 'forget' | 'pause' | 'reconcile' | 'resume' | 'settings',
      changes: Partial<ConnectionRow>,
      detail: Record<string, unknown> = {},
    ) {
      await db.transaction(async (tx) => {
        const changed = await set(changes, tx)
        if (changed.rowCount === 0)
          throw conflict('tradingview-not-connected', 'TradingView is not connected.')
        await audit.record(tx, actor, { action: `tradingview.${action}`, subject: 'TradingView', detail })
      })
    },
  }
}

/** Re-seals the cookies if an older key sealed them. */
export async function resealCookies(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const [row] = await db.select().from(tvConnection)
  if (!row?.sealedCookies || secrets.isCurrent(row.sealedCookies)) return { resealed: 0 }
  const sealedCookies = secrets.seal(secrets.open(row.sealedCookies, cookiesOwner), cookiesOwner)
  const changed = await db
    .update(tvConnection)
    .set({ sealedCookies })
    .where(eq(tvConnection.sealedCookies, row.sealedCookies))
  return { resealed: changed.rowCount ?? 0 }
}
