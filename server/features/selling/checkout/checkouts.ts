import { and, desc, eq, gt, gte, inArray, isNull, lt, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import { keptSince, keptSinceNewYear, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { checkouts, hasEndedPurchase, invoices, purchases } from '#server/database/schema.ts'
import { createOrderRecords } from './order-records.ts'

export type CheckoutRow = typeof checkouts.$inferSelect

export type Checkouts = ReturnType<typeof createCheckouts>

const hour = 3_600_000
/** Stripe expires an unpaid subscription after 23 hours. */
const reusableFor = 22 * hour

/** Every checkout that was started. Each one anchors what Stripe later says about its subscription. */
export function createCheckouts(context: Context) {
  const { db, now } = context
  const orders = createOrderRecords(context)
  const ago = (span: number) => new Date(now().getTime() - span)
  async function find(condition: SQL): Promise<CheckoutRow | undefined> {
    const [found] = await db.select().from(checkouts).where(condition)
    return found
  }

  return {
    orders,
    logins: createLogins(context),
    adopted: createAdopted(context),

    ofSubscription: (subscriptionId: string) => find(eq(checkouts.subscriptionId, subscriptionId)),
    ofPayment: (paymentIntentId: string) => find(eq(checkouts.paymentIntentId, paymentIntentId)),

    /** Those that still run: a change of the customer means nothing to the others. */
    async runningOfCustomer(customerId: string) {
      const rows = await db
        .select({ id: checkouts.subscriptionId })
        .from(checkouts)
        .innerJoin(purchases, eq(purchases.stripeSubscriptionId, checkouts.subscriptionId))
        .where(and(eq(checkouts.customerId, customerId), not(hasEndedPurchase)))
      return rows.map(({ id }) => id)
    },

    open: (who: { userId: string } | { nonceHash: string }) =>
      db
        .select()
        .from(checkouts)
        .where(
          and(
            'userId' in who
              ? eq(checkouts.userId, who.userId)
              : and(isNull(checkouts.userId), eq(checkouts.nonceHash, who.nonceHash)),
            isNull(checkouts.closedAt),
            gt(checkouts.createdAt, ago(reusableFor)),
          ),
        )
        .orderBy(desc(checkouts.createdAt))
        .limit(10),

    /** The TradingView account to unlock, if the buyer changes their mind before paying. */
    async setUsername(id: string, tradingViewUsername: string | null) {
      await db.update(checkouts).set({ tradingViewUsername }).where(eq(checkouts.id, id))
    },

    async begin(row: Omit<typeof checkouts.$inferInsert, 'createdAt'>) {
      await db.insert(checkouts).values({ ...row, createdAt: now() })
    },

    /** Records another answer from Stripe; returns nothing if someone else did so since `known` was read. */
    async nextVersion(tx: Transaction, known: CheckoutRow): Promise<CheckoutRow | undefined> {
      const [next] = await tx
        .update(checkouts)
        .set({ version: sql`${checkouts.version} + 1`, syncedAt: now() })
        .where(and(eq(checkouts.id, known.id), eq(checkouts.version, known.version)))
        .returning()
      return next
    },

    /** Booked for a buyer, or abandoned unpaid. */
    async close(tx: Transaction, id: string, buyer: { userId?: string; madeAccount?: boolean } = {}) {
      await tx
        .update(checkouts)
        .set({ closedAt: now(), ...buyer })
        .where(eq(checkouts.id, id))
    },

    /**
     * Deletes checkouts of people who didn't buy, and their customers at Stripe: both hold an address. The checkout of a
     * deleted purchase stays while the books have its invoices, so that they hear of later refunds.
     */
    async forgetUnpaid(removeCustomers: (tx: Transaction, ids: string[]) => Promise<void>) {
      const one = { one: sql`1` }
      const isOfPurchase = eq(purchases.stripeSubscriptionId, checkouts.subscriptionId)
      const isInBooks = and(
        eq(invoices.subscriptionId, checkouts.subscriptionId),
        gte(invoices.createdAt, keptSinceNewYear(now(), retention.books)),
      )
      await db.transaction(async (tx) => {
        const forgotten = await tx
          .delete(checkouts)
          .where(
            and(
              lt(checkouts.closedAt, keptSince(now(), retention.unpaidCheckouts)),
              notExists(tx.select(one).from(purchases).where(isOfPurchase)),
              notExists(tx.select(one).from(invoices).where(isInBooks)),
            ),
          )
          .returning({ id: checkouts.customerId })
        const ids = [...new Set(forgotten.map(({ id }) => id))]
        const kept = await tx
          .selectDistinct({ id: checkouts.customerId })
          .from(checkouts)
          .where(inArray(checkouts.customerId, ids))
        const gone = ids.filter((id) => kept.every((each) => each.id !== id))
        if (gone.length > 0) await removeCustomers(tx, gone)
      })
    },
  }
}

async function subscriptionsOf(db: Database, condition: SQL) {
  const rows = await db.select({ id: checkouts.subscriptionId }).from(checkouts).where(condition)
  return rows.map(({ id }) => id)
}

/** Subscriptions that began at Stripe. */
function createAdopted({ db, now }: Context) {
  return {
    /** Which of these subscriptions began here, or were taken over. */
    knownOf: (ids: string[]) => subscriptionsOf(db, inArray(checkouts.subscriptionId, ids)),

    /** Nothing if someone else was faster. */
    async adopt(tx: Transaction, row: Omit<typeof checkouts.$inferInsert, 'createdAt'>) {
      const [adopted] = await tx
        .insert(checkouts)
        .values({ ...row, createdAt: now() })
        .onConflictDoNothing({ target: checkouts.subscriptionId })
        .returning()
      return adopted
    },
  }
}

/** Whom a payment logs in: the browser that holds its checkout's nonce, once, until the account is handed over. */
function createLogins({ db, now }: Context) {
  return {
    hasNonce: async (nonceHash: string) => (await db.$count(checkouts, eq(checkouts.nonceHash, nonceHash))) > 0,

    async rotateNonce(tx: Transaction, oldHash: string, newHash: string) {
      await tx.update(checkouts).set({ nonceHash: newHash }).where(eq(checkouts.nonceHash, oldHash))
    },

    async forfeit(nonceHash: string) {
      await db
        .update(checkouts)
        .set({ loginUsedAt: now() })
        .where(and(eq(checkouts.nonceHash, nonceHash), isNull(checkouts.loginUsedAt)))
    },

    /** A guest's payment is good for one login; false if it was already used. */
    async use(tx: Transaction, id: string): Promise<boolean> {
      const used = await tx
        .update(checkouts)
        .set({ loginUsedAt: now() })
        .where(and(eq(checkouts.id, id), isNull(checkouts.loginUsedAt)))
      return used.rowCount === 1
    },

    /** The account is its mailbox owner's now: no earlier payment logs in to it. Returns what's still unpaid. */
    async end(tx: Transaction, { id, email }: { id: string; email: string }): Promise<string[]> {
      const before = await tx
        .update(checkouts)
        .set({ loginUsedAt: sql`coalesce(${checkouts.loginUsedAt}, ${now()})`, madeAccount: false })
        .where(
          or(
            eq(checkouts.userId, id),
            and(isNull(checkouts.closedAt), isNull(checkouts.userId), eq(checkouts.email, email)),
          ),
        )
        .returning({ subscriptionId: checkouts.subscriptionId, closedAt: checkouts.closedAt })
      return before.filter(({ closedAt }) => !closedAt).map(({ subscriptionId }) => subscriptionId)
    },
  }
}
