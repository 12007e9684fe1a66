import { setTimeout } from 'node:timers/promises'
import { and, asc, gt, isNull } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { purchases } from '#server/database/schema.ts'
import type { Checkouts } from '../checkout/checkout.ts'
import type { Booked } from './booked.ts'
import type { Sync } from './sync.ts'

/** A run is over before the next one is due. */
const batch = 100
/** Two a second leave Stripe's limits to the buyers. */
const pace = 500

type Others = { sync: Sync; booked: Booked; checkouts: Checkouts }

/**
 * Purchases from before the shop kept a ledger: each is read from Stripe once. Whatever an interrupted run left is still
 * without it, and a failure waits for the next round.
 */
export function createReading({ db, log }: Context, { sync, booked, checkouts }: Others) {
  let after: string | undefined

  return async function readHistories() {
    const unread = await db
      .select({ id: purchases.id, subscriptionId: purchases.stripeSubscriptionId })
      .from(purchases)
      .where(and(isNull(purchases.arr), after ? gt(purchases.id, after) : undefined))
      .orderBy(asc(purchases.id))
      .limit(batch)
    for (const { id, subscriptionId } of unread) {
      const read = async () => {
        if (subscriptionId) await sync(subscriptionId)
        // Booked by hand, or its checkout is unknown: what is written here is all there is.
        if (!subscriptionId || !(await checkouts.ofSubscription(subscriptionId)))
          await db.transaction((tx) => booked.enter(tx, id))
      }
      await read().catch((error: unknown) => log.error({ err: error }, 'reading a history'))
      after = id
      if (subscriptionId) await setTimeout(pace)
    }
    if (unread.length < batch) after = undefined
  }
}
