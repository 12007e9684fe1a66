import { and, asc, eq, isNull, lt, or } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { checkouts, purchases, stripeEventsPulled } from '#server/database/schema.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import { graceEnd } from './entitlement.ts'
import { eventTypes, type Inbox } from './inbox.ts'
import type { Sync } from './sync.ts'

type Others = { stripe: StripeGateway; inbox: Inbox; sync: Sync }

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Stripe's lists may lag a little. */
const overlap = 10 * minute
const batch = 500

/** Asks Stripe for anything we missed, so a lost webhook or a browser that never came back loses nothing. */
export function createReconciler({ db, now, log }: Context, { stripe, inbox, sync }: Others) {
  const ago = (span: number) => new Date(now().getTime() - span)
  const logError = (error: unknown) => log.error({ err: error }, 'reconciliation')

  /** Fetches events that never arrived and handles them like those that did. */
  async function pullEvents() {
    const startedAt = now()
    const [pulled] = await db.select().from(stripeEventsPulled)
    const since = new Date((pulled?.until ?? ago(3 * day)).getTime() - overlap)
    for await (const event of stripe.events.since(since, eventTypes)) await inbox.keep(event)
    await db
      .insert(stripeEventsPulled)
      .values({ id: 1, until: startedAt })
      .onConflictDoUpdate({ target: stripeEventsPulled.id, set: { until: startedAt } })
  }

  /** Checkouts that no one finished, and subscriptions that are due. */
  async function syncStale() {
    const open = await db
      .select({ id: checkouts.subscriptionId })
      .from(checkouts)
      .where(and(isNull(checkouts.closedAt), lt(checkouts.createdAt, ago(2 * minute))))
      .orderBy(asc(checkouts.syncedAt))
      .limit(batch)
    const due = await db
      .select({ id: checkouts.subscriptionId })
      .from(purchases)
      .innerJoin(checkouts, eq(checkouts.subscriptionId, purchases.stripeSubscriptionId))
      .where(
        and(
          isLivePurchase,
          or(lt(purchases.currentPeriodEnd, now()), eq(purchases.status, 'past_due')),
          or(isNull(checkouts.syncedAt), lt(checkouts.syncedAt, ago(hour))),
        ),
      )
      .orderBy(asc(checkouts.syncedAt))
      .limit(batch)
    for (const { id } of [...open, ...due]) await sync(id).catch(logError)
  }

  async function endGracePeriods() {
    const unpaid = await db
      .select({ id: purchases.stripeSubscriptionId, since: purchases.pastDueSince })
      .from(purchases)
      .where(eq(purchases.status, 'past_due'))
    for (const { id, since } of unpaid) {
      if (!id || !since || graceEnd(since) > now()) continue
      await stripe.subscriptions.cancelNow(id).catch(logError)
      await sync(id).catch(logError)
    }
  }

  return async function reconcile() {
    await pullEvents()
    await inbox.handlePending(logError)
    await syncStale()
    await endGracePeriods()
    await inbox.forgetHandled(keptSince(now(), retention.paymentEvents))
  }
}
