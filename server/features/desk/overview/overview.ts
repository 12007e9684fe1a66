import { eq, isNull, min, type SQL, sql } from 'drizzle-orm'
import { promisedBy } from '#contract/access/promise.ts'
import { mostCounted, type NeedKind, needKinds } from '#contract/desk/overview.ts'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { PurchaseNeed, TodoKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { contactMessages, declarations, newsletters, type purchases } from '#server/database/schema.ts'
import { isSellers } from '#server/features/selling/declarations/declarations.ts'
import { countNeedy } from '#server/features/selling/purchases/purchases.ts'
import type { Wings } from '../wings.ts'
import { createFigures } from './figures.ts'
import { lastTwelveMonths, rememberUntilMoved } from './months.ts'

const hour = 3_600_000

/** How the shop is doing. */
export function createOverview(context: Context, wings: Wings) {
  const { db, now, queue, mails, supportEmail } = context
  const { lists } = wings.access.room
  const months = rememberUntilMoved(db, now, () => lastTwelveMonths(db, now()))

  return {
    needs: createNeeds(context, wings),
    figures: createFigures(context, wings),

    async show() {
      const [figures, needy, { open, overdue }] = await Promise.all([
        months(),
        countNeedy(db, now(), mostCounted),
        lists.promised(),
      ])
      return {
        ...figures,
        atRisk: {
          failed_payments: needy('failed_payments'),
          expiring_cards: needy('expiring_cards'),
          disputes: needy('disputes'),
        },
        openAccessRequests: open,
        overdueAccessRequests: overdue,
      }
    },

    /** Only if something is waiting: no one reads a digest that comes every day. */
    async sendDigest() {
      const { open, overdue, oldest } = await lists.promised()
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

const countUpToMost = (db: Database, table: typeof purchases | typeof contactMessages, where: SQL) =>
  db.$count(db.select({ id: table.id }).from(table).where(where).limit(mostCounted).as('some'))

type Found = { count: number; dueAt: Date | null }

/** What needs the seller now. Each is an indexed read, and the list behind its link shows exactly the same rows. */
function createNeeds({ db, now, queue, settings }: Context, { access, selling }: Wings) {
  const { lists } = access.room
  type OtherNeed = Exclude<NeedKind, PurchaseNeed>
  const counted = async (count: number | Promise<number>): Promise<Found> => ({ count: await count, dueAt: null })

  type Waiting = { todo: Record<TodoKind, number>; promised: Awaited<ReturnType<typeof lists.promised>> }

  const ways: Record<OtherNeed, (waiting: Waiting) => Promise<Found>> = {
    async overdue_requests({ promised: { overdue, oldest } }) {
      return { count: overdue, dueAt: overdue > 0 && oldest ? promisedBy(oldest) : null }
    },
    async declarations() {
      const [found] = await db
        .select({ count: sql<number>`count(*)::int`, since: min(declarations.declaredAt) })
        .from(declarations)
        .where(isSellers(now()))
      const { count, since } = found ?? { count: 0, since: null }
      return { count, dueAt: since && declarationDue(since) }
    },
    messages: () => counted(countUpToMost(db, contactMessages, isNull(contactMessages.answeredAt))),
    new_requests: ({ promised: { open, overdue } }) => counted(open - overdue),
    declined_to_end: () => counted(lists.countEndRequests()),
    unscripted_products: async () => counted((await access.tradingView.scripts.unscripted()).length),
    access_stuck: ({ todo }) => counted(todo.stuck),
    access_name_not_found: ({ todo }) => counted(todo.name_not_found),
    access_name_taken: ({ todo }) => counted(todo.name_taken),
    access_name_unreadable: ({ todo }) => counted(todo.name_unreadable),
    access_had_access: ({ todo }) => counted(todo.had_access),
    access_renamed: ({ todo }) => counted(todo.renamed),
    to_lock: ({ todo }) => counted(todo.lock),
    paused_newsletters: () => counted(db.$count(newsletters, eq(newsletters.state, 'paused'))),
    unknown_subscriptions: async () => counted((await selling.proof.latest())?.unknown ?? 0),
    revenue_differs: async () => counted((await selling.proof.latest())?.differing ?? 0),
    failed_jobs: () => counted(queue.failed.count()),
    settings: () => counted(settings.countProblems()),
  }

  return async function needs() {
    const [needy, { todo }, promised] = await Promise.all([
      countNeedy(db, now(), mostCounted),
      lists.counts(),
      lists.promised(),
    ])
    const isOther = (kind: NeedKind): kind is OtherNeed => kind in ways
    const found = await Promise.all(
      needKinds.map(async (kind) => ({
        kind,
        ...(isOther(kind) ? await ways[kind]({ todo, promised }) : needy(kind)),
      })),
    )
    return found.filter(({ count }) => count > 0)
  }
}
