import { and, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
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

/** Limits the memory of a run; the next run continues. */
const mostPerRun = 50_000
/** Half of the 10 minutes that a run of the reconciler may take before another process starts one. */
const usualBudgetMs = 5 * 60_000
/** Three runs of the reconciler. */
const overdueAfterMs = 15 * 60_000

/** Stripe events, stored once and handled at least once. An event only names a subscription; `sync` reads its state. */
export type Inbox = {
  /** Returns undefined if the event was stored before. A type that the shop doesn't need is stored as handled. */
  store(event: StripeEvent): Promise<unknown>
  /** Throws if handling fails, so that Stripe delivers the event again. */
  receive(event: StripeEvent): Promise<void>
  /** Events that never failed go first, so failing ones delay nothing. */
  handlePending(onError: (error: unknown) => void, budgetMs?: number): Promise<void>
  countOverdue(): Promise<number>
  forgetHandled(before: Date): Promise<void>
}

export function createInbox({ db, now, stripe, crashPoint, orders, sync }: InboxDeps): Inbox {
  /** An event with only a customer may concern any of their running subscriptions. */
  async function subscriptionsOf({ subscriptionId, paymentIntentId, customerId }: Omit<StripeEvent, 'id'>) {
    if (subscriptionId) return [subscriptionId]
    if (paymentIntentId) {
      const order = await orders.findByPayment(paymentIntentId)
      const subscriptionOfPayment = order?.subscriptionId ?? (await stripe.payments.subscriptionOf(paymentIntentId))
      return subscriptionOfPayment ? [subscriptionOfPayment] : []
    }
    return customerId ? orders.listRunningSubscriptions(customerId) : []
  }

  /** Marks the event last, so that Stripe's next delivery or the reconciler retries after a failure. */
  async function handle(event: StripeEvent) {
    try {
      const subscriptions = await subscriptionsOf(event)
      for (const id of subscriptions) await sync(id)
      if (event.type === 'radar.early_fraud_warning.created') await recordFraudWarning(subscriptions, event)
      crashPoint('event before handled')
      await updateEvent(event.id, { handledAt: now(), lastError: null })
    } catch (error) {
      await updateEvent(event.id, { lastError: messageOf(error).slice(0, 500) })
      throw error
    }
  }

  /** Keeps the earliest payment that a bank has reported, because settling the warning covers every later one. */
  async function recordFraudWarning(subscriptions: string[], { paymentIntentId }: StripeEvent) {
    const [payment] = await db
      .select({
        paidAt: payments.paidAt,
        unrefunded: sql<number>`${payments.amount} - coalesce((select sum(r.amount)::int from ${refunds} r
        where r.payment_intent_id = ${payments}.payment_intent_id and r.status not in ${failedRefundStatuses}), 0)`,
      })
      .from(payments)
      .where(eq(payments.paymentIntentId, paymentIntentId ?? ''))
    if (payment && payment.unrefunded <= 0) return
    const isOfSubscriptions = inArray(purchases.stripeSubscriptionId, subscriptions)
    const laterPayments =
      payment && db.select({ id: payments.paymentIntentId }).from(payments).where(gt(payments.paidAt, payment.paidAt))
    const isEarliest = or(
      isNull(purchases.warnedPaymentIntentId),
      laterPayments && inArray(purchases.warnedPaymentIntentId, laterPayments),
    )
    const isWarnable = and(isOfSubscriptions, isLivePurchase, eq(purchases.isDisputed, false), isEarliest)
    await updatePurchases(db, isWarnable, { warnedPaymentIntentId: paymentIntentId })
  }

  const updateEvent = (id: string, change: { handledAt?: Date; lastError: string | null }) =>
    db.update(stripeEvents).set(change).where(eq(stripeEvents.id, id))

  async function findEvent(id: string) {
    const [found] = await db.select().from(stripeEvents).where(eq(stripeEvents.id, id))
    return found
  }

  async function store(event: StripeEvent) {
    const handledAt = eventTypes.includes(event.type) ? null : now()
    const [stored] = await db
      .insert(stripeEvents)
      .values({ ...event, receivedAt: now(), handledAt })
      .onConflictDoNothing()
      .returning()
    return stored
  }

  return {
    store,

    async receive(event) {
      const newRow = await store(event)
      crashPoint('event kept')
      const row = newRow ?? (await findEvent(event.id))
      if (!row?.handledAt) await handle(event)
    },

    async handlePending(onError, budgetMs = usualBudgetMs) {
      const startedAt = performance.now()
      const { handledAt, lastError, receivedAt } = stripeEvents
      const pending = await db
        .select()
        .from(stripeEvents)
        .where(isNull(handledAt))
        .orderBy(sql`${lastError} is not null`, receivedAt)
        .limit(mostPerRun)
      for (const event of pending) {
        if (performance.now() - startedAt > budgetMs) return
        await handle(event).catch(onError)
      }
    },

    countOverdue() {
      const overdueSince = new Date(now().getTime() - overdueAfterMs)
      return db.$count(stripeEvents, and(isNull(stripeEvents.handledAt), lt(stripeEvents.receivedAt, overdueSince)))
    },

    async forgetHandled(before) {
      await db.delete(stripeEvents).where(and(isNotNull(stripeEvents.handledAt), lt(stripeEvents.receivedAt, before)))
    },
  }
}
