import { eq, isNull, min, type SQL, sql } from 'drizzle-orm'
import {
  type overview as calls,
  maxCount,
  type NeedKind,
  needKinds,
  needPermissions,
} from '#contract/admin/overview.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import { hasPermission } from '#contract/permissions.ts'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import { type PurchaseNeed, purchaseNeeds, purchaseRisks } from '#contract/statuses.ts'
import type { User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { contactMessages, declarations, newsletters, type purchases } from '#server/database/schema.ts'
import { awaitsSeller } from '#server/features/selling/declarations/declarations.ts'
import { countNeeds } from '#server/features/selling/purchases/purchases.ts'
import { countReviewsToAnswer } from '#server/features/site/reviews/reviews.ts'
import type { Areas } from '../areas.ts'
import { createFigures, type Figures } from './figures.ts'
import { readLastTwelveMonths } from './months.ts'
import { createPulse, type Pulse } from './pulse.ts'
import { createSellerLetters, type SellerLetters } from './seller-letters.ts'

type OverviewContext = Pick<Context, 'db' | 'mails' | 'now' | 'paymentAccount' | 'queue' | 'settings' | 'supportEmail'>

export type Overview = {
  needs: FindNeeds
  pulse: Pulse
  letters: SellerLetters
  figures: Figures
  show(): Promise<RawOutputOf<typeof calls.adminShow>>
  /** Sends nothing if nothing is waiting. */
  sendDigest(): Promise<void>
}

const hourMs = 3_600_000

export function createOverview(context: OverviewContext, areas: Areas): Overview {
  const { db, now, queue, mails, supportEmail } = context
  const { lists } = areas.access.core

  const needs = createFindNeeds(context, areas)

  return {
    needs,
    pulse: createPulse(context),
    letters: createSellerLetters(context, needs),
    figures: createFigures(context, areas),

    async show() {
      const [figures, countOf] = await Promise.all([
        readLastTwelveMonths(db, now()),
        countNeeds(db, purchaseRisks, { now: now(), maxCount }),
      ])
      return {
        ...figures,
        atRisk: {
          failed_payments: countOf('failed_payments'),
          expiring_cards: countOf('expiring_cards'),
          disputed: countOf('disputed'),
        },
      }
    },

    async sendDigest() {
      const { open, overdue, oldest } = await lists.countRequests()
      const failedJobs = await queue.failed.count()
      if (open + failedJobs === 0) return
      await mails.sendOnce(`digest of ${now().toISOString().slice(0, 10)}`, supportEmail, 'adminDigest', {
        openRequests: open,
        overdueRequests: overdue,
        oldestHours: oldest ? Math.floor((now().getTime() - oldest.getTime()) / hourMs) : 0,
        failedJobs,
      })
    },
  }
}

const countUpToMax = (db: Database, table: typeof purchases | typeof contactMessages, where: SQL) =>
  db.$count(db.select({ id: table.id }).from(table).where(where).limit(maxCount).as('some'))

type NeedCount = { count: number; dueAt: Date | null }

/** Tasks that wait for this member of staff, the most urgent first. */
export type FindNeeds = (user: Pick<User, 'isAdmin' | 'role'>) => Promise<(NeedCount & { kind: NeedKind })[]>

/** Counts open work by indexed reads. The screen that a task links to lists the rows counted here. */
function createFindNeeds(
  { db, now, queue, settings, paymentAccount }: Pick<Context, 'db' | 'now' | 'queue' | 'settings' | 'paymentAccount'>,
  { access, selling }: Areas,
): FindNeeds {
  const { lists } = access.core
  /** Needs that `countNeeds` of the purchases does not count. */
  type OtherNeed = Exclude<NeedKind, PurchaseNeed>
  type Waiting = Awaited<ReturnType<typeof lists.waiting>>
  const withoutDeadline = async (count: number | Promise<number>): Promise<NeedCount> => ({
    count: await count,
    dueAt: null,
  })

  const counters: Record<OtherNeed, (waiting: Waiting) => NeedCount | Promise<NeedCount>> = {
    overdue_requests: ({ overdue }) => overdue,
    async declarations() {
      const [found] = await db
        .select({ count: sql<number>`count(*)::int`, since: min(declarations.declaredAt) })
        .from(declarations)
        .where(awaitsSeller(now()))
      const { count, since } = found ?? { count: 0, since: null }
      return { count, dueAt: since && declarationDue(since) }
    },
    messages: () => withoutDeadline(countUpToMax(db, contactMessages, isNull(contactMessages.answeredAt))),
    reviews: () => withoutDeadline(countReviewsToAnswer(db)),
    new_requests: ({ requested }) => requested,
    declined_to_end: () => withoutDeadline(lists.countEndRequests()),
    unscripted_products: async () => withoutDeadline((await access.tradingView.scripts.productsWithoutScript()).length),
    access_stuck: ({ todo }) => todo.stuck,
    access_name_not_found: ({ todo }) => todo.name_not_found,
    access_name_taken: ({ todo }) => todo.name_taken,
    access_name_unreadable: ({ todo }) => todo.name_unreadable,
    access_had_access: ({ todo }) => todo.had_access,
    access_renamed: ({ todo }) => todo.renamed,
    to_lock: ({ todo }) => todo.lock,
    paused_newsletters: () => withoutDeadline(db.$count(newsletters, eq(newsletters.state, 'paused'))),
    unknown_subscriptions: async () => withoutDeadline((await selling.proof.latest())?.unknown ?? 0),
    revenue_differs: async () => withoutDeadline((await selling.proof.latest())?.differing ?? 0),
    failed_jobs: () => withoutDeadline(queue.failed.count()),
    // Settings problems are listed in the checklist until the shop takes live payments.
    settings: () => withoutDeadline(paymentAccount.kind === 'live' ? settings.countProblems() : 0),
  }
  const isOtherNeed = (kind: NeedKind): kind is OtherNeed => kind in counters

  return async function findNeeds(user) {
    const [countOf, waiting] = await Promise.all([
      countNeeds(db, purchaseNeeds, { now: now(), maxCount }),
      lists.waiting(),
    ])
    const permittedKinds = needKinds.filter((kind) => hasPermission(user, needPermissions[kind]))
    const countKind = async (kind: NeedKind) => {
      const need = isOtherNeed(kind) ? await counters[kind](waiting) : countOf(kind)
      return { kind, ...need }
    }
    const needs = await Promise.all(permittedKinds.map(countKind))
    return needs.filter(({ count }) => count > 0).toSorted(compareDeadlines)
  }
}

/** Needs without a deadline come last. */
const deadlineOf = ({ dueAt }: NeedCount) => dueAt?.getTime() ?? Number.POSITIVE_INFINITY

function compareDeadlines(a: NeedCount, b: NeedCount): number {
  const [first, second] = [deadlineOf(a), deadlineOf(b)]
  // Infinity minus Infinity is NaN, which would break the sorting.
  return first === second ? 0 : first - second
}
