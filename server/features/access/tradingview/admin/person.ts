import { and, eq, sql } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { purchases, tvGrants, tvScripts } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { AdminDependencies } from './dependencies.ts'

export async function grantOf(db: Database, id: string) {
  const [grant] = await db.select().from(tvGrants).where(eq(tvGrants.id, id))
  if (!grant) throw notFound('Person')
  return grant
}

/** Names stay out of the audit log: the entry's id leads to them. */
const about = (action: 'adopt' | 'remove' | 'rename' | 'retry', grantId: string, userId: string | null) => ({
  action: `tradingview.${action}` as const,
  subject: grantId,
  ...(userId ? { aboutId: userId } : {}),
})

/** What an admin does about one person. */
export function createPersonAdmin({ tradingView, entitlements, accessRequests }: AdminDependencies) {
  const { db, now, audit, connections, deliver, syncing } = tradingView

  return {
    async retry(actor: Actor, id: string) {
      const { userId } = await grantOf(db, id)
      await syncing.retry([id])
      await db.transaction(async (tx) => {
        await audit.record(tx, actor, about('retry', id, userId))
        if (userId) await entitlements.recheckName(tx, userId)
      })
    },

    /** By an admin's own decision: the only way in which somebody who was there before is ever removed. */
    async remove(actor: Actor, id: string) {
      const grant = await grantOf(db, id)
      if (grant.isWanted)
        throw conflict('still-entitled', 'This person pays for access. End the purchase first.')
      const opened = await connections.open()
      if (!opened) throw conflict('tradingview-not-connected', 'TradingView is not connected.')
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
        throw error instanceof TradingViewFailure
          ? new Refusal(409, 'tradingview-failed', error.message)
          : error
      }
      await db
        .update(tvGrants)
        .set({ isPresent: false, presentUntil: null, observedAt: now(), state: 'locked', error: null })
        .where(eq(tvGrants.id, id))
    },

    async adopt(actor: Actor, id: string) {
      const { usernameKey, userId } = await grantOf(db, id)
      if (!userId) throw conflict('not-a-customer', 'Nobody in this shop has claimed this username.')
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
      const { userId, usernameKey } = await grantOf(db, id)
      if (!userId) throw conflict('not-a-customer', 'This person is not a customer of this shop.')
      await db.transaction(async (tx) => {
        const [purchase] = await tx
          .select()
          .from(purchases)
          .where(and(eq(purchases.userId, userId), isLivePurchase))
        if (!purchase) throw conflict('no-live-subscription', 'This person has no live subscription.')
        const { id: purchaseId, productId } = purchase
        const username = await entitlements.claimable(tx, { userId, productId }, typed)
        const [toKey, byAdmin] = [keyOfName(username), actor.user.id]
        await entitlements.recordChange(tx, { userId, fromKey: usernameKey, toKey, byAdmin })
        await accessRequests.claim(tx, { userId, purchaseId, productId, username })
        await audit.record(tx, actor, about('rename', id, userId))
      })
    },
  }
}
