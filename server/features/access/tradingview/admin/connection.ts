import { and, eq, sql } from 'drizzle-orm'
import type { ConnectionMode } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { purchases, tvGrants, tvScripts } from '#server/database/schema.ts'
import type { AdminDependencies } from './dependencies.ts'

type Settings = {
  mode?: ConnectionMode | undefined
  seatLimit?: number | null | undefined
  showsSeats?: boolean | undefined
  freezesDisputes?: boolean | undefined
}

const hour = 3_600_000

/** How the connection stands, and everything that switches it. */
export function createConnectionAdmin({ tradingView, entitlements }: AdminDependencies) {
  const { db, now, queue, gateway, connections, connecting } = tradingView
  const catchUp = () => queue.trigger('tradingview-reconcile')

  /** What a disputed purchase gives depends on a setting. */
  async function refreshDisputed() {
    const disputed = await db
      .selectDistinct({ userId: purchases.userId })
      .from(purchases)
      .where(and(eq(purchases.isDisputed, true), isLivePurchase))
    for (const { userId } of disputed) await db.transaction((tx) => entitlements.refresh(tx, userId))
  }

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
      await connecting.connect(actor, given)
      await catchUp()
    },
    test: () => connecting.test(),
    pause: (actor: Actor) => connections.change(actor, 'pause', { state: 'paused' }),
    async resume(actor: Actor) {
      await connections.change(actor, 'resume', { state: 'on', misunderstood: 0 })
      await catchUp()
    },
    forget: (actor: Actor) => connections.change(actor, 'forget', { state: 'off', sealedCookies: null }),

    async reconcile(actor: Actor, mayRemove: boolean) {
      const allowed = mayRemove ? { mayRemoveUntil: new Date(now().getTime() + hour) } : {}
      await connections.change(actor, 'reconcile', { ...allowed, heldBack: null }, { mayRemove })
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
      if (freezesDisputes !== undefined) await refreshDisputed()
      if (mode !== undefined) await catchUp()
    },
  }
}
