import { and, eq, inArray, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { isLivePurchase, payments, purchases, refunds, stripeEvents } from '#server/database/schema.ts'
import { eventTypes, type StripeEvent } from '#server/gateways/stripe.ts'
import { messageOf } from '#server/process/log.ts'
import type { Orders } from '../orders/orders.ts'
import { updatePurchases } from '../purchases/purchases.ts'
import type { Sync } from './sync.ts'

type InboxDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'crashPoint'> & {
  orders: Pick<Orders, 'findByPayment' | 'listRunningSubscriptions'>
  sync: Sync
}

/** Events per run; the next run handles the rest. */
const mostInARun = 50_000
/** A run of the reconciler may take 10 minutes before it is started elsewhere; events get half of that. */
const usualBudgetMs = 5 * 60_000
const overdueAfter = 15 * 60_000

/** Stripe events, stored once and handled at least once. An event only names a subscription; `sync` reads its state. */
export type Inbox = {
  /** Stores events of other types as handled. Returns nothing if the event was stored before. */
  keep(event: StripeEvent): Promise<unknown>
  receive(event: StripeEvent): Promise<void>
  /** Handles each pending event once. Events that never failed go first, so failing ones delay nothing. */
  handlePending(onError: (error: unknown) => void, budgetMs?: number): Promise<void>
  /** Counts events that both webhook and reconciler have failed to handle. */
  countOverdue(): Promise<number>
  forgetHandled(before: Date): Promise<void>
}

export function createInbox({ db, now, stripe, crashPoint, orders, sync }: InboxDeps): Inbox {
  /** An event with only a customer may concern any of their running subscriptions. */
  async function subscriptionsOf({ subscriptionId, paymentIntentId, customerId }: Omit<StripeEvent, 'id'>) {
    if (subscriptionId) return [subscriptionId]
    if (paymentIntentId) {
      const begun = await orders.findByPayment(paymentIntentId)
      return [begun?.subscriptionId ?? (await stripe.payments.subscriptionOf(paymentIntentId)) ?? []].flat()
    }
    return customerId ? orders.listRunningSubscriptions(customerId) : []
  }

  /** Marked as handled only after the work is done: a failure leaves it to the next delivery or the reconciler. */
  async function handle(event: StripeEvent) {
    try {
      const subscriptions = await subscriptionsOf(event)
      for (const id of subscriptions) await sync(id)
      if (event.type === 'radar.early_fraud_warning.created') await warn(subscriptions, event)
      crashPoint('event before handled')
      await mark(event.id, { handledAt: now(), lastError: null })
    } catch (error) {
      await mark(event.id, { lastError: messageOf(error).slice(0, 500) })
      throw error
    }
  }

  /** Records an early fraud warning, unless the payment is already refunded or disputed. */
  async function warn(subscriptions: string[], { paymentIntentId }: StripeEvent) {
    const [payment] = await db
      .select({
        left: sql<number>`${payments.amount} - coalesce((select sum(r.amount)::int from ${refunds} r
        where r.payment_intent_id = ${payments}.payment_intent_id and r.status not in ('failed', 'canceled')), 0)`,
      })
      .from(payments)
      .where(eq(payments.paymentIntentId, paymentIntentId ?? ''))
    if (payment && payment.left <= 0) return
    const isMeant = inArray(purchases.stripeSubscriptionId, subscriptions)
    const isOpen = and(isMeant, isLivePurchase, eq(purchases.isDisputed, false))
    await updatePurchases(db, isOpen, { warnedPaymentIntentId: paymentIntentId })
  }

  const mark = (id: string, change: { handledAt?: Date; lastError: string | null }) =>
    db.update(stripeEvents).set(change).where(eq(stripeEvents.id, id))

  async function keep(event: StripeEvent) {
    const handledAt = eventTypes.includes(event.type) ? null : now()
    const [kept] = await db
      .insert(stripeEvents)
      .values({ ...event, receivedAt: now(), handledAt })
      .onConflictDoNothing()
      .returning()
    return kept
  }

  return {
    keep,

    async receive(event) {
      const added = await keep(event)
      crashPoint('event kept')
      const [kept] = added ? [added] : await db.select().from(stripeEvents).where(eq(stripeEvents.id, event.id))
      if (!kept?.handledAt) await handle(event)
    },

    async handlePending(onError, budgetMs = usualBudgetMs) {
      const startedAt = performance.now()
      const { handledAt, lastError, receivedAt } = stripeEvents
      const remaining = await db
        .select()
        .from(stripeEvents)
        .where(isNull(handledAt))
        .orderBy(sql`${lastError} is not null`, receivedAt)
        .limit(mostInARun)
      for (const event of remaining) {
        if (performance.now() - startedAt > budgetMs) return
        await handle(event).catch(onError)
      }
    },

    countOverdue: () =>
      db.$count(
        stripeEvents,
        and(isNull(stripeEvents.handledAt), lt(stripeEvents.receivedAt, new Date(now().getTime() - overdueAfter))),
      ),

    async forgetHandled(before) {
      await db.delete(stripeEvents).where(and(isNotNull(stripeEvents.handledAt), lt(stripeEvents.receivedAt, before)))
    },
  }
}
