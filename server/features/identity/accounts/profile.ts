import { eq, sql } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import type { AccountEvents } from './email-change.ts'

type Changes = { name?: string | undefined; tradingViewUsername?: string | undefined }

/** What people tell us about themselves. */
export function createProfile({ db, now }: Context, { accountChanged }: AccountEvents) {
  return {
    async show(userId: string) {
      const [found] = await db
        .select({
          name: users.name,
          tradingViewUsername: users.tradingViewUsername,
          email: users.email,
          passwordHash: users.passwordHash,
        })
        .from(users)
        .where(eq(users.id, userId))
      return {
        name: found?.name ?? '',
        tradingViewUsername: found?.tradingViewUsername ?? '',
        email: found?.email ?? '',
        hasPassword: Boolean(found?.passwordHash),
      }
    },

    async update({ user }: Actor, { name, tradingViewUsername }: Changes) {
      await db.transaction(async (tx) => {
        await tx
          .update(users)
          .set({
            name: name ?? users.name,
            tradingViewUsername:
              tradingViewUsername === undefined ? users.tradingViewUsername : tradingViewUsername || null,
          })
          .where(eq(users.id, user.id))
        if (name !== undefined && name !== user.name) await accountChanged(tx, user.id)
      })
    },

    /** Access requests set it too. */
    async setTradingViewUsername(tx: Transaction, userId: string, tradingViewUsername: string) {
      await tx.update(users).set({ tradingViewUsername }).where(eq(users.id, userId))
    },

    /** Records that these people were just asked for their TradingView username. */
    async markReminded(tx: Transaction, userIds: string[]) {
      await tx
        .update(users)
        .set({ remindedAt: now() })
        .where(sql`${users.id} = any(${sql.param(userIds)}::uuid[])`)
    },
  }
}
