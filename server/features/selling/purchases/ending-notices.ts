import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { products } from '#contract/selling/price-list.ts'
import { liveStatuses } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { purchases, users } from '#server/database/schema.ts'
import { sqlList } from '#server/database/sql-list.ts'
import type { Mails } from '#server/mails/mails.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails }

const noticeDays = 7
const day = 86_400_000

/** A week before what was booked by hand runs out; whoever has less than that is told the day after it was booked. */
export function createEndingNotices({ db, now, mails }: Dependencies) {
  return async function sendEndingNotices() {
    const ending = await db
      .select({ purchase: purchases, email: users.email, name: users.name })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(
        and(
          eq(purchases.status, 'active'),
          isNull(purchases.stripeSubscriptionId),
          gt(purchases.endsAt, now()),
          lte(purchases.endsAt, new Date(now().getTime() + noticeDays * day)),
          lte(purchases.createdAt, new Date(now().getTime() - day)),
          isNull(users.deletedAt),
          // Whoever has subscribed already needs no invitation to.
          sql`not exists (select from purchases other where other.user_id = ${purchases.userId}
            and other.product_id = ${purchases.productId} and other.stripe_subscription_id is not null
            and other.status in ${sql.raw(sqlList(liveStatuses))})`,
        ),
      )
    for (const { purchase, email, name } of ending) {
      const product = products.find(({ id }) => id === purchase.productId)
      const endsAt = purchase.endsAt?.toISOString()
      if (product && endsAt)
        await mails.sendOnce(`end of ${purchase.id} on ${endsAt}`, email, 'bookedEnds', {
          name,
          product: product.name,
          slug: product.slug,
          billingType: purchase.billingType,
          endsAt,
        })
    }
  }
}
