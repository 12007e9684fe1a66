import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import { retention, retentionStart, retentionStartOfYear } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { hasEndedPurchase, invoices, isForNewSubscription, orders, purchases } from '#server/database/schema.ts'
import type { Place } from '#server/gateways/stripe.ts'
import { createOrderCustomers, type OrderCustomers } from './order-customers.ts'
import { createOrderLogins, type OrderLogins } from './order-logins.ts'
import { createSwitchOrders, type SwitchOrders } from './switch-orders.ts'

type OrderDeps = Pick<Context, 'db' | 'now'>
export type OrderRow = typeof orders.$inferSelect
export type OpenOrder = OrderRow & { paymentIntentId: string }
const hasPaymentIntent = (order: OrderRow): order is OpenOrder => order.paymentIntentId !== null
export type NewOrder = Omit<typeof orders.$inferInsert, 'kind' | 'createdAt'>

export type Orders = {
  logins: OrderLogins
  switches: SwitchOrders
  customers: OrderCustomers

  /** Never finds the order of a plan switch. */
  findBySubscription(subscriptionId: string): Promise<OrderRow | undefined>
  findByPayment(paymentIntentId: string): Promise<OrderRow | undefined>
  listRunningSubscriptions(customerId: string): Promise<string[]>
  /** Newest first. */
  listOpen(buyer: { userId: string } | { nonceHash: string }): Promise<OpenOrder[]>
  /** Returns those that began in the shop or were taken over. */
  filterKnown(subscriptionIds: string[]): Promise<string[]>

  begin(order: NewOrder): Promise<void>
  /** Adds the order of a subscription that began at Stripe. Returns undefined if there is one already. */
  adopt(tx: Transaction, order: NewOrder): Promise<OrderRow | undefined>
  updateUnpaid(id: string, changes: { tradingViewUsername: string | null; news: NewsAnswer | undefined }): Promise<void>
  recordAgreement(id: string, agreement: { termsVersion: string; ip: string }): Promise<void>
  /** Optimistic lock: returns undefined if another process advanced the version after `order` was read. */
  advanceVersion(tx: Transaction, order: OrderRow): Promise<OrderRow | undefined>
  /** Without a buyer, the order was abandoned unpaid. */
  close(tx: Transaction, id: string, buyer?: OrderBuyer): Promise<void>
  /** Deletes old orders and their customers at Stripe, because both hold an email address. */
  forgetUnpaid(removeCustomers: (tx: Transaction, ids: string[]) => Promise<void>): Promise<void>
  /** IP addresses are evidence until the order can no longer be disputed. */
  forgetAddresses(): Promise<void>
}

type NewsAnswer = { version: string; objects?: boolean | undefined }
/** `madeAccount` is true if the payment made a guest's account, false if the guest's address had one already. */
type OrderBuyer = { userId?: string; madeAccount?: boolean | undefined; cardCountry?: string | null }

/** An hour less than the 23 hours after which Stripe expires an unpaid subscription. */
const payableForMs = 22 * 3_600_000

export function createOrders({ db, now }: OrderDeps): Orders {
  async function findOrder(condition: SQL | undefined): Promise<OrderRow | undefined> {
    const [found] = await db.select().from(orders).where(condition)
    return found
  }

  return {
    logins: createOrderLogins({ db, now }),
    switches: createSwitchOrders({ db, now }),
    customers: createOrderCustomers({ db }),

    findBySubscription: (subscriptionId) =>
      findOrder(and(eq(orders.subscriptionId, subscriptionId), isForNewSubscription)),
    findByPayment: (paymentIntentId) => findOrder(eq(orders.paymentIntentId, paymentIntentId)),

    async listRunningSubscriptions(customerId) {
      const rows = await db
        .select({ id: orders.subscriptionId })
        .from(orders)
        .innerJoin(purchases, eq(purchases.stripeSubscriptionId, orders.subscriptionId))
        .where(and(eq(orders.customerId, customerId), isForNewSubscription, not(hasEndedPurchase)))
      return rows.map(({ id }) => id)
    },

    async listOpen(buyer) {
      const isTheirs =
        'userId' in buyer
          ? eq(orders.userId, buyer.userId)
          : and(isNull(orders.userId), eq(orders.nonceHash, buyer.nonceHash))
      const rows = await db
        .select()
        .from(orders)
        .where(
          and(
            isForNewSubscription,
            isTheirs,
            isNull(orders.closedAt),
            isNotNull(orders.paymentIntentId),
            gt(orders.createdAt, new Date(now().getTime() - payableForMs)),
          ),
        )
        .orderBy(desc(orders.createdAt))
        .limit(10)
      return rows.filter(hasPaymentIntent)
    },

    async filterKnown(subscriptionIds) {
      const rows = await db
        .select({ id: orders.subscriptionId })
        .from(orders)
        .where(and(inArray(orders.subscriptionId, subscriptionIds), isForNewSubscription))
      return rows.map(({ id }) => id)
    },

    async begin(order) {
      await db.insert(orders).values({ ...order, kind: 'new', createdAt: now() })
    },

    async adopt(tx, order) {
      const [adopted] = await tx
        .insert(orders)
        .values({ ...order, kind: 'new', createdAt: now() })
        .onConflictDoNothing({ target: orders.subscriptionId, where: isForNewSubscription })
        .returning()
      return adopted
    },

    async updateUnpaid(id, { tradingViewUsername, news }) {
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

    async advanceVersion(tx, { id, version }) {
      const [advanced] = await tx
        .update(orders)
        .set({ version: sql`${orders.version} + 1`, syncedAt: now() })
        .where(and(eq(orders.id, id), eq(orders.version, version)))
        .returning()
      return advanced
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
  const keptFrom = retentionStart(now, retention.unpaidCheckouts)
  const anyColumn = { one: sql`1` }
  const isOfPurchase = eq(purchases.stripeSubscriptionId, orders.subscriptionId)
  // Keeps the order of a deleted purchase as long as its invoices, so that later refunds still reach the books.
  const isInBooks = and(
    eq(invoices.subscriptionId, orders.subscriptionId),
    gte(invoices.createdAt, retentionStartOfYear(now, retention.books)),
  )
  // Counts a switch from its creation, because it is never closed if the seller deletes the purchase meanwhile.
  const isOld = or(lt(orders.closedAt, keptFrom), and(not(isForNewSubscription), lt(orders.createdAt, keptFrom)))
  await db.transaction(async (tx) => {
    const deletedOrders = await tx
      .delete(orders)
      .where(
        and(
          isOld,
          notExists(tx.select(anyColumn).from(purchases).where(isOfPurchase)),
          notExists(tx.select(anyColumn).from(invoices).where(isInBooks)),
        ),
      )
      .returning({ customerId: orders.customerId })
    const unusedCustomers = new Set(deletedOrders.map(({ customerId }) => customerId))
    const remainingOrders = await tx
      .selectDistinct({ customerId: orders.customerId })
      .from(orders)
      .where(inArray(orders.customerId, [...unusedCustomers]))
    for (const { customerId } of remainingOrders) unusedCustomers.delete(customerId)
    if (unusedCustomers.size > 0) await removeCustomers(tx, [...unusedCustomers])
  })
}

export const placeColumns = (place: Place | undefined) =>
  place ? { country: place.country, postalCode: place.postalCode || null, vatId: place.vatId || null } : {}

export const newsColumns = (news: NewsAnswer | undefined, now: Date) =>
  news ? { newsVersion: news.version, newsObjectedAt: news.objects ? now : null } : {}

/** True if the order's tax was computed for this place. */
export const isTaxedFor = (order: OrderRow, { country, postalCode, vatId }: Place) =>
  order.country === country && (order.postalCode ?? '') === postalCode && (order.vatId ?? '') === vatId

export const mayGetNews = ({ newsVersion, newsObjectedAt }: OrderRow) => Boolean(newsVersion && !newsObjectedAt)
