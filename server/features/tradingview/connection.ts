import { eq, sql } from 'drizzle-orm'
import { reboundSigmaPro } from '#contract/price-list.ts'
import type { ConnectionState } from '#contract/statuses.ts'
import type { Actor } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { tvConnection, tvEvents, tvScripts } from '../../database/schema.ts'
import { conflict, Refusal } from '../../errors.ts'
import {
  cookieLine,
  lookAlikeHost,
  readCookies,
  type SessionCookies,
  type TradingViewClient,
  TradingViewFailure,
  type TradingViewGateway,
} from '../../gateways/tradingview.ts'
import type { Secrets } from '../../security/secrets.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'

export type ConnectionRow = typeof tvConnection.$inferSelect

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  audit: Audit
  secrets: Secrets
  gateway: TradingViewGateway
  supportEmail: string
}

const only = eq(tvConnection.id, 1)
/** The sealed cookies belong to this row and open nowhere else. */
const owner = 'tv_connection'
const minute = 60_000
/** After this, what cannot be unlocked by itself is in the manual queue. */
const downPatience = 10 * minute
/** So many answers in a row that nobody understands mean that the protocol has changed. */
const misunderstoodLimit = 3

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
    tx.update(tvConnection).set(changes).where(only)

  function clientOf(row: ConnectionRow, cookies = cookiesOf(row)): TradingViewClient {
    return gateway.client(row.host, cookies, ({ username, ...call }) => {
      // Best effort: a history that cannot be written must not stop a grant.
      db.insert(tvEvents)
        .values({ ...call, at: now(), usernameKey: username?.toLowerCase() ?? null })
        .catch(() => {})
    })
  }

  function cookiesOf({ sealedCookies }: ConnectionRow): SessionCookies {
    if (!sealedCookies) throw new TradingViewFailure('session', 'There is no session.')
    if (secrets.missingKey(sealedCookies))
      throw new TradingViewFailure('session', 'The cookies were sealed with another SECRETS_KEY.')
    const read = readCookies(secrets.open(sealedCookies, owner))
    if ('refusal' in read) throw new TradingViewFailure('session', read.refusal)
    return read
  }

  /** Probes before anything is stored: what does not work is refused in words. */
  async function probe(host: string, pasted: string) {
    const cookies = readCookies(pasted)
    if ('refusal' in cookies)
      throw new Refusal(400, cookies.refusal, { fields: { cookies: cookies.refusal } })
    if (!gateway.isAllowed) throw conflict('TRADINGVIEW=off is set on this server, so nothing may be called.')
    if (!gateway.mayConnectTo(host)) throw new Refusal(400, 'Only a host of TradingView’s can be used.')
    try {
      return { cookies, accountName: await gateway.client(host, cookies, () => {}).probe() }
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      const message =
        error.kind === 'session'
          ? 'TradingView does not accept these cookies. Please copy them again while you are logged in.'
          : error.message
      throw new Refusal(409, message, { fields: { cookies: message } })
    }
  }

  return {
    current,
    clientOf,

    /** A client, if calls may be made at all. */
    async open(): Promise<{ row: ConnectionRow; client: TradingViewClient } | undefined> {
      const row = await current()
      if (row?.state !== 'on') return undefined
      try {
        return { row, client: clientOf(row) }
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await this.failed(error)
        return undefined
      }
    },

    /** Whether buyers may expect to be unlocked by themselves. */
    isWorking: (row: ConnectionRow | undefined) =>
      row?.state === 'on' &&
      row.mode !== 'dry' &&
      (!row.downSince || now().getTime() - row.downSince.getTime() < downPatience),

    async succeeded() {
      await set({ okAt: now(), checkedAt: now(), downSince: null, misunderstood: 0, lastError: null })
    },

    /** The whole connection suffers from some failures: everything stops, and the seller hears of it. */
    async failed(failure: TradingViewFailure) {
      const row = await current()
      if (row?.state !== 'on') return
      const at = now()
      const about = { checkedAt: at, lastError: failure.message, downSince: row.downSince ?? at }
      const misunderstood = row.misunderstood + 1
      if (failure.kind === 'session' || failure.kind === 'blocked') {
        // A page may be a check for robots that passes: ask once more before giving up.
        if (failure.http === 200 && (await isStillAlive(row))) return void (await set(about))
        await stop(failure.kind === 'session' ? 'expired' : 'blocked', about)
      } else if (failure.kind === 'unknown' && misunderstood >= misunderstoodLimit)
        await stop('paused', about)
      else if (failure.kind === 'unknown') await set({ ...about, misunderstood })
      else if (failure.kind === 'passing') await set(about)
    },

    async connect(actor: Actor, given: { cookies: string; host: string; accepts: boolean }) {
      const before = await current()
      if (!before?.acceptedAt && given.host !== lookAlikeHost && !given.accepts)
        throw new Refusal(400, 'Please read and accept the risks first.')
      const { cookies, accountName } = await probe(given.host, given.cookies)
      const values = {
        state: 'on' as const,
        host: given.host,
        accountName,
        sealedCookies: secrets.seal(cookieLine(cookies), owner),
        acceptedAt: before?.acceptedAt ?? (given.accepts ? now() : null),
        acceptedBy: before?.acceptedBy ?? (given.accepts ? actor.user.id : null),
        checkedAt: now(),
        okAt: now(),
        downSince: null,
        misunderstood: 0,
        lastError: null,
      }
      await db.transaction(async (tx) => {
        // Another host has other scripts and other people.
        if (before && before.host !== given.host) await tx.delete(tvScripts)
        await tx
          .insert(tvConnection)
          // Only shows what it would do until the seller has seen it.
          .values({ id: 1, mode: 'dry', ...values })
          .onConflictDoUpdate({ target: tvConnection.id, set: values })
        await audit.record(tx, actor, {
          action: 'tradingview.connect',
          subject: given.host,
          detail: { accepted: given.accepts },
        })
      })
    },

    /** Whether the session is alive, asked now. */
    async test() {
      const row = await current()
      if (!row || row.state === 'off') throw conflict('TradingView is not connected.')
      if (row.state === 'paused') throw conflict('The connection is paused.')
      try {
        const accountName = await clientOf(row).probe()
        await set({
          state: 'on',
          accountName,
          okAt: now(),
          checkedAt: now(),
          downSince: null,
          lastError: null,
        })
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await this.failed(error)
        throw new Refusal(409, error.message)
      }
    },

    async change(
      actor: Actor,
      action: string,
      changes: Partial<
        Pick<
          ConnectionRow,
          | 'state'
          | 'mode'
          | 'seatLimit'
          | 'showsSeats'
          | 'freezesDisputes'
          | 'heldBack'
          | 'mayRemoveUntil'
          | 'misunderstood'
          | 'sealedCookies'
        >
      >,
      detail: Record<string, unknown> = {},
    ) {
      await db.transaction(async (tx) => {
        const changed = await set(changes, tx)
        if (changed.rowCount === 0) throw conflict('TradingView is not connected.')
        await audit.record(tx, actor, { action: `tradingview.${action}`, subject: 'TradingView', detail })
      })
    },

    /** Daily, while the session is over: buyers are waiting. */
    async remind() {
      const row = await current()
      if (row && ['expired', 'blocked'].includes(row.state))
        await tellStopped(row.state, row.lastError ?? '', now().toISOString().slice(0, 10))
    },

    /** What the room itself notes about the connection. */
    note: (changes: Pick<Partial<ConnectionRow>, 'heldBack' | 'warnedPeople'>) => set(changes),

    /** A shop that takes no money is connected to the look-alike, so that a newcomer sees a purchase unlock itself. */
    async useLookAlike() {
      const { lookAlike } = gateway
      if (!lookAlike || !gateway.isAllowed) return
      const sealedCookies = secrets.seal(await lookAlike.controls.cookies(), owner)
      await db.transaction(async (tx) => {
        const made = await tx
          .insert(tvConnection)
          .values({
            id: 1,
            state: 'on',
            mode: 'full',
            host: lookAlikeHost,
            accountName: 'ReboundSigma',
            sealedCookies,
            okAt: now(),
          })
          .onConflictDoNothing()
        if (made.rowCount === 0) return
        for (const pineId of Object.values(lookAlike.scripts))
          await tx
            .insert(tvScripts)
            .values({ pineId, productId: reboundSigmaPro.id, name: 'Rebound Sigma Pro', createdAt: now() })
            .onConflictDoNothing()
      })
    },
  }

  async function isStillAlive(row: ConnectionRow) {
    return clientOf(row)
      .probe()
      .then(
        () => true,
        () => false,
      )
  }

  /** Told at once, then daily by the schedule. */
  async function stop(state: ConnectionState, about: Partial<ConnectionRow>) {
    const stopped = await db
      .update(tvConnection)
      .set({ ...about, state })
      .where(sql`${only} and ${tvConnection.state} = 'on'`)
    if (stopped.rowCount) await tellStopped(state, about.lastError ?? '', now().toISOString())
  }

  async function tellStopped(state: ConnectionState, lastError: string, occasion: string) {
    await mails.sendOnce(`tradingview ${state} ${occasion}`, supportEmail, 'tradingViewStopped', {
      because: state === 'expired' || state === 'blocked' ? state : 'changed',
      lastError,
    })
  }
}

/** Re-seals the cookies if an older key sealed them. */
export async function resealCookies(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const [row] = await db.select().from(tvConnection)
  if (!row?.sealedCookies || secrets.isCurrent(row.sealedCookies)) return { resealed: 0 }
  const sealedCookies = secrets.seal(secrets.open(row.sealedCookies, owner), owner)
  const changed = await db
    .update(tvConnection)
    .set({ sealedCookies })
    .where(eq(tvConnection.sealedCookies, row.sealedCookies))
  return { resealed: changed.rowCount ?? 0 }
}
