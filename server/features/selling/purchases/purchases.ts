import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { keptSinceNewYear, retention } from '#contract/retention.ts'
import { type EndReason, hasEnded } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { HistoryPart } from '#server/database/cursor.ts'
import { hasEndedPurchase, purchases } from '#server/database/schema.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Codes } from '../codes/codes.ts'
import { createDocuments, forgetOldInvoices } from '../invoices/invoices.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Orders } from '../orders/orders.ts'
import type { Prices } from '../prices/prices.ts'
import { createAdministration, createSellerEnding } from './administration.ts'
import { createBooked } from './booked.ts'
import { createEnding } from './ending.ts'
import type { AccessEffects } from './entitlement.ts'
import { createInbox } from './inbox.ts'
import { findPurchase, listPurchases, type PurchaseRow, periodOf, prepareOwnPurchases, showToBuyer } from './list.ts'
import { createMissing } from './missing.ts'
import { createNextCharge } from './next-charge.ts'
import { createAnnouncements, createNotices } from './notices.ts'
import { createCardUpdate, createInvoices, createRefunds, createUnpaid } from './payments.ts'
import { createReconciler } from './reconciler.ts'
import { createSwitching } from './switching.ts'
import { createSync, payBackAll } from './sync.ts'
import { createTakeover } from './takeover.ts'

export type { Kept } from './ending.ts'
export { type AccessEffects, entitlementOf } from './entitlement.ts'
export { countNeedy } from './needs.ts'
export type Purchases = ReturnType<typeof createPurchases>

type Others = {
  accounts: Accounts
  orders: Orders
  codes: Codes
  ledger: Ledger
  prices: Prices
  access: AccessEffects
}

/** No one has more. */
const most = 200
const batch = 1000

/** A Stripe subscription, or booked by hand. Whatever learns that something may have changed calls `sync`, which asks Stripe. */
export function createPurchases(context: Context, others: Others) {
  const { db, now, catalog, stripe } = context
  const notices = createNotices(context)
  const missing = createMissing(context, others)
  const sync = createSync(context, { ...others, missing, notices })
  const booked = createBooked(context, { ...others, notices })
  const shared = { ...others, missing, notices, booked, sync }
  const inbox = createInbox(context, shared)
  const switching = createSwitching(context, shared)
  const ending = createEnding(context, shared)
  const refunds = createRefunds(context, shared)
  const sellerEnding = createSellerEnding(context, { ...shared, ending, refunds })
  const invoices = createInvoices(context, createDocuments(context))
  const nextChargeOf = createNextCharge(context)
  const firstPage = prepareOwnPurchases(db)

  const rowsOf = (userId: string) =>
    db
      .select()
      .from(purchases)
      .where(eq(purchases.userId, userId))
      .orderBy(desc(purchases.createdAt), desc(purchases.id))
      .limit(most)

  return {
    sync,

    /** Ends a checkout that nobody has paid. Money that arrives at the same moment is refunded. */
    async cancelUnpaid(subscriptionId: string) {
      await stripe.subscriptions.cancelNow(subscriptionId)
      await payBackAll(stripe, subscriptionId)
      await sync(subscriptionId)
    },

    announce: createAnnouncements(context, { sync, nextChargeOf }),
    booked,
    inbox,
    reconcile: createReconciler(context, { ...shared, inbox, switching }),
    ending,
    switching,
    sellerEnding,
    takeover: createTakeover(context, shared),
    unpaid: createUnpaid(context, shared),
    administration: createAdministration(context, { ...shared, sellerEnding }),
    invoices,
    card: createCardUpdate(context, shared),
    refunds,

    find: (id: string, userId?: string) => findPurchase(db, id, userId),

    nextCharge: async (userId: string, id: string) => nextChargeOf(await findPurchase(db, id, userId)),

    list: (userId: string, page: { limit: number; cursor?: string | undefined }) =>
      page.cursor ? listPurchases(db, { ...page, userId }, now(), showToBuyer) : firstPage(userId, page.limit),

    async ofPaymentIntent(userId: string, paymentIntentId: string): Promise<PurchaseRow | undefined> {
      const [found] = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.paymentIntentId, paymentIntentId), eq(purchases.userId, userId)))
      return found
    },

    paymentsOf: async (userId: string) => invoices.summary(await rowsOf(userId)),

    async historyOf(userId: string, { before }: HistoryPart) {
      const events = []
      for (const row of await rowsOf(userId)) events.push(...eventsOf(row, (await catalog.named(row.productId)).name))
      return events.filter(({ at }) => at <= before)
    },

    /** What the books no longer need. Its checkout is then one without a purchase, and goes like those. */
    async forgetOld() {
      const endedAt = sql`coalesce(${purchases.endedAt}, ${purchases.createdAt})`
      const isOld = and(hasEndedPurchase, lt(endedAt, keptSinceNewYear(now(), retention.books)))
      for (;;) {
        const old = db.select({ id: purchases.id }).from(purchases).where(isOld).limit(batch)
        const { rowCount } = await db.delete(purchases).where(inArray(purchases.id, old))
        if (!rowCount || rowCount < batch) break
      }
      await forgetOldInvoices(db, keptSinceNewYear(now(), retention.books))
    },
  }
}

const endings: Record<EndReason, string> = {
  cancelled: 'Subscription ended',
  unpaid: 'Subscription expired unpaid',
  refunded: 'Subscription ended: refunded',
  disputed: 'Subscription ended: lost dispute',
  gone: 'Subscription ended: gone at Stripe',
  duplicate: 'Second subscription ended',
  code_used_up: 'Refunded: the code was used up',
  code_new_only: 'Refunded: the code is for new customers',
}

const dueDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

const disputeInWords = ({ isDisputed, disputeDueAt }: PurchaseRow) =>
  isDisputed && disputeDueAt
    ? `Disputed a payment; answer the bank by ${dueDay.format(disputeDueAt)}`
    : 'Disputed a payment'

function eventsOf(row: PurchaseRow, product: string) {
  const { id, price: amount, createdAt, pastDueSince, pausedAt, endedAt, endedBecause } = row
  const purchase = { product, amount, period: periodOf(row) }
  const event = (step: string, at: Date, what: string) => ({ key: `${id}-${step}`, at, what, purchase })
  return [
    event('begun', createdAt, row.paidThrough === 'stripe' ? 'Subscribed' : 'Booked by hand'),
    ...(pastDueSince ? [event('unpaid', pastDueSince, 'Renewal not paid')] : []),
    ...(pausedAt ? [event('paused', pausedAt, 'Paused at Stripe')] : []),
    ...(row.disputedAt ? [event('disputed', row.disputedAt, disputeInWords(row))] : []),
    ...(endedAt && hasEnded(row.status) ? [event('ended', endedAt, endings[endedBecause ?? 'cancelled'])] : []),
  ]
}
