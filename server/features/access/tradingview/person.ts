import { and, eq } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { purchases, tvGrants, tvScripts } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import { asRefusal } from './connection.ts'
import type { Others } from './connector.ts'
import { grantOf, nextVersion, noFailure } from './plan.ts'

/** Names stay out of the audit log: the entry's id leads to them. */
const about = (action: 'adopt' | 'remove' | 'rename' | 'retry', grantId: string, userId: string | null) => ({
  action: `tradingview.${action}` as const,
  subject: grantId,
  ...(userId ? { aboutId: userId } : {}),
})

/** What an admin does about one person. */
export function createPerson(
  { db, now, audit }: Context,
  { connector, entitlements: { usernames }, accessRequests }: Others,
) {
  return {
    async retry(actor: Actor, id: string) {
      const { userId } = await grantOf(db, id)
      await db
        .update(tvGrants)
        .set({ ...noFailure, nextTryAt: now(), ...nextVersion })
        .where(eq(tvGrants.id, id))
      await db.transaction(async (tx) => {
        await audit.record(tx, actor, about('retry', id, userId))
        if (userId) await usernames.recheck(tx, userId)
      })
    },

    /** The only way in which someone whom this shop did not unlock is ever removed. */
    async remove(actor: Actor, id: string) {
      const grant = await grantOf(db, id)
      if (grant.isWanted)
        throw conflict('still-entitled', 'This person pays for access. End the purchase first.')
      const client = await connector.connection.requireClient()
      const [script] = await db.select().from(tvScripts).where(eq(tvScripts.id, grant.scriptId))
      if (!script) throw notFound('Script')
      await audit.record(db, actor, about('remove', id, grant.userId))
      try {
        await client.remove(script.pineId, grant.username)
        const { people, isComplete } = await client.people(script.pineId, grant.username)
        const isPresent = people.some(({ username }) => keyOfName(username) === grant.usernameKey)
        if (isPresent || !isComplete)
          throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
      } catch (error) {
        throw asRefusal(error)
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
          .set({ isOurs: true, ...nextVersion })
          .where(and(eq(tvGrants.userId, userId), eq(tvGrants.usernameKey, usernameKey)))
        await audit.record(tx, actor, about('adopt', id, userId))
        await connector.requestSync(tx, userId)
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
        const username = await usernames.requireAvailable(tx, { userId, productId }, typed)
        const [toKey, byAdmin] = [keyOfName(username), actor.user.id]
        await usernames.recordChange(tx, { userId, fromKey: usernameKey, toKey, byAdmin })
        await accessRequests.recordUsername(tx, { userId, purchaseId, productId, username })
        await audit.record(tx, actor, about('rename', id, userId))
      })
    },
  }
}
