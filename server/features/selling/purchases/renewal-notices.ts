import { and, eq, gt, isNotNull, isNull, lte } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { purchases, users } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'
import { productName } from './product-name.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails }

const day = 86_400_000
/** Yearly subscribers are told about the renewal twice: a month and a week ahead. */
const noticeDays = [30, 7]

export function createRenewalNotices({ db, now, mails }: Dependencies) {
  return async function sendRenewalNotices() {
    const horizon = new Date(now().getTime() + Math.max(...noticeDays) * day)
    const renewing = await db
      .select({
        id: purchases.id,
        productId: purchases.productId,
        billingType: purchases.billingType,
        amount: purchases.amount,
        renewsAt: purchases.currentPeriodEnd,
        email: users.email,
        name: users.name,
      })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(
        and(
          eq(purchases.status, 'active'),
          eq(purchases.billingType, 'yearly'),
          isNotNull(purchases.stripeSubscriptionId),
          gt(purchases.currentPeriodEnd, now()),
          lte(purchases.currentPeriodEnd, horizon),
          isNull(users.deletedAt),
        ),
      )
    for (const { id, productId, email, renewsAt, ...about } of renewing) {
      if (!renewsAt) continue
      const days = Math.ceil((renewsAt.getTime() - now().getTime()) / day)
      const notice = Math.min(...noticeDays.filter((ahead) => days <= ahead))
      await mails.sendOnce(
        `renewal of ${id} on ${renewsAt.toISOString()}, ${notice} days ahead`,
        email,
        'renewalNotice',
        { ...about, product: productName(productId), renewsAt: renewsAt.toISOString(), days },
      )
    }
  }
}
