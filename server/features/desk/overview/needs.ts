import { eq, min, sql } from 'drizzle-orm'
import { promisedBy } from '#contract/access/promise.ts'
import { mostCounted, type NeedKind, needKinds } from '#contract/desk/overview.ts'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { Context } from '#server/context.ts'
import { declarations, purchases } from '#server/database/schema.ts'
import type { AccessRoom } from '#server/features/access/access/access.ts'
import { isSellers } from '#server/features/selling/declarations/declarations.ts'
import {
  graceEnd,
  hasFailedRefunds,
  isUntaxedPurchase,
  isWarnedPurchase,
} from '#server/features/selling/purchases/purchases.ts'

type Found = { count: number; dueAt: Date | null }

/** What needs the seller now. Each is one indexed read, and the list behind its link shows exactly the same rows. */
export function createNeeds({ db, now, queue, settings }: Context, { lists }: Pick<AccessRoom, 'lists'>) {
  const counted = async (count: number | Promise<number>): Promise<Found> => ({
    count: await count,
    dueAt: null,
  })

  const ways: Record<NeedKind, () => Promise<Found>> = {
    fraud_warnings: () => counted(db.$count(purchases, isWarnedPurchase)),
    async disputes() {
      const disputed = db
        .select({ due: purchases.disputeDueAt })
        .from(purchases)
        .where(eq(purchases.isDisputed, true))
        .limit(mostCounted)
        .as('disputed')
      const [found] = await db
        .select({ count: sql<number>`count(*)::int`, dueAt: min(disputed.due) })
        .from(disputed)
      return found ?? nothing
    },
    failed_refunds: () => counted(db.$count(purchases, hasFailedRefunds)),
    async overdue_requests() {
      const { overdue, oldest } = await lists.promised()
      return { count: overdue, dueAt: overdue > 0 && oldest ? promisedBy(oldest) : null }
    },
    async declarations() {
      const [found] = await db
        .select({ count: sql<number>`count(*)::int`, since: min(declarations.declaredAt) })
        .from(declarations)
        .where(isSellers(now()))
      return found ? { count: found.count, dueAt: found.since && declarationDue(found.since) } : nothing
    },
    async failed_payments() {
      const unpaid = db
        .select({ since: purchases.pastDueSince })
        .from(purchases)
        .where(eq(purchases.status, 'past_due'))
        .limit(mostCounted)
        .as('unpaid')
      const [found] = await db
        .select({ count: sql<number>`count(*)::int`, since: min(unpaid.since) })
        .from(unpaid)
      return found ? { count: found.count, dueAt: found.since && graceEnd(found.since) } : nothing
    },
    untaxed: () => counted(db.$count(purchases, isUntaxedPurchase)),
    to_lock: async () => counted((await lists.counts()).todo.lock),
    failed_jobs: () => counted(queue.failed.count()),
    settings: () => counted(settings.countProblems()),
  }

  return async function needs() {
    const found = await Promise.all(needKinds.map(async (kind) => ({ kind, ...(await ways[kind]()) })))
    return found.filter(({ count }) => count > 0)
  }
}

const nothing: Found = { count: 0, dueAt: null }
