import { and, eq, isNotNull, isNull, not } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import {
  hasEndedPurchase,
  isForNewSubscription,
  isLivePurchase,
  orders as orderRows,
  purchases,
} from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { Bookings } from '../bookings/bookings.ts'
import type { AccessEffects } from '../purchases/purchases.ts'
import { refundAll } from '../refunds/refunds.ts'
import type { MissingPurchases } from './missing.ts'
import type { Sync } from './sync.ts'

export type EndAllDeps = Pick<Context, 'db' | 'stripe'> & {
  access: Pick<AccessEffects, 'purchasesChanged'>
  bookings: Pick<Bookings, 'end'>
  missingPurchases: Pick<MissingPurchases, 'end'>
  sync: Sync
}

/** Ends all subscriptions before an account is deleted. Throws 409 while a payment is being processed. */
export async function endAllOf({ db, stripe, access, bookings, missingPurchases, sync }: EndAllDeps, userId: string) {
  const openOrders = await db
    .select({ subscriptionId: orderRows.subscriptionId, paymentIntentId: orderRows.paymentIntentId })
    .from(orderRows)
    .where(and(eq(orderRows.userId, userId), isForNewSubscription, isNull(orderRows.closedAt)))
  for (const { paymentIntentId } of openOrders)
    if (paymentIntentId && (await stripe.payments.hasPaid(paymentIntentId)))
      throw conflict('payment-pending', 'A payment is still being processed. Please try again in a minute.')

  const running = await db
    .select({ id: purchases.id, subscriptionId: purchases.stripeSubscriptionId })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), not(hasEndedPurchase)))
  for (const { subscriptionId } of openOrders) {
    await stripe.subscriptions.cancelNow(subscriptionId)
    // It may have been paid since it was checked above.
    await refundAll(stripe, subscriptionId)
    await sync(subscriptionId)
  }
  for (const { id, subscriptionId } of running) {
    if (subscriptionId) {
      await stripe.subscriptions.cancelNow(subscriptionId)
      await sync(subscriptionId)
    }
    // `sync` doesn't end a purchase whose subscription Stripe doesn't know.
    await db.transaction((tx) => missingPurchases.end(tx, id))
  }

  const commented = await db
    .select({ subscriptionId: purchases.stripeSubscriptionId })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), isNotNull(purchases.leaveComment)))
  for (const { subscriptionId } of commented)
    if (subscriptionId) await stripe.subscriptions.forgetComment(subscriptionId)

  const bookedByHand = await db
    .select({ id: purchases.id })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), isLivePurchase, eq(purchases.paidThrough, 'hand')))
  for (const { id } of bookedByHand) await db.transaction((tx) => bookings.end(tx, id))
  await db.transaction((tx) => access.purchasesChanged(tx, userId))
}
