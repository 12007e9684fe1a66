import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import { retention, retentionStart, retentionStartOfYear } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { hasEndedPurchase, invoices, isNewOrder, orders, purchases } from '#server/database/schema.ts'
import type { Place } from '#server/gateways/stripe.ts'
import { createOrderCustomers, type OrderCustomers } from './order-customers.ts'
import { createOrderLogins, type OrderLogins } from './order-logins.ts'
import { createSwitchOrders, type SwitchOrders } from './switch-orders.ts'

type OrderDeps = Pick<Context, 'db' | 'now'>
export type OrderRow = typeof orders.$inferSelect
/** An attempt that a browser began and nobody has paid yet. */
export type OpenOrder = OrderRow & { paymentIntentId: string }
export type NewOrder = Omit<typeof orders.$inferInsert, 'kind' | 'createdAt'>

/** Orders of buyers. The order of a new subscription anchors Stripe's later answers about it. */
export type Orders = {
  logins: OrderLogins
  switches: SwitchOrders
  customers: OrderCustomers

  /** The order that began a subscription. */
  ofSubscription(subscriptionId: string): Promise<OrderRow | undefined>
  ofPayment(paymentIntentId: string): Promise<OrderRow | undefined>
  /** Subscriptions that still run: a change of the customer means nothing to the others. */
  runningOfCustomer(customerId: string): Promise<string[]>
  /** Attempts that can still be paid, newest first. */
  open(who: { userId: string } | { nonceHash: string }): Promise<OpenOrder[]>
  /** Subset of these subscriptions that began here or were taken over. */
  knownOf(subscriptionIds: string[]): Promise<string[]>

  begin(order: NewOrder): Promise<void>
  /** For a subscription that began at Stripe. Returns nothing if someone else was faster. */
  adopt(tx: Transaction, order: NewOrder): Promise<OrderRow | undefined>
  /** Changes the TradingView username and the objection to news, before payment. */
  change(id: string, wish: { tradingViewUsername: string | null; news: NewsAnswer | undefined }): Promise<void>
  recordAgreement(id: string, agreement: { termsVersion: string; ip: string }): Promise<void>
  /** Records another answer from Stripe; returns nothing if someone else did so since `known` was read. */
  nextVersion(tx: Transaction, known: OrderRow): Promise<OrderRow | undefined>
  /** Booked for a buyer, or abandoned unpaid. */
  close(tx: Transaction, id: string, buyer?: OrderBuyer): Promise<void>
  /**
   * Deletes orders of people who didn't buy, and their customers at Stripe: both hold an address. Orders of a deleted
   * purchase stay while the books have its invoices, so that they hear of later refunds.
   */
  forgetUnpaid(removeCustomers: (tx: Transaction, ids: string[]) => Promise<void>): Promise<void>
  /** Deletes IP addresses once no dispute about the order can come anymore. */
  forgetAddresses(): Promise<void>
}

type NewsAnswer = { version: string; objects?: boolean | undefined }
type OrderBuyer = { userId?: string; madeAccount?: boolean; cardCountry?: string | null }

const hour = 3_600_000
/** Stripe expires an unpaid subscription after 23 hours. */
const reusableFor = 22 * hour

export function createOrders({ db, now }: OrderDeps): Orders {
  const ago = (span: number) => new Date(now().getTime() - span)
  async function find(condition: SQL | undefined): Promise<OrderRow | undefined> {
    const [found] = await db.select().from(orders).where(condition)
    return found
  }

  return {
    logins: createOrderLogins({ db, now }),
    switches: createSwitchOrders({ db, now }),
    customers: createOrderCustomers({ db }),

    ofSubscription: (subscriptionId) => find(and(eq(orders.subscriptionId, subscriptionId), isNewOrder)),
    ofPayment: (paymentIntentId) => find(eq(orders.paymentIntentId, paymentIntentId)),

    async runningOfCustomer(customerId) {
      const rows = await db
        .select({ id: orders.subscriptionId })
        .from(orders)
        .innerJoin(purchases, eq(purchases.stripeSubscriptionId, orders.subscriptionId))
        .where(and(eq(orders.customerId, customerId), isNewOrder, not(hasEndedPurchase)))
      return rows.map(({ id }) => id)
    },

    async open(who) {
      const rows = await db
        .select()
        .from(orders)
        .where(
          and(
            isNewOrder,
            'userId' in who
              ? eq(orders.userId, who.userId)
              : and(isNull(orders.userId), eq(orders.nonceHash, who.nonceHash)),
            isNull(orders.closedAt),
            isNotNull(orders.paymentIntentId),
            gt(orders.createdAt, ago(reusableFor)),
          ),
        )
        .orderBy(desc(orders.createdAt))
        .limit(10)
      return rows.flatMap((row) => (row.paymentIntentId ? { ...row, paymentIntentId: row.paymentIntentId } : []))
    },

    async knownOf(subscriptionIds) {
      const rows = await db
        .select({ id: orders.subscriptionId })
        .from(orders)
        .where(and(inArray(orders.subscriptionId, subscriptionIds), isNewOrder))
      return rows.map(({ id }) => id)
    },

    async begin(order) {
      await db.insert(orders).values({ ...order, kind: 'new', createdAt: now() })
    },

    async adopt(tx, order) {
      const [adopted] = await tx
        .insert(orders)
        .values({ ...order, kind: 'new', createdAt: now() })
        .onConflictDoNothing({ target: orders.subscriptionId, where: isNewOrder })
        .returning()
      return adopted
    },

    async change(id, { tradingViewUsername, news }) {
      await db
        .update(orders)
        .set({ tradingViewUsername, ...newsColumns(news, now()) })
        .where(eq(orders.id, id))
    },

    async recordAgreement(id, agreement) {
      await db
        .update(orders)
        .set({ ...agreement, agreedAt: now() })
        .where(eq(orders.id, id))
    },

    async nextVersion(tx, known) {
      const [next] = await tx
        .update(orders)
        .set({ version: sql`${orders.version} + 1`, syncedAt: now() })
        .where(and(eq(orders.id, known.id), eq(orders.version, known.version)))
        .returning()
      return next
    },

    async close(tx, id, buyer = {}) {
      await tx
        .update(orders)
        .set({ closedAt: now(), ...buyer })
        .where(eq(orders.id, id))
    },

    forgetUnpaid: (removeCustomers) => forgetUnpaid(db, now(), removeCustomers),

    async forgetAddresses() {
      const isOld = lt(orders.createdAt, retentionStart(now(), retention.orderAddresses))
      await db
        .update(orders)
        .set({ ip: null })
        .where(and(isOld, isNotNull(orders.ip)))
    },
  }
}

async function forgetUnpaid(
  db: Database,
  now: Date,
  removeCustomers: (tx: Transaction, ids: string[]) => Promise<void>,
) {
  const before = retentionStart(now, retention.unpaidCheckouts)
  const one = { one: sql`1` }
  const isOfPurchase = eq(purchases.stripeSubscriptionId, orders.subscriptionId)
  const isInBooks = and(
    eq(invoices.subscriptionId, orders.subscriptionId),
    gte(invoices.createdAt, retentionStartOfYear(now, retention.books)),
  )
  // A switch stays open if the seller deletes the purchase meanwhile.
  const isOver = or(lt(orders.closedAt, before), and(not(isNewOrder), lt(orders.createdAt, before)))
  await db.transaction(async (tx) => {
    const forgotten = await tx
      .delete(orders)
      .where(
        and(
          isOver,
          notExists(tx.select(one).from(purchases).where(isOfPurchase)),
          notExists(tx.select(one).from(invoices).where(isInBooks)),
        ),
      )
      .returning({ id: orders.customerId })
    const ids = [...new Set(forgotten.map(({ id }) => id))]
    const stillUsed = await tx
      .selectDistinct({ id: orders.customerId })
      .from(orders)
      .where(inArray(orders.customerId, ids))
    const unused = ids.filter((id) => stillUsed.every((each) => each.id !== id))
    if (unused.length > 0) await removeCustomers(tx, unused)
  })
}

/** For tax; the VAT ID is with the customer at Stripe. */
export const placeColumns = (place: Place | undefined) =>
  place ? { country: place.country, postalCode: place.postalCode || null, isCompany: place.vatId !== '' } : {}

/** Version of the sentence about news that the buyer saw, and when they objected. */
export const newsColumns = (news: NewsAnswer | undefined, now: Date) =>
  news ? { newsVersion: news.version, newsObjectedAt: news.objects ? now : null } : {}

/** True if an attempt was taxed for the same place. A company always begins a new one. */
export const isPlacedAt = (order: OrderRow, { country, postalCode, vatId }: Place) =>
  !vatId && !order.isCompany && order.country === country && (order.postalCode ?? '') === postalCode

export const mayGetNews = ({ newsVersion, newsObjectedAt }: OrderRow) => Boolean(newsVersion && !newsObjectedAt)
