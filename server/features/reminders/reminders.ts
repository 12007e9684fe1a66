import { and, eq, exists, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import { liveStatuses } from '#contract/purchases.ts'
import type { Database } from '../../database/connect.ts'
import { purchases, users } from '../../database/schema.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Audit, Doer } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'

const week = 7 * 86_400_000
const batch = 500

type Deps = { db: Database; queue: Queue; mails: Mails; now: () => Date; audit: Audit }

export type Reminders = ReturnType<typeof createReminders>

/** Without a TradingView username a buyer cannot be given what they pay for: so we ask, at most once a week. */
export function createReminders({ db, queue, mails, now, audit }: Deps) {
  const isDue = () =>
    and(
      isNull(users.tradingViewUsername),
      isNull(users.deletedAt),
      or(isNull(users.remindedAt), lt(users.remindedAt, new Date(now().getTime() - week))),
      exists(
        db
          .select({ one: sql`1` })
          .from(purchases)
          .where(and(eq(purchases.userId, users.id), inArray(purchases.status, [...liveStatuses]))),
      ),
    )

  const remind = queue.job<{ userIds: string[] }>('remind', async ({ userIds }) => {
    await db.transaction(async (tx) => {
      // Whoever has told us meanwhile, or is gone, is left in peace.
      const stillMissing = await tx
        .select({ email: users.email, name: users.name })
        .from(users)
        .where(and(inArray(users.id, userIds), isNull(users.tradingViewUsername), isNull(users.deletedAt)))
      for (const { email, name } of stillMissing) await mails.send(tx, email, 'tradingViewReminder', { name })
    })
  })

  return {
    count: () => db.$count(users, isDue()),

    /** Who is due is decided and noted in one statement, so that a second click finds nobody. */
    send: (by: Doer) =>
      db.transaction(async (tx) => {
        const due = await tx
          .update(users)
          .set({ remindedAt: now() })
          .where(isDue())
          .returning({ id: users.id })
        for (let start = 0; start < due.length; start += batch)
          await remind(tx, { userIds: due.slice(start, start + batch).map(({ id }) => id) })
        await audit.record(tx, { ...by, action: 'reminders.send', subject: `${due.length} buyers` })
        return due.length
      }),
  }
}
