import { gt, inArray, lte, sql } from 'drizzle-orm'
import { planOf, plans } from '#contract/plans.ts'
import { liveStatuses } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { sqlList } from '#server/database/schema/columns.ts'
import { purchases } from '#server/database/schema.ts'
import { chargesOf, findPurchase, type PurchaseRow, periodOf } from '../purchases/purchases.ts'
import { activeWithBuyers, addDays, dayMs } from './active-purchases.ts'
import type { NextChargeOf } from './next-charge.ts'

type AnnouncementDeps = Pick<Context, 'db' | 'now' | 'log' | 'mails' | 'catalog'> & {
  sync(subscriptionId: string): Promise<void>
  nextChargeOf: NextChargeOf
}

/** Emails ahead of time, each sent once however often the job runs. */
export type Announcements = {
  renewals(): Promise<void>
  /** A week before a booking by hand ends; for shorter bookings, the day after it was made. */
  bookingEnds(): Promise<void>
}

const endingNoticeDays = 7

export function createAnnouncements({
  db,
  now,
  log,
  mails,
  catalog,
  sync,
  nextChargeOf,
}: AnnouncementDeps): Announcements {
  /** Asks Stripe right before sending: the law requires the exact amount. */
  async function chargeOf({ id, stripeSubscriptionId }: PurchaseRow) {
    await sync(stripeSubscriptionId ?? '').catch((error: unknown) => log.error({ err: error }, 'before a renewal'))
    return nextChargeOf(await findPurchase(db, id))
  }

  return {
    async renewals() {
      const renewing = await activeWithBuyers(
        db,
        'stripe',
        inArray(purchases.billingType, [...announced]),
        gt(purchases.currentPeriodEnd, now()),
        lte(purchases.currentPeriodEnd, addDays(now(), Math.max(...plans.flatMap((plan) => plan.renewalNoticeDays)))),
      )
      for (const { purchase, email, name } of renewing) {
        const { id, productId, billingType, price: amount, currentPeriodEnd } = purchase
        if (!currentPeriodEnd) continue
        const renewsAt = currentPeriodEnd.toISOString()
        const days = Math.ceil((currentPeriodEnd.getTime() - now().getTime()) / dayMs)
        const { renewalNoticeDays } = planOf(billingType)
        const notice = Math.min(...renewalNoticeDays.filter((ahead) => days <= ahead))
        if (notice === Infinity) continue
        const occasion = `renewal of ${id} on ${renewsAt}, ${notice} days ahead`
        // Two days, in case the shop was down on one.
        const isSoon = renewalNoticeDays.some((ahead) => days === ahead || days === ahead - 1)
        const stored = { amount: purchase.nextAmount, isExact: false }
        const { amount: nextAmount, isExact } = isSoon ? await chargeOf(purchase) : stored
        const isAsStored = nextAmount === purchase.nextAmount
        const product = (await catalog.findRow(productId)).name
        await mails.sendOnce(occasion, email, 'renewalNotice', {
          name,
          product,
          billingType,
          period: periodOf(purchase),
          amount,
          charged: nextAmount ?? amount,
          ...(isExact ? {} : { isAbout: true }),
          charges: isAsStored ? chargesOf(purchase) : null,
          renewsAt,
          days,
        })
      }
    },

    async bookingEnds() {
      const ending = await activeWithBuyers(
        db,
        'hand',
        gt(purchases.endsAt, now()),
        lte(purchases.endsAt, addDays(now(), endingNoticeDays)),
        lte(purchases.createdAt, addDays(now(), -1)),
        // A buyer who has already subscribed needs no invitation to.
        sql`not exists (select from purchases other where other.user_id = ${purchases.userId}
              and other.product_id = ${purchases.productId} and other.paid_through = 'stripe'
              and other.status in ${sql.raw(sqlList(liveStatuses))})`,
      )
      for (const { purchase, email, name } of ending) {
        const { name: product, slug } = await catalog.findRow(purchase.productId)
        const endsAt = purchase.endsAt?.toISOString()
        if (endsAt)
          await mails.sendOnce(`end of ${purchase.id} on ${endsAt}`, email, 'bookedEnds', {
            name,
            product,
            slug,
            billingType: purchase.billingType,
            endsAt,
          })
      }
    },
  }
}

/** Plans whose renewals are announced. */
const announced = plans.flatMap((plan) => (plan.renewalNoticeDays.length > 0 ? [plan.key] : []))
