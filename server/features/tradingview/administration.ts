import { and, desc, eq, like, or, sql } from 'drizzle-orm'
import { products } from '#contract/price-list.ts'
import type { ConnectionMode, GrantState } from '#contract/statuses.ts'
import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '../../actor.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { auditLog, purchases, tvEvents, tvGrants, tvRuns, tvScripts, users } from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import { isPineId, TradingViewFailure } from '../../gateways/tradingview.ts'
import type { AccessRequests } from '../access-requests/access-requests.ts'
import { type Entitlements, isEntitling } from '../entitlements/entitlements.ts'
import { attention } from './attention.ts'
import type { TradingView } from './connector.ts'

type Dependencies = {
  tradingView: TradingView
  entitlements: Pick<Entitlements, 'takenBy' | 'recordChange' | 'refresh'>
  accessRequests: Pick<AccessRequests, 'claim'>
}
type Paging = {
  limit: number
  cursor?: string | undefined
  q?: string | undefined
  state?: GrantState | undefined
}
type Settings = {
  mode?: ConnectionMode | undefined
  seatLimit?: number | null | undefined
  showsSeats?: boolean | undefined
  freezesDisputes?: boolean | undefined
}

export type TradingViewAdmin = ReturnType<typeof createTradingViewAdmin>

/** What the seller sees of the connector and does with it. Every action is audited. */
export function createTradingViewAdmin({
  tradingView,
  entitlements: entitled,
  accessRequests,
}: Dependencies) {
  const { db, now, queue, audit, gateway, connections, deliver, syncing } = tradingView

  async function grantOf(id: string) {
    const [grant] = await db.select().from(tvGrants).where(eq(tvGrants.id, id))
    if (!grant) throw notFound('Person')
    return grant
  }

  /** Names stay out of the audit log: the entry's id leads to them. */
  const about = (action: string, grantId: string, userId: string | null) => ({
    action: `tradingview.${action}`,
    subject: grantId,
    ...(userId ? { aboutId: userId } : {}),
  })

  const catchUp = () => queue.trigger('tradingview-reconcile')

  return {
    async show() {
      const row = await connections.current()
      const people = await db
        .select({ count: sql<number>`count(distinct ${tvGrants.usernameKey})::int` })
        .from(tvGrants)
        .where(eq(tvGrants.isPresent, true))
      return {
        isAllowed: gateway.isAllowed,
        hasLookAlike: gateway.lookAlike !== undefined,
        state: row?.state ?? ('off' as const),
        mode: row?.mode ?? ('dry' as const),
        host: row?.host ?? 'www.tradingview.com',
        accountName: row?.accountName ?? null,
        acceptedAt: row?.acceptedAt ?? null,
        checkedAt: row?.checkedAt ?? null,
        okAt: row?.okAt ?? null,
        downSince: row?.downSince ?? null,
        lastError: row?.lastError ?? null,
        scripts: await db.$count(tvScripts),
        people: people[0]?.count ?? 0,
        seatLimit: row?.seatLimit ?? null,
        showsSeats: row?.showsSeats ?? false,
        freezesDisputes: row?.freezesDisputes ?? true,
        heldBack: row?.heldBack ?? null,
      }
    },

    async connect(actor: Actor, given: { cookies: string; host: string; accepts: boolean }) {
      await connections.connect(actor, given)
      await catchUp()
    },
    test: () => connections.test(),
    pause: (actor: Actor) => connections.change(actor, 'pause', { state: 'paused' }),
    async resume(actor: Actor) {
      await connections.change(actor, 'resume', { state: 'on', misunderstood: 0 })
      await catchUp()
    },
    forget: (actor: Actor) => connections.change(actor, 'forget', { state: 'off', sealedCookies: null }),

    async reconcile(actor: Actor, mayRemove: boolean) {
      await connections.change(
        actor,
        'reconcile',
        mayRemove
          ? { mayRemoveUntil: new Date(now().getTime() + 3_600_000), heldBack: null }
          : { heldBack: null },
        { mayRemove },
      )
      await catchUp()
    },

    async settings(actor: Actor, { mode, seatLimit, showsSeats, freezesDisputes }: Settings) {
      const changes = {
        ...(mode === undefined ? {} : { mode }),
        ...(seatLimit === undefined ? {} : { seatLimit }),
        ...(showsSeats === undefined ? {} : { showsSeats }),
        ...(freezesDisputes === undefined ? {} : { freezesDisputes }),
      }
      if (Object.keys(changes).length === 0) return
      await connections.change(actor, 'settings', changes, changes)
      if (freezesDisputes !== undefined)
        for (const { userId } of await db
          .selectDistinct({ userId: purchases.userId })
          .from(purchases)
          .where(and(eq(purchases.isDisputed, true), isEntitling)))
          await db.transaction((tx) => entitled.refresh(tx, userId))
      if (mode !== undefined) await catchUp()
    },

    async scripts() {
      const chosen = await db.select().from(tvScripts).orderBy(tvScripts.createdAt)
      const opened = await connections.open()
      let own: { pineId: string; name: string }[] = []
      if (opened)
        try {
          own = await opened.client.scripts()
        } catch (error) {
          if (!(error instanceof TradingViewFailure)) throw error
          await connections.failed(error)
        }
      const others = own.filter(({ pineId }) => !chosen.some((each) => each.pineId === pineId))
      return [
        ...chosen.map(({ pineId, name, problem }) => ({
          pineId,
          name: own.find((each) => each.pineId === pineId)?.name ?? name,
          isChosen: true,
          problem,
        })),
        ...others.map((each) => ({ ...each, isChosen: false, problem: null })),
      ]
    },

    async chooseScript(actor: Actor, pineId: string, productId: string) {
      if (!isPineId(pineId)) throw new Refusal(400, 'This is not the id of a TradingView script.')
      if (!products.some(({ id }) => id === productId)) throw notFound('Product')
      const opened = await connections.open()
      if (!opened) throw conflict('TradingView is not connected.')
      const own = await opened.client.scripts().catch((error: unknown) => {
        throw error instanceof TradingViewFailure ? new Refusal(409, error.message) : error
      })
      const script = own.find((each) => each.pineId === pineId)
      if (!script) throw conflict('This script is not one of the connected account’s own.')
      await db.transaction(async (tx) => {
        await tx
          .insert(tvScripts)
          .values({ pineId, productId, name: script.name, createdAt: now() })
          .onConflictDoUpdate({
            target: tvScripts.pineId,
            set: { problem: null, name: script.name, productId },
          })
        await audit.record(tx, actor, {
          action: 'tradingview.script',
          subject: script.name,
          detail: { pineId },
        })
      })
      await catchUp()
    },

    async dropScript(actor: Actor, pineId: string) {
      await db.transaction(async (tx) => {
        const [dropped] = await tx.delete(tvScripts).where(eq(tvScripts.pineId, pineId)).returning()
        if (!dropped) throw notFound('Script')
        await audit.record(tx, actor, {
          action: 'tradingview.drop-script',
          subject: dropped.name,
          detail: { pineId },
        })
      })
    },

    async people({ limit, cursor, q, state }: Paging) {
      const after = decodeCursor(cursor)
      const rows = await db
        .select({
          grant: tvGrants,
          script: tvScripts.name,
          user: { id: users.id, email: users.email, name: users.name },
        })
        .from(tvGrants)
        .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
        .leftJoin(users, eq(users.id, tvGrants.userId))
        .where(
          and(
            state ? eq(tvGrants.state, state) : undefined,
            q
              ? or(like(tvGrants.usernameKey, containing(q)), like(users.searchText, containing(q)))
              : undefined,
            after ? sql`(${tvGrants.createdAt}, ${tvGrants.id}) < (${after.at}, ${after.id})` : undefined,
          ),
        )
        .orderBy(desc(tvGrants.createdAt), desc(tvGrants.id))
        .limit(limit + 1)
      const { items, next } = pageOf(rows, limit, ({ grant }) => ({ at: grant.createdAt, id: grant.id }))
      return {
        items: items.map(({ grant, script, user }) => ({
          id: grant.id,
          username: grant.username,
          script,
          state: grant.state,
          isOurs: grant.isOurs,
          isWanted: grant.isWanted,
          wantedUntil: grant.wantedUntil,
          isPresent: grant.isPresent,
          presentUntil: grant.presentUntil,
          observedAt: grant.observedAt,
          tries: grant.tries,
          nextTryAt: grant.nextTryAt,
          error: grant.error,
          createdAt: grant.createdAt,
          user: user?.id ? user : null,
        })),
        next,
      }
    },

    /** The calls about a name, and what admins did about it. */
    async history(id: string) {
      const { usernameKey } = await grantOf(id)
      const calls = await db
        .select({ at: tvEvents.at, what: tvEvents.call, outcome: tvEvents.outcome, detail: tvEvents.excerpt })
        .from(tvEvents)
        .where(eq(tvEvents.usernameKey, usernameKey))
        .orderBy(desc(tvEvents.id))
        .limit(100)
      const actions = await db
        .select({ at: auditLog.at, what: auditLog.action, outcome: users.email })
        .from(auditLog)
        .leftJoin(users, eq(users.id, auditLog.actorId))
        .where(and(like(auditLog.action, 'tradingview.%'), eq(auditLog.subject, id)))
        .orderBy(desc(auditLog.id))
        .limit(100)
      return [
        ...calls,
        ...actions.map(({ outcome, ...action }) => ({ ...action, outcome: outcome ?? '', detail: null })),
      ].toSorted((a, b) => b.at.getTime() - a.at.getTime())
    },

    attention: async () => attention(db, await connections.current()),

    runs: () =>
      db
        .select({
          id: tvRuns.id,
          script: tvScripts.name,
          startedAt: tvRuns.startedAt,
          pages: tvRuns.pages,
          isComplete: tvRuns.isComplete,
          people: tvRuns.people,
          missing: tvRuns.missing,
          wrong: tvRuns.wrong,
          ended: tvRuns.ended,
          foreign: tvRuns.foreign,
          heldBack: tvRuns.heldBack,
          error: tvRuns.error,
        })
        .from(tvRuns)
        .innerJoin(tvScripts, eq(tvScripts.id, tvRuns.scriptId))
        .orderBy(desc(tvRuns.startedAt))
        .limit(10),

    async retry(actor: Actor, id: string) {
      const { userId } = await grantOf(id)
      await syncing.retry([id])
      await db.transaction(async (tx) => {
        await audit.record(tx, actor, about('retry', id, userId))
        if (userId) await deliver(tx, userId)
      })
    },

    /** By an admin's own decision: the only way in which somebody who was there before is ever removed. */
    async remove(actor: Actor, id: string) {
      const grant = await grantOf(id)
      if (grant.isWanted) throw conflict('This person pays for access. End the purchase first.')
      const opened = await connections.open()
      if (!opened) throw conflict('TradingView is not connected.')
      const [script] = await db.select().from(tvScripts).where(eq(tvScripts.id, grant.scriptId))
      if (!script) throw notFound('Script')
      await audit.record(db, actor, about('remove', id, grant.userId))
      try {
        await opened.client.remove(script.pineId, grant.username)
        const { people, isComplete } = await opened.client.people(script.pineId, grant.username)
        const isPresent = people.some(({ username }) => keyOfName(username) === grant.usernameKey)
        if (isPresent || !isComplete)
          throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
      } catch (error) {
        throw error instanceof TradingViewFailure ? new Refusal(409, error.message) : error
      }
      await db
        .update(tvGrants)
        .set({ isPresent: false, presentUntil: null, observedAt: now(), state: 'locked', error: null })
        .where(eq(tvGrants.id, id))
    },

    async adopt(actor: Actor, id: string) {
      const { usernameKey, userId } = await grantOf(id)
      if (!userId) throw conflict('Nobody in this shop has claimed this username.')
      await db.transaction(async (tx) => {
        await tx
          .update(tvGrants)
          .set({ isOurs: true, version: sql`${tvGrants.version} + 1` })
          .where(and(eq(tvGrants.userId, userId), eq(tvGrants.usernameKey, usernameKey)))
        await audit.record(tx, actor, about('adopt', id, userId))
        await deliver(tx, userId)
      })
    },

    async rename(actor: Actor, id: string, typed: string) {
      const { userId, usernameKey } = await grantOf(id)
      const read = readUsername(typed)
      if ('refusal' in read) throw new Refusal(400, read.refusal, { fields: { username: read.refusal } })
      const { username } = read
      if (!userId) throw conflict('This person is not a customer of this shop.')
      await db.transaction(async (tx) => {
        const [purchase] = await tx
          .select()
          .from(purchases)
          .where(and(eq(purchases.userId, userId), isEntitling))
        if (!purchase) throw conflict('This person has no live subscription.')
        if (await entitled.takenBy(tx, purchase.productId, keyOfName(username), userId))
          throw conflict('This TradingView account already belongs to another customer.')
        await entitled.recordChange(tx, {
          userId,
          fromKey: usernameKey,
          toKey: keyOfName(username),
          byAdmin: actor.user.id,
        })
        await accessRequests.claim(tx, {
          userId,
          purchaseId: purchase.id,
          productId: purchase.productId,
          username,
        })
        await audit.record(tx, actor, about('rename', id, userId))
      })
    },
  }
}
