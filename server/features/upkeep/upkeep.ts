import { and, eq, gt, isNotNull, isNull, lt, lte, notExists, sql } from 'drizzle-orm'
import { catalogue } from '#contract/price-list.ts'
import type { Database } from '../../database/connect.ts'
import { accessRequests, checkouts, contactMessages, purchases, users } from '../../database/schema.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Mails } from '../mails/mails.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails; queue: Queue; supportEmail: string }

const hour = 3_600_000
const day = 24 * hour
/** A buyer by the year hears of the renewal twice: a month and a week ahead. */
const noticeDays = [30, 7]

/** What happens by the clock and belongs to no other room: renewal notices, the seller's digest, old data. */
export function scheduleUpkeep({ db, now, mails, queue, supportEmail }: Dependencies) {
  const inDays = (days: number) => new Date(now().getTime() + days * day)

  async function sendRenewalNotices() {
    const renewing = await db
      .select({
        id: purchases.id,
        productId: purchases.productId,
        billingType: purchases.billingType,
        amount: purchases.amount,
        renewsAt: purchases.currentPeriodEnd,
        email: users.email,
        name: users.name,
      })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(
        and(
          eq(purchases.status, 'active'),
          eq(purchases.billingType, 'yearly'),
          isNotNull(purchases.stripeSubscriptionId),
          gt(purchases.currentPeriodEnd, now()),
          lte(purchases.currentPeriodEnd, inDays(Math.max(...noticeDays))),
          isNull(users.deletedAt),
        ),
      )
    for (const { id, productId, email, renewsAt, ...about } of renewing) {
      if (!renewsAt) continue
      const days = Math.ceil((renewsAt.getTime() - now().getTime()) / day)
      const notice = Math.min(...noticeDays.filter((ahead) => days <= ahead))
      const product = catalogue.find((each) => each.id === productId)?.name ?? ''
      await mails.sendOnce(
        `renewal of ${id} on ${renewsAt.toISOString()}, ${notice} days ahead`,
        email,
        'renewalNotice',
        { ...about, product, renewsAt: renewsAt.toISOString(), days },
      )
    }
  }

  /** Only when something waits: a digest that comes every day is not read. */
  async function sendDigest() {
    const [requests] = await db
      .select({
        open: sql<number>`count(*)::int`,
        overdue: sql<number>`(count(*) filter (where ${lt(accessRequests.submittedAt, inDays(-1))}))::int`,
        oldest: sql<string | null>`min(${accessRequests.submittedAt})`,
      })
      .from(accessRequests)
      .where(eq(accessRequests.status, 'requested'))
    const { open = 0, overdue = 0, oldest } = requests ?? {}
    const failedJobs = await queue.failed.count()
    if (open + failedJobs === 0) return
    await mails.sendOnce(`digest of ${now().toISOString().slice(0, 10)}`, supportEmail, 'adminDigest', {
      openRequests: open,
      overdueRequests: overdue,
      oldestHours: oldest ? Math.floor((now().getTime() - new Date(oldest).getTime()) / hour) : 0,
      failedJobs,
    })
  }

  /** Unpaid checkouts hold the address of somebody who did not buy; messages have been answered long ago. */
  async function forgetOldData() {
    await db
      .delete(checkouts)
      .where(
        and(
          lt(checkouts.closedAt, inDays(-30)),
          notExists(
            db
              .select({ one: sql`1` })
              .from(purchases)
              .where(eq(purchases.stripeSubscriptionId, checkouts.subscriptionId)),
          ),
        ),
      )
    await db.delete(contactMessages).where(lt(contactMessages.createdAt, inDays(-2 * 365)))
  }

  queue.schedule('renewal-notices', '7 8 * * *', sendRenewalNotices)
  queue.schedule('digest', '5 6 * * *', sendDigest)
  queue.schedule('forget-old-data', '37 3 * * *', forgetOldData)
}
