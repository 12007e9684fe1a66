import { asc, eq, sql } from 'drizzle-orm'
import { accessPromiseHours } from '#contract/access/access-requests.ts'
import { mostCounted } from '#contract/desk/overview.ts'
import type { Context } from '#server/context.ts'
import { purchases, accessRequests as requestRows } from '#server/database/schema.ts'
import { type AccessRequests, openRequests } from '#server/features/access/access-requests/access-requests.ts'
import { addUpMovements, lastTwelveMonths } from './months.ts'
import { createNeeds } from './needs.ts'

const hour = 3_600_000

export type Overview = ReturnType<typeof createOverview>

/** How the shop is doing. No figure reads more than a few hundred rows, however many purchases there are. */
export function createOverview(context: Context, { accessRequests }: { accessRequests: AccessRequests }) {
  const { db, now, queue, mails, supportEmail } = context

  async function openMatters() {
    const overdueBefore = new Date(now().getTime() - accessPromiseHours * hour)
    const failed = db
      .select({ id: purchases.id })
      .from(purchases)
      .where(eq(purchases.status, 'past_due'))
      .limit(mostCounted)
    const requests = openRequests(db, await accessRequests.lists.isForSeller())
      .orderBy(asc(requestRows.submittedAt))
      .limit(mostCounted)
      .as('open')
    const [matters] = await db
      .select({
        failedPayments: sql<number>`(select count(*) from ${failed} failed)::int`,
        requests: sql<number>`count(*)::int`,
        overdueRequests: sql<number>`(count(*) filter (where ${requests.submittedAt} < ${overdueBefore}))::int`,
        oldestRequest: sql<string | null>`min(${requests.submittedAt})`,
      })
      .from(requests)
    return matters ?? { failedPayments: 0, requests: 0, overdueRequests: 0, oldestRequest: null }
  }

  return {
    addUpMovements: () => addUpMovements(db),
    needs: createNeeds(context, accessRequests),

    async show() {
      const [months, matters] = await Promise.all([lastTwelveMonths(db, now()), openMatters()])
      return {
        months,
        failedPayments: matters.failedPayments,
        openAccessRequests: matters.requests,
        overdueAccessRequests: matters.overdueRequests,
      }
    },

    /** Only if something is waiting: no one reads a digest that comes every day. */
    async sendDigest() {
      const { requests, overdueRequests, oldestRequest } = await openMatters()
      const failedJobs = await queue.failed.count()
      if (requests + failedJobs === 0) return
      await mails.sendOnce(`digest of ${now().toISOString().slice(0, 10)}`, supportEmail, 'adminDigest', {
        openRequests: requests,
        overdueRequests,
        oldestHours: oldestRequest ? Math.floor((now().getTime() - Date.parse(oldestRequest)) / hour) : 0,
        failedJobs,
      })
    },
  }
}
