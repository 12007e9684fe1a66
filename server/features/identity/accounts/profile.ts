import { eq, sql } from 'drizzle-orm'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { accounts } from '#contract/identity/accounts.ts'
import type { Actor, AssertFresh } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { findUser } from '#server/database/people.ts'
import { users } from '#server/database/schema.ts'
import type { AccountEvents } from './email-change.ts'

type ProfileContext = Pick<Context, 'db' | 'now'>

export type Profile = {
  show(userId: string): Promise<RawOutputOf<typeof accounts.profile>>
  /** `beforeMove` is called before a new username moves access to another TradingView account. */
  update(actor: Actor, changes: ProfileChanges, beforeMove: AssertFresh): Promise<void>
  markReminded(tx: Transaction, userIds: string[]): Promise<void>
}

type ProfileChanges = { name?: string | undefined; tradingViewUsername?: string | undefined }

export function createProfile(
  { db, now }: ProfileContext,
  { accountChanged, usernameEntered }: AccountEvents,
): Profile {
  return {
    async show(userId) {
      const user = await findUser(db, userId)
      const { tradingViewUsername, passwordHash } = user
      return { ...user, tradingViewUsername: tradingViewUsername ?? '', hasPassword: passwordHash !== null }
    },

    async update({ user }, { name, tradingViewUsername: username }, beforeMove) {
      await db.transaction(async (tx) => {
        const [stored] = await tx.select().from(users).where(eq(users.id, user.id)).for('no key update')
        if (name !== undefined) {
          await tx.update(users).set({ name }).where(eq(users.id, user.id))
          if (name !== user.name) await accountChanged(tx, user.id)
        }
        const isNewUsername = username !== undefined && username !== (stored?.tradingViewUsername ?? '')
        if (isNewUsername)
          await usernameEntered(tx, { userId: user.id, username, field: 'tradingViewUsername', beforeMove })
      })
    },

    async markReminded(tx, userIds) {
      await tx
        .update(users)
        .set({ remindedAt: now() })
        .where(sql`${users.id} = any(${sql.param(userIds)}::uuid[])`)
    },
  }
}

/** Called by the access area only: a changed username may lock or unlock scripts. */
export async function setTradingViewUsername(tx: Transaction, userId: string, tradingViewUsername: string | null) {
  await tx.update(users).set({ tradingViewUsername }).where(eq(users.id, userId))
}
