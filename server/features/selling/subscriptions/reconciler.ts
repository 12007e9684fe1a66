import { and, eq, gt, inArray, isNotNull, isNull, lt, not, or, sql } from 'drizzle-orm'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { hasEndedPurchase, isNewOrder, orders, purchases, stripeEventsPulled } from '#server/database/schema.ts'
import { graceEnd } from '../purchases/purchases.ts'
import { refundAll, wholePayment } from '../refunds/refunds.ts'
import type { Inbox } from './inbox.ts'
import type { Switching } from './switching.ts'
import type { Sync } from './sync.ts'

type ReconcilerDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'log' | 'runExclusive'> & {
  inbox: Pick<Inbox, 'keep' | 'handlePending' | 'forgetHandled'>
  switching: Pick<Switching, 'giveUpOld'>
  sync: Sync
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Stripe's lists may lag a little. */
const overlap = 10 * minute
const batch = 500
/** Ages of an unfinished checkout at which Stripe is asked about it. By the last, Stripe has expired it. */
const askedAt = [2 * minute, 10 * minute, hour, 6 * hour, 23 * hour + 10 * minute]

/** Asks Stripe for lost webhooks and for payments whose browser never returned. */
export function createReconciler(deps: ReconcilerDeps): () => Promise<void> {
  const { db, now, stripe, log, runExclusive, inbox, sync, switching } = deps
  const ago = (span: number) => new Date(now().getTime() - span)
  const logError = (error: unknown) => log.error({ err: error }, 'reconciliation')

  async function pullEvents() {
    const startedAt = now()
    const [pulled] = await db.select().from(stripeEventsPulled)
    const since = new Date((pulled?.until ?? ago(3 * day)).getTime() - overlap)
    for await (const event of stripe.events.since(since)) await inbox.keep(event)
    await db
      .insert(stripeEventsPulled)
      .values({ id: 1, until: startedAt })
      .onConflictDoUpdate({ target: stripeEventsPulled.id, set: { until: startedAt } })
  }

  async function syncAll(rows: { id: string }[]) {
    for (const { id } of rows) await sync(id).catch(logError)
  }

  /** Unfinished checkouts, at growing intervals; after a day, once a day. */
  async function syncOpen() {
    const { createdAt, syncedAt, closedAt } = orders
    const isDue = askedAt.map((age) =>
      and(lt(createdAt, ago(age)), sql`${syncedAt} < ${createdAt} + make_interval(secs => ${age / 1000})`),
    )
    const open = await db
      .select({ id: orders.subscriptionId })
      .from(orders)
      .where(
        and(
          isNewOrder,
          isNull(closedAt),
          lt(createdAt, ago(askedAt[0] ?? 0)),
          or(isNull(syncedAt), ...isDue, and(lt(createdAt, ago(day)), lt(syncedAt, ago(day)))),
        ),
      )
      .orderBy(longestAgo)
      .limit(batch)
    await syncAll(open)
  }

  /** Subscriptions that may have changed by themselves. */
  async function syncDue() {
    const due = await db
      .select({ id: orders.subscriptionId })
      .from(purchases)
      .innerJoin(orders, eq(orders.subscriptionId, purchases.stripeSubscriptionId))
      .where(
        and(
          isNewOrder,
          not(hasEndedPurchase),
          or(
            lt(purchases.currentPeriodEnd, now()),
            lt(purchases.endsAt, now()),
            inArray(purchases.status, ['past_due', 'paused']),
            isNotNull(purchases.missingSince),
            // The paid period is over; a given period after it earns nothing.
            and(gt(purchases.arr, 0), lt(purchases.paidUntil, ago(24 * hour))),
            // The network may have updated a card that seems to expire.
            and(
              eq(purchases.status, 'active'),
              lt(purchases.cardExpiresAt, ago(-30 * day)),
              lt(orders.syncedAt, ago(day)),
            ),
          ),
          or(isNull(orders.syncedAt), lt(orders.syncedAt, ago(hour))),
        ),
      )
      .orderBy(longestAgo)
      .limit(batch)
    await syncAll(due)
  }

  const isOver = ({ status, pastDueSince }: { status: string; pastDueSince: Date | null }) =>
    status === 'past_due' && pastDueSince !== null && graceEnd(pastDueSince) <= now()

  async function endGracePeriods() {
    const unpaid = await db.select().from(purchases).where(eq(purchases.status, 'past_due'))
    for (const { id, stripeSubscriptionId, ...row } of unpaid)
      if (stripeSubscriptionId && isOver(row))
        await runExclusive(stripeSubscriptionId, () => endGracePeriod(id, stripeSubscriptionId)).catch(logError)
  }

  /** Asks Stripe first: a buyer who has just paid keeps the subscription, one who pays during the end is refunded. */
  async function endGracePeriod(id: string, subscriptionId: string) {
    await sync(subscriptionId)
    const [purchase] = await db.select().from(purchases).where(eq(purchases.id, id))
    if (!purchase || !isOver(purchase)) return
    const { openInvoice, payments } = await stripe.subscriptions.read(subscriptionId)
    // Paid, but Stripe has not marked the invoice yet.
    if (payments.some(({ invoiceId, refunded }) => invoiceId === openInvoice?.id && refunded === 0)) return
    const known = new Set(payments.map(({ paymentIntentId }) => paymentIntentId))
    await stripe.subscriptions.cancelNow(subscriptionId)
    await refundAll(
      stripe,
      subscriptionId,
      wholePayment(({ paymentIntentId }) => !known.has(paymentIntentId)),
    )
    await sync(subscriptionId)
  }

  /** Each part fails alone; the run then counts as failed. */
  return async function reconcile() {
    const failures: unknown[] = []
    const parts = [
      pullEvents,
      () => inbox.handlePending(logError),
      syncOpen,
      syncDue,
      endGracePeriods,
      () => switching.giveUpOld(logError),
      () => inbox.forgetHandled(retentionStart(now(), retention.paymentEvents)),
    ]
    for (const part of parts) await part().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures.length > 1 ? new AggregateError(failures) : failures[0]
  }
}

const longestAgo = sql`${orders.syncedAt} asc nulls first`
