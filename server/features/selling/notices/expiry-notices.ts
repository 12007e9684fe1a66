import { gt, lt, lte, sql } from 'drizzle-orm'
import { runEach } from '#server/concurrency/run-each.ts'
import type { Context } from '#server/context.ts'
import { invoices, orders, purchases } from '#server/database/schema.ts'
import { findPurchase, type PurchaseRow, periodOf } from '../purchases/purchases.ts'
import { addDays, findActivePurchases } from './active-purchases.ts'

type ExpiryNoticeDeps = Pick<Context, 'db' | 'now' | 'log' | 'mails' | 'catalog' | 'settings'> & {
  sync(subscriptionId: string): Promise<void>
}

export type ExpiryNotices = { expiringCards(): Promise<void>; endingDiscounts(): Promise<void> }

/** The settings CARD_NOTICES and DISCOUNT_NOTICES name these days to the seller. */
const cardNoticeDays = 21
const discountNoticeDays = 7

/** After discounts, and before credit, which lowers a payment without being a discount. */
const latestPeriodCost = sql`(
  select ${invoices.total} + ${invoices.credit} from ${invoices}
  where ${invoices.purchaseId} = ${purchases.id} and ${invoices.status} = 'paid' and ${invoices.total} > 0
  order by ${invoices.paidAt} desc, ${invoices.periodEnd} desc nulls last limit 1)`

export function createExpiryNotices({ db, now, log, mails, catalog, settings, sync }: ExpiryNoticeDeps): ExpiryNotices {
  async function chargeData(purchase: PurchaseRow, name: string) {
    const { billingType, price: amount, nextAmount } = purchase
    const product = (await catalog.findRow(purchase.productId)).name
    return {
      name,
      product,
      billingType,
      period: periodOf(purchase),
      amount,
      charged: nextAmount ?? amount,
      charges: null,
    }
  }

  /** Syncs first, because the card network may have replaced the card without an event that reached the shop. */
  async function syncAndRead({ id, stripeSubscriptionId }: PurchaseRow) {
    await sync(stripeSubscriptionId ?? '').catch((error: unknown) => log.error({ err: error }, 'before a card notice'))
    return findPurchase(db, id)
  }

  return {
    async expiringCards() {
      if (!settings.current.sends('CARD_NOTICES')) return
      const expiring = await findActivePurchases(
        db,
        'stripe',
        gt(purchases.cardExpiresAt, now()),
        lte(purchases.cardExpiresAt, addDays(now(), cardNoticeDays)),
        lte(purchases.cardExpiresAt, purchases.currentPeriodEnd),
      )
      await runEach('cards', expiring, async ({ purchase: storedPurchase, email, name }) => {
        const purchase = await syncAndRead(storedPurchase)
        const { cardExpiresAt, currentPeriodEnd } = purchase
        if (!cardExpiresAt || !currentPeriodEnd || cardExpiresAt > currentPeriodEnd) return
        const expiresAt = cardExpiresAt.toISOString()
        await mails.sendOnce(`card of ${purchase.id} expires on ${expiresAt}`, email, 'cardExpires', {
          ...(await chargeData(purchase, name)),
          card: purchase.card ?? '',
          expiresAt,
          renewsAt: currentPeriodEnd.toISOString(),
          purchaseId: purchase.id,
        })
      })
    },

    async endingDiscounts() {
      if (!settings.current.sends('DISCOUNT_NOTICES')) return
      const ending = await findActivePurchases(
        db,
        'stripe',
        gt(purchases.currentPeriodEnd, now()),
        lte(purchases.currentPeriodEnd, addDays(now(), discountNoticeDays)),
        lt(latestPeriodCost, purchases.nextAmount),
        sql`exists (select from ${orders} where ${orders.subscriptionId} = ${purchases.stripeSubscriptionId}
              and ${orders.codeId} is not null)`,
      )
      await runEach('purchases', ending, async ({ purchase, email, name }) => {
        const renewsAt = purchase.currentPeriodEnd?.toISOString() ?? ''
        await mails.sendOnce(`discount of ${purchase.id} ends on ${renewsAt}`, email, 'discountEnds', {
          ...(await chargeData(purchase, name)),
          renewsAt,
        })
      })
    },
  }
}
