import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database } from '#server/database/connect.ts'
import { tvConnection, tvScripts } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import {
  cookieLine,
  lookAlikeHost,
  readCookies,
  TradingViewFailure,
  type TradingViewGateway,
} from '#server/gateways/tradingview.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { Connections } from './connections.ts'
import { waitForTurn } from './pace.ts'
import { cookiesOwner } from './row.ts'

type Dependencies = {
  db: Database
  now: () => Date
  audit: Audit
  secrets: Secrets
  gateway: TradingViewGateway
  connections: Connections
}

type Given = { cookies: string; host: string; accepts: boolean }

/** Begins or renews the session. */
export function createConnecting({ db, now, audit, secrets, gateway, connections }: Dependencies) {
  /** Probes before anything is stored: what does not work is refused in words. */
  async function probe(host: string, pasted: string) {
    const cookies = readCookies(pasted)
    if ('refusal' in cookies)
      throw new Refusal(400, 'invalid-input', cookies.refusal, { fields: { cookies: cookies.refusal } })
    if (!gateway.isAllowed)
      throw conflict('tradingview-off', 'TRADINGVIEW=off is set on this server, so nothing may be called.')
    if (!gateway.mayConnectTo(host))
      throw new Refusal(400, 'invalid-input', 'Only a host of TradingView’s can be used.')
    try {
      const client = gateway.client(host, cookies, { turn: () => waitForTurn(db, host), report: () => {} })
      return { cookies, accountName: await client.probe() }
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      const message =
        error.kind === 'session'
          ? 'TradingView does not accept these cookies. Please copy them again while you are logged in.'
          : error.message
      throw new Refusal(409, 'tradingview-failed', message, { fields: { cookies: message } })
    }
  }

  return {
    async connect(actor: Actor, given: Given) {
      const before = await connections.current()
      const isElsewhere = before !== undefined && before.host !== given.host
      if (!before?.acceptedAt && given.host !== lookAlikeHost && !given.accepts)
        throw new Refusal(400, 'risks-not-accepted', 'Please read and accept the risks first.')
      const { cookies, accountName } = await probe(given.host, given.cookies)
      const values = {
        state: 'on' as const,
        host: given.host,
        accountName,
        sealedCookies: secrets.seal(cookieLine(cookies), cookiesOwner),
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
        if (isElsewhere) await tx.delete(tvScripts)
        // Only shows what it would do until the seller has seen it.
        const first = { ...values, mode: 'dry' as const }
        await tx
          .insert(tvConnection)
          .values({ id: 1, ...first })
          .onConflictDoUpdate({ target: tvConnection.id, set: isElsewhere ? first : values })
        await audit.record(tx, actor, {
          action: 'tradingview.connect',
          subject: given.host,
          detail: { accepted: given.accepts },
        })
      })
    },

    /** Whether the session is alive, asked now. */
    async test() {
      const row = await connections.current()
      if (!row || row.state === 'off')
        throw conflict('tradingview-not-connected', 'TradingView is not connected.')
      if (row.state === 'paused') throw conflict('tradingview-paused', 'The connection is paused.')
      try {
        const accountName = await connections.clientOf(row).probe()
        await connections.set({
          state: 'on',
          accountName,
          okAt: now(),
          checkedAt: now(),
          downSince: null,
          lastError: null,
        })
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await connections.failed(error)
        throw new Refusal(409, 'tradingview-failed', error.message)
      }
    },

    /** A shop that takes no money is connected to the look-alike, so that a newcomer sees a purchase unlock itself. */
    async useLookAlike() {
      const { lookAlike } = gateway
      if (!lookAlike || !gateway.isAllowed) return
      const sealedCookies = secrets.seal(await lookAlike.controls.cookies(), cookiesOwner)
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
        for (const [kind, pineId] of Object.entries(lookAlike.scripts)) {
          const name = kind === 'strategy' ? `${reboundSigmaPro.name} Strategy` : reboundSigmaPro.name
          await tx
            .insert(tvScripts)
            .values({ pineId, productId: reboundSigmaPro.id, name, createdAt: now() })
            .onConflictDoNothing()
        }
      })
    },
  }
}
