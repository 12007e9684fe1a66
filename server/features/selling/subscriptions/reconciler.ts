import { and, eq, gt, inArray, isNotNull, isNull, lt, not, or, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import {
  hasEndedPurchase,
  isForNewSubscription,
  orders,
  purchases,
  stripeEventsPulled,
} from '#server/database/schema.ts'
import { graceEnd } from '../purchases/purchases.ts'
import type { Inbox } from './inbox.ts'
import type { Switching } from './switching.ts'
import type { Sync } from './sync.ts'
import { endUnpaid } from './unpaid.ts'

type ReconcilerDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'log' | 'runExclusive'> & {
  inbox: Pick<Inbox, 'store' | 'handlePending' | 'forgetHandled'>
  switching: Pick<Switching, 'dropAbandoned'>
  sync: Sync
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Overlap between two pulls, because Stripe's list of events may lag. */
const pullOverlapMs = 10 * minuteMs
/** Subscriptions synced in a run; the next run continues with the least recently synced ones. */
const batchSize = 500
/** Ages of an unfinished checkout at which it is synced. Stripe expires it after 23 hours. */
const checkoutSyncAgesMs = [2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs, 23 * hourMs + 10 * minuteMs]

/** Catches up on lost webhooks and unfinished checkouts, and ends grace periods. */
export function createReconciler(deps: ReconcilerDeps): () => Promise<void> {
  const { db, now, stripe, log, runExclusive, inbox, sync, switching } = deps
  const ago = (ageMs: number) => new Date(now().getTime() - ageMs)
  const logError = (error: unknown) => log.error({ err: error }, 'reconciliation')

  async function pullEvents() {
    const startedAt = now()
    const [pulled] = await db.select().from(stripeEventsPulled)
    const since = new Date((pulled?.until ?? ago(3 * dayMs)).getTime() - pullOverlapMs)
    for await (const event of stripe.events.since(since)) await inbox.store(event)
    await db
      .insert(stripeEventsPulled)
      .values({ id: 1, until: startedAt })
      .onConflictDoUpdate({ target: stripeEventsPulled.id, set: { until: startedAt } })
  }

  async function syncAll(subscriptions: { id: string }[]) {
    for (const { id } of subscriptions) await sync(id).catch(logError)
  }

  async function syncUnfinishedCheckouts() {
    const { createdAt, syncedAt, closedAt } = orders
    const isDueAtAge = checkoutSyncAgesMs.map((ageMs) =>
      and(lt(createdAt, ago(ageMs)), sql`${syncedAt} < ${createdAt} + make_interval(secs => ${ageMs / 1000})`),
    )
    const isDueDaily = and(lt(createdAt, ago(dayMs)), lt(syncedAt, ago(dayMs)))
    const unfinished = await db
      .select({ id: orders.subscriptionId })
      .from(orders)
      .where(
        and(
          isForNewSubscription,
          isNull(closedAt),
          lt(createdAt, ago(Math.min(...checkoutSyncAgesMs))),
          or(isNull(syncedAt), ...isDueAtAge, isDueDaily),
        ),
      )
      .orderBy(leastRecentlySynced)
      .limit(batchSize)
    await syncAll(unfinished)
  }

  /** These subscriptions may have changed without an event that reached the shop. */
  async function syncChangedByTime() {
    const cardsExpireSoon = new Date(now().getTime() + 30 * dayMs)
    const due = await db
      .select({ id: orders.subscriptionId })
      .from(purchases)
      .innerJoin(orders, eq(orders.subscriptionId, purchases.stripeSubscriptionId))
      .where(
        and(
          isForNewSubscription,
          not(hasEndedPurchase),
          or(
            lt(purchases.currentPeriodEnd, now()),
            lt(purchases.endsAt, now()),
            inArray(purchases.status, ['past_due', 'paused']),
            isNotNull(purchases.missingSince),
            // Once the paid period is over, free time that follows must not count as revenue.
            and(gt(purchases.arr, 0), lt(purchases.paidUntil, ago(dayMs))),
            // A card that soon expires may have been replaced by the card network.
            and(
              eq(purchases.status, 'active'),
              lt(purchases.cardExpiresAt, cardsExpireSoon),
              lt(orders.syncedAt, ago(dayMs)),
            ),
          ),
          or(isNull(orders.syncedAt), lt(orders.syncedAt, ago(hourMs))),
        ),
      )
      .orderBy(leastRecentlySynced)
      .limit(batchSize)
    await syncAll(due)
  }

  const isGraceOver = ({ status, pastDueSince }: { status: string; pastDueSince: Date | null }) =>
    status === 'past_due' && pastDueSince !== null && graceEnd(pastDueSince) <= now()

  async function endGracePeriods() {
    const unpaid = await db.select().from(purchases).where(eq(purchases.status, 'past_due'))
    for (const purchase of unpaid) {
      const { id, stripeSubscriptionId } = purchase
      if (stripeSubscriptionId && isGraceOver(purchase))
        await runExclusive(stripeSubscriptionId, () => endGracePeriod(id, stripeSubscriptionId)).catch(logError)
    }
  }

  async function endGracePeriod(id: string, subscriptionId: string) {
    // Read before the sync, so that a payment that arrives meanwhile is refunded.
    const subscription = await stripe.subscriptions.read(subscriptionId)
    await sync(subscriptionId)
    const [purchase] = await db.select().from(purchases).where(eq(purchases.id, id))
    if (!purchase || !isGraceOver(purchase)) return
    const { openInvoice, payments } = subscription
    // Stripe may show a payment before it marks the invoice as paid.
    const isPaid = payments.some(({ invoiceId, refunded }) => invoiceId === openInvoice?.id && refunded === 0)
    if (isPaid) return

    await endUnpaid(stripe, subscription)
    await sync(subscriptionId)
  }

  return async function reconcile() {
    const failures: unknown[] = []
    const steps = [
      pullEvents,
      () => inbox.handlePending(logError),
      syncUnfinishedCheckouts,
      syncChangedByTime,
      endGracePeriods,
      () => switching.dropAbandoned(logError),
      () => inbox.forgetHandled(retentionStart(now(), retention.paymentEvents)),
    ]
    for (const step of steps) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 1) throw new AggregateError(failures)
    if (failures.length === 1) throw failures[0]
  }
}

const leastRecentlySynced = sql`${orders.syncedAt} asc nulls first`
