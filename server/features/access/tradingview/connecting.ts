import { and, eq, sql } from 'drizzle-orm'
import type { tradingViewAdmin as calls } from '#contract/access/tradingview-admin.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { isLivePurchase, purchases, tvConnection, tvPeople, tvScripts } from '#server/database/schema.ts'
import { conflict, invalid, Refusal } from '#server/errors.ts'
import { cookieLine, readCookies, standInHost, TradingViewFailure } from '#server/gateways/tradingview.ts'
import { asRefusal, cookiesPurpose, notConnected, waitForTurn } from './connection.ts'
import type { ConnectorDeps } from './connector.ts'
import { previewOf } from './preview.ts'

type ConnectingContext = Pick<Context, 'audit' | 'db' | 'now' | 'queue' | 'secrets' | 'tradingView'>

export type Connecting = {
  show(): Promise<RawOutputOf<typeof calls.show>>
  preview(): Promise<RawOutputOf<typeof calls.preview>>
  connect(actor: Actor, input: ConnectInput): Promise<void>
  test(): Promise<void>
  pause(actor: Actor): Promise<void>
  resume(actor: Actor): Promise<void>
  /** Deletes the session's cookies. The next connection starts in dry-run mode. */
  forget(actor: Actor): Promise<void>
  /** Starts a comparison. With `mayRemove`, it may lock any number of people for an hour. */
  reconcile(actor: Actor, mayRemove: boolean): Promise<void>
  settings(actor: Actor, settings: Settings): Promise<void>
}

type ConnectInput = ParsedInputOf<typeof calls.connect>
type Settings = ParsedInputOf<typeof calls.settings>

const hourMs = 3_600_000

export function createConnecting(context: ConnectingContext, { connector, access }: ConnectorDeps): Connecting {
  const { db, now, tradingView: gateway, queue, audit, secrets } = context
  const { connection } = connector
  const reconcileSoon = () => queue.trigger('tradingview-reconcile')

  /** The access of disputed purchases depends on a setting. */
  async function refreshDisputed() {
    const disputed = await db
      .selectDistinct({ userId: purchases.userId })
      .from(purchases)
      .where(and(eq(purchases.isDisputed, true), isLivePurchase))
    for (const { userId } of disputed) await db.transaction((tx) => access.refresh(tx, userId))
  }

  return {
    async show() {
      const row = await connection.current()
      const people = await db
        .select({ count: sql<number>`count(distinct ${tvPeople.usernameKey})::int` })
        .from(tvPeople)
        .where(eq(tvPeople.isPresent, true))
      return {
        isAllowed: gateway.isAllowed,
        hasTradingViewSandbox: gateway.tradingViewStandIn !== undefined,
        state: row?.state ?? ('off' as const),
        mode: row?.mode ?? ('dry' as const),
        isReadOnly: row !== undefined && !gateway.mayWrite(row.host),
        host: row?.host ?? 'www.tradingview.com',
        accountName: row?.accountName ?? null,
        risksAcceptedAt: row?.risksAcceptedAt ?? null,
        checkedAt: row?.checkedAt ?? null,
        okAt: row?.okAt ?? null,
        downSince: row?.downSince ?? null,
        lastError: row?.lastError ?? null,
        scripts: await db.$count(tvScripts),
        people: people[0]?.count ?? 0,
        freezesAccessDuringDispute: row?.freezesAccessDuringDispute ?? true,
        blockedRemovals: row?.blockedRemovals ?? null,
      }
    },

    preview: () => previewOf(context),

    async connect(actor, input) {
      const stored = await connection.current()
      const hasAcceptedRisks = Boolean(stored?.risksAcceptedAt) || input.accepts
      if (!hasAcceptedRisks && input.host !== standInHost)
        throw new Refusal(400, 'risks-not-accepted', 'Please read and accept the risks first.')
      const { cookies, accountName } = await testCookies(context, input)

      const isOtherAccount =
        stored !== undefined && (stored.host !== input.host || isDifferentName(stored.accountName, accountName))
      const knownAccountName = isOtherAccount ? null : (stored?.accountName ?? null)
      const values = {
        state: 'on' as const,
        host: input.host,
        accountName: accountName ?? knownAccountName,
        sealedCookies: secrets.seal(cookieLine(cookies), cookiesPurpose),
        risksAcceptedAt: stored?.risksAcceptedAt ?? (input.accepts ? now() : null),
        risksAcceptedBy: stored?.risksAcceptedBy ?? (input.accepts ? actor.user.id : null),
        checkedAt: now(),
        okAt: now(),
        downSince: null,
        unreadableAnswers: 0,
        lastError: null,
      }
      await db.transaction(async (tx) => {
        // Another account has other scripts and other people.
        if (isOtherAccount) await tx.delete(tvScripts)
        // A new account starts in dry-run mode, until the seller has seen the preview.
        const valuesOfNewAccount = { ...values, mode: 'dry' as const }
        await tx
          .insert(tvConnection)
          .values({ id: 1, ...valuesOfNewAccount })
          .onConflictDoUpdate({ target: tvConnection.id, set: isOtherAccount ? valuesOfNewAccount : values })
        await connector.connectorChanged(tx)
        await audit.record(tx, actor, {
          action: 'tradingview.connect',
          subject: input.host,
          detail: { accepted: input.accepts },
        })
      })
      await reconcileSoon()
    },

    async test() {
      const row = await connection.current()
      if (!row || row.state === 'off') throw notConnected()
      if (row.state === 'paused') throw conflict('tradingview-paused', 'The connection is paused.')
      try {
        const accountName = await connection.clientOf(row).probe()
        const nameChange = accountName ? { accountName } : {}
        await connection.health.recordSuccess({ state: 'on', ...nameChange })
      } catch (error) {
        if (error instanceof TradingViewFailure) await connection.health.recordFailure(error)
        throw asRefusal(error)
      }
    },

    pause: (actor) => connection.change(actor, 'pause', { state: 'paused' }),

    async resume(actor) {
      await connection.change(actor, 'resume', { state: 'on', unreadableAnswers: 0 })
      await reconcileSoon()
    },

    forget: (actor) => connection.change(actor, 'forget', { state: 'off', mode: 'dry', sealedCookies: null }),

    async reconcile(actor, mayRemove) {
      const removalWindow = mayRemove ? { mayRemoveUntil: new Date(now().getTime() + hourMs) } : {}
      await connection.change(actor, 'reconcile', { ...removalWindow, blockedRemovals: null }, { mayRemove })
      await reconcileSoon()
    },

    async settings(actor, settings) {
      const row = await connection.current()
      if (row && settings.mode !== undefined && settings.mode !== 'dry' && !gateway.mayWrite(row.host))
        throw conflict('tradingview-off', 'In test mode, nothing is written to TradingView.')
      const sentSettings = Object.entries(settings).filter(([, value]) => value !== undefined)
      if (sentSettings.length === 0) return
      const changes = Object.fromEntries(sentSettings)
      await connection.change(actor, 'settings', changes, changes)
      if (settings.freezesAccessDuringDispute !== undefined) await refreshDisputed()
      if (settings.mode !== undefined) await reconcileSoon()
    },
  }
}

/** Unknown names count as the same, because TradingView does not always tell the account's name. */
const isDifferentName = (storedName: string | null, newName: string | null) =>
  storedName !== null && newName !== null && storedName !== newName

/** Throws a refusal with the reason if TradingView does not accept the cookies. */
async function testCookies(
  { db, tradingView: gateway }: Pick<Context, 'db' | 'tradingView'>,
  { host, cookies: pasted }: ConnectInput,
) {
  const cookies = readCookies(pasted)
  if ('refusal' in cookies) throw invalid('cookies', cookies.refusal)
  if (!gateway.isAllowed)
    throw conflict('tradingview-off', 'TRADINGVIEW=off is set on this server, so nothing may be called.')
  if (!gateway.mayConnectTo(host)) throw new Refusal(400, 'invalid-input', 'Only a host of TradingView’s can be used.')
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

/** Connects the stand-in at the shop's first start, so that trial purchases are unlocked at once. */
export async function connectSandbox({
  db,
  now,
  tradingView,
  secrets,
  catalog,
}: Pick<Context, 'db' | 'now' | 'tradingView' | 'secrets' | 'catalog'>) {
  const { tradingViewStandIn, isAllowed } = tradingView
  if (!tradingViewStandIn || !isAllowed) return
  const sealedCookies = secrets.seal(await tradingViewStandIn.controls.cookies(), cookiesPurpose)
  await db.transaction(async (tx) => {
    const insertedConnection = await tx
      .insert(tvConnection)
      .values({
        id: 1,
        state: 'on',
        mode: 'full',
        host: standInHost,
        accountName: 'ReboundSigma',
        sealedCookies,
        okAt: now(),
      })
      .onConflictDoNothing()
    if (insertedConnection.rowCount === 0) return
    const { id: productId, name: product } = catalog.homeProduct()
    for (const [kind, pineId] of Object.entries(tradingViewStandIn.scripts)) {
      const name = kind === 'strategy' ? `${product} Strategy` : product
      await tx.insert(tvScripts).values({ pineId, productId, name, createdAt: now() }).onConflictDoNothing()
    }
  })
}
