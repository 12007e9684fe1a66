import { gt, inArray, lte, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { type BillingType, planOf, plans } from '#contract/plans.ts'
import { liveStatuses } from '#contract/statuses.ts'
import { runEach } from '#server/concurrency/run-each.ts'
import type { Context } from '#server/context.ts'
import { sqlList } from '#server/database/schema/columns.ts'
import { purchases } from '#server/database/schema.ts'
import { chargesOf, findPurchase, type PurchaseRow, periodOf } from '../purchases/purchases.ts'
import { addDays, findActivePurchases } from './active-purchases.ts'
import type { NextChargeOf } from './next-charge.ts'

type AnnouncementDeps = Pick<Context, 'db' | 'now' | 'log' | 'mails' | 'catalog'> & {
  sync(subscriptionId: string): Promise<void>
  nextChargeOf: NextChargeOf
}

export type Announcements = {
  renewals(): Promise<void>
  /** Sent a week before a booking by hand ends; for shorter bookings, a day after it was made. */
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
  /** Asks Stripe for the next charge right before sending, because the law requires the exact amount. */
  async function readNextCharge({ id, stripeSubscriptionId }: PurchaseRow) {
    await sync(stripeSubscriptionId ?? '').catch((error: unknown) => log.error({ err: error }, 'before a renewal'))
    return nextChargeOf(await findPurchase(db, id))
  }

  return {
    async renewals() {
      const earliestNoticeDays = Math.max(...plans.flatMap((plan) => plan.renewalNoticeDays))
      const renewing = await findActivePurchases(
        db,
        'stripe',
        inArray(purchases.billingType, announcedPlans),
        gt(purchases.currentPeriodEnd, now()),
        lte(purchases.currentPeriodEnd, addDays(now(), earliestNoticeDays)),
      )
      await runEach('renewals', renewing, async ({ purchase, email, name }) => {
        const { id, productId, billingType, price: amount, currentPeriodEnd } = purchase
        if (!currentPeriodEnd) return
        const renewsAt = currentPeriodEnd.toISOString()
        const daysUntilRenewal = Math.ceil((currentPeriodEnd.getTime() - now().getTime()) / dayMs)
        const noticeDays = dueNoticeDays(billingType, daysUntilRenewal)
        if (noticeDays === undefined) return
        const occasion = `renewal of ${id} on ${renewsAt}, ${noticeDays} days ahead`
        // Asks Stripe on the notice day and the day after, in case the shop was down on the first.
        const mayNoticeBeUnsent = daysUntilRenewal >= noticeDays - 1
        const storedCharge = { amount: purchase.nextAmount, isExact: false }
        const { amount: nextAmount, isExact } = mayNoticeBeUnsent ? await readNextCharge(purchase) : storedCharge
        const isAsStored = nextAmount === purchase.nextAmount
        const product = (await catalog.findRow(productId)).name
        await mails.sendOnce(occasion, email, 'renewalNotice', {
          name,
          product,
          billingType,
          period: periodOf(purchase),
          amount,
          charged: nextAmount ?? amount,
          isAbout: !isExact,
          // If the stored amount is outdated, so are the stored later charges.
          charges: isAsStored ? chargesOf(purchase) : null,
          renewsAt,
          days: daysUntilRenewal,
        })
      })
    },

    async bookingEnds() {
      const ending = await findActivePurchases(
        db,
        'hand',
        gt(purchases.endsAt, now()),
        lte(purchases.endsAt, addDays(now(), endingNoticeDays)),
        lte(purchases.createdAt, addDays(now(), -1)),
        // Skips buyers who have subscribed already, because the email invites them to.
        sql`not exists (select from purchases other where other.user_id = ${purchases.userId}
              and other.product_id = ${purchases.productId} and other.paid_through = 'stripe'
              and other.status in ${sql.raw(sqlList(liveStatuses))})`,
      )
      await runEach('purchases', ending, async ({ purchase, email, name }) => {
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
      })
    },
  }
}

const announcedPlans = plans.filter((plan) => plan.renewalNoticeDays.length > 0).map(({ key }) => key)

/** Days before the renewal at which the latest due notice is sent. Undefined if it is too early for any notice. */
function dueNoticeDays(billingType: BillingType, daysUntilRenewal: number): number | undefined {
  const dueDays = planOf(billingType).renewalNoticeDays.filter((noticeDays) => daysUntilRenewal <= noticeDays)
  return dueDays.length > 0 ? Math.min(...dueDays) : undefined
}
