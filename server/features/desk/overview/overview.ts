import { isNull } from 'drizzle-orm'
import { mostCounted } from '#contract/desk/overview.ts'
import type { Context } from '#server/context.ts'
import { purchases } from '#server/database/schema.ts'
import type { AccessRoom } from '#server/features/access/access/access.ts'
import type { Proof } from '#server/features/selling/ledger/ledger.ts'
import { countNeedy } from '#server/features/selling/purchases/purchases.ts'
import { createFigures } from './figures.ts'
import { lastTwelveMonths } from './months.ts'
import { createNeeds } from './needs.ts'

const hour = 3_600_000

export type Overview = ReturnType<typeof createOverview>

/** How the shop is doing. No figure reads more than a few hundred rows, however many purchases there are. */
export function createOverview(context: Context, access: Pick<AccessRoom, 'lists'>, proof: Proof) {
  const { db, now, queue, mails, supportEmail } = context

  const countUnread = () =>
    db.$count(
      db
        .select({ id: purchases.id })
        .from(purchases)
        .where(isNull(purchases.arr))
        .limit(mostCounted)
        .as('unread'),
    )

  return {
    needs: createNeeds(context, { ...access, proof }),
    figures: createFigures(context, proof),

    async show() {
      const [figures, needy, unread, { open, overdue }] = await Promise.all([
        lastTwelveMonths(db, now()),
        countNeedy(db, now(), mostCounted),
        countUnread(),
        access.lists.promised(),
      ])
      return {
        ...figures,
        atRisk: {
          failed_payments: needy('failed_payments'),
          expiring_cards: needy('expiring_cards'),
          disputes: needy('disputes'),
        },
        unread,
        openAccessRequests: open,
        overdueAccessRequests: overdue,
      }
    },

    /** Only if something is waiting: no one reads a digest that comes every day. */
    async sendDigest() {
      const { open, overdue, oldest } = await access.lists.promised()
      const failedJobs = await queue.failed.count()
      if (open + failedJobs === 0) return
      await mails.sendOnce(`digest of ${now().toISOString().slice(0, 10)}`, supportEmail, 'adminDigest', {
        openRequests: open,
        overdueRequests: overdue,
        oldestHours: oldest ? Math.floor((now().getTime() - oldest.getTime()) / hour) : 0,
        failedJobs,
      })
    },
  }
}
