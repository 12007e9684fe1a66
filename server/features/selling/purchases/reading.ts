import { setTimeout } from 'node:timers/promises'
import { and, asc, gt, isNotNull, isNull } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { purchases } from '#server/database/schema.ts'
import type { Sync } from './sync.ts'

/** A run is over before the next one is due. */
const batch = 100
/** Two a second leave Stripe's limits to the buyers. */
const pace = 500

/**
 * Purchases from before the shop kept what was paid for which time: each is read from Stripe once. Whatever an interrupted
 * run left is still without it, and a failure waits for the next round.
 */
export function createReading({ db, log }: Context, sync: Sync) {
  let after: string | undefined

  return async function readHistories() {
    const unread = await db
      .select({ id: purchases.id, subscriptionId: purchases.stripeSubscriptionId })
      .from(purchases)
      .where(
        and(
          isNotNull(purchases.stripeSubscriptionId),
          isNull(purchases.paidFrom),
          after ? gt(purchases.id, after) : undefined,
        ),
      )
      .orderBy(asc(purchases.id))
      .limit(batch)
    for (const { id, subscriptionId } of unread) {
      if (subscriptionId)
        await sync(subscriptionId).catch((error: unknown) => log.error({ err: error }, 'reading a history'))
      after = id
      await setTimeout(pace)
    }
    if (unread.length < batch) after = undefined
  }
}
