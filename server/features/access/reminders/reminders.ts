import { and, eq, inArray, isNull, lt, not, notInArray, or } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { hasRow } from '#server/database/has-row.ts'
import { access, isLivePurchase, purchases, users } from '#server/database/schema.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'

type ReminderContext = Pick<Context, 'db' | 'queue' | 'mails' | 'now' | 'audit' | 'catalog'>

/** Reminders for buyers who have not asked for access yet, at most one a week. */
export type Reminders = {
  count(): Promise<number>
  /** Returns the number of buyers reminded. Locks their rows, so that a second click sends nothing. */
  send(actor: Actor): Promise<number>
}

const weekMs = 7 * dayMs
const batchSize = 500

type ReminderDeps = {
  accounts: Pick<Accounts, 'profile'>
  connector: { servedProducts(tx: Transaction): Promise<ReadonlySet<string>> }
}

export function createReminders(
  { db, queue, mails, now, audit, catalog }: ReminderContext,
  { accounts, connector }: ReminderDeps,
): Reminders {
  const isUnasked = and(
    isLivePurchase,
    not(
      hasRow(
        access,
        eq(access.userId, purchases.userId),
        eq(access.productId, purchases.productId),
        notInArray(access.state, ['none', 'locked']),
      ),
    ),
  )

  const isDue = () =>
    and(
      isNull(users.deletedAt),
      or(isNull(users.remindedAt), lt(users.remindedAt, new Date(now().getTime() - weekMs))),
      hasRow(purchases, eq(purchases.userId, users.id), isUnasked),
    )

  const remind = queue.defineJob<{ userIds: string[] }>('remind', async ({ userIds }) => {
    await db.transaction(async (tx) => {
      const unaskedBuyers = await tx
        .selectDistinctOn([users.id], { email: users.email, name: users.name, productId: purchases.productId })
        .from(users)
        .innerJoin(purchases, eq(purchases.userId, users.id))
        .where(and(inArray(users.id, userIds), isNull(users.deletedAt), isUnasked))
        .orderBy(users.id, purchases.createdAt)
      const served = await connector.servedProducts(tx)
      for (const { email, name, productId } of unaskedBuyers) {
        const product = (await catalog.findRow(productId, tx)).name
        await mails.send(tx, email, 'tradingViewReminder', { name, product, unlocksItself: served.has(productId) })
      }
    })
  })

  return {
    count: () => db.$count(users, isDue()),

    send: (actor) =>
      db.transaction(async (tx) => {
        const due = await tx.select({ id: users.id }).from(users).where(isDue()).orderBy(users.id).for('no key update')
        const userIds = due.map(({ id }) => id)
        await accounts.profile.markReminded(tx, userIds)
        for (let start = 0; start < userIds.length; start += batchSize)
          await remind(tx, { userIds: userIds.slice(start, start + batchSize) })
        await audit.record(tx, actor, { action: 'reminders.send', subject: `${userIds.length} buyers` })
        return userIds.length
      }),
  }
}
