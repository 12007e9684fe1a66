import { and, desc, eq, gt, isNull, lt, notExists, type SQL, sql } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { checkouts, purchases } from '#server/database/schema.ts'
import { deletedEmail } from '#server/features/identity/accounts/accounts.ts'
import { createLogins } from './logins.ts'
import { createOrderRecords, forgetPlaces } from './order-records.ts'

export type CheckoutRow = typeof checkouts.$inferSelect

export type Checkouts = ReturnType<typeof createCheckouts>

const hour = 3_600_000
/** Stripe expires an unpaid subscription after 23 hours. */
const reusableFor = 22 * hour

/** Every checkout that was started. Each one anchors what Stripe later says about its subscription. */
export function createCheckouts({ db, now }: { db: Database; now: () => Date }) {
  const orderRecords = createOrderRecords({ db, now })
  const ago = (span: number) => new Date(now().getTime() - span)
  const find = async (...conditions: SQL[]): Promise<CheckoutRow | undefined> =>
    (
      await db
        .select()
        .from(checkouts)
        .where(and(...conditions))
        .limit(1)
    )[0]

  return {
    ...orderRecords,
    ...createLogins({ db, now }),

    ofSubscription: (subscriptionId: string) => find(eq(checkouts.subscriptionId, subscriptionId)),
    ofPayment: (paymentIntentId: string) => find(eq(checkouts.paymentIntentId, paymentIntentId)),

    subscriptionsOfCustomer: async (customerId: string) =>
      (
        await db
          .select({ id: checkouts.subscriptionId })
          .from(checkouts)
          .where(eq(checkouts.customerId, customerId))
      ).map(({ id }) => id),

    /** What this buyer, or this guest's browser, started but hasn't paid yet, newest first. */
    open: (who: { userId: string } | { nonceHash: string }, email: string) =>
      db
        .select()
        .from(checkouts)
        .where(
          and(
            'userId' in who
              ? eq(checkouts.userId, who.userId)
              : and(isNull(checkouts.userId), eq(checkouts.nonceHash, who.nonceHash)),
            eq(checkouts.email, email),
            isNull(checkouts.closedAt),
            gt(checkouts.createdAt, ago(reusableFor)),
          ),
        )
        .orderBy(desc(checkouts.createdAt))
        .limit(10),

    /** The TradingView account to unlock, if the buyer changes their mind before paying. */
    async rename(id: string, tradingViewUsername: string | null) {
      await db.update(checkouts).set({ tradingViewUsername }).where(eq(checkouts.id, id))
    },

    async begin(row: Omit<typeof checkouts.$inferInsert, 'createdAt'>) {
      await db.insert(checkouts).values({ ...row, createdAt: now() })
    },

    /** Records another answer from Stripe; returns nothing if someone else did so since `known` was read. */
    async claim(tx: Transaction, known: CheckoutRow): Promise<CheckoutRow | undefined> {
      const [claimed] = await tx
        .update(checkouts)
        .set({ version: sql`${checkouts.version} + 1`, syncedAt: now() })
        .where(and(eq(checkouts.id, known.id), eq(checkouts.version, known.version)))
        .returning()
      return claimed
    },

    /** Booked for a buyer, or abandoned unpaid. */
    async close(tx: Transaction, id: string, buyer: { userId?: string; madeAccount?: boolean } = {}) {
      await tx
        .update(checkouts)
        .set({ closedAt: now(), ...buyer })
        .where(eq(checkouts.id, id))
    },

    /** They hold the address of someone who didn't buy. */
    async forgetUnpaid() {
      await db
        .delete(checkouts)
        .where(
          and(
            lt(checkouts.closedAt, keptSince(now(), retention.unpaidCheckouts)),
            notExists(
              db
                .select({ one: sql`1` })
                .from(purchases)
                .where(eq(purchases.stripeSubscriptionId, checkouts.subscriptionId)),
            ),
          ),
        )
    },

    async dataOf(userId: string) {
      const begun = await db
        .select({
          productId: checkouts.productId,
          billingType: checkouts.billingType,
          amountInCents: checkouts.amount,
          email: checkouts.email,
          createdAt: checkouts.createdAt,
          closedAt: checkouts.closedAt,
        })
        .from(checkouts)
        .where(eq(checkouts.userId, userId))
        .orderBy(desc(checkouts.createdAt))
      return { checkouts: begun, ...(await orderRecords.dataOf(userId)) }
    },

    async forget(tx: Transaction, userId: string) {
      await tx
        .update(checkouts)
        .set({ email: deletedEmail(userId), tradingViewUsername: null })
        .where(eq(checkouts.userId, userId))
      await forgetPlaces(tx, userId)
    },
  }
}
