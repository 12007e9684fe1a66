import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { billingDetails, checkouts, users } from '#server/database/schema.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Queue } from '#server/jobs/queue.ts'
import { createBilling, forgetBilling } from './billing.ts'

export type Customers = ReturnType<typeof createCustomers>

/**
 * The Stripe customers behind an account: its own, plus one for each guest checkout attached to it. Updates are queued
 * with the change here and made later, because we never call Stripe inside a transaction.
 */
export function createCustomers({
  db,
  now,
  queue,
  stripe,
}: {
  db: Database
  now: () => Date
  queue: Queue
  stripe: StripeGateway
}) {
  async function idsOf(from: Database | Transaction, userId: string): Promise<string[]> {
    const rows = await from
      .selectDistinct({ id: checkouts.customerId })
      .from(checkouts)
      .where(eq(checkouts.userId, userId))
    return rows.map(({ id }) => id)
  }

  const update = queue.job<{ userId: string }>('update-customers', async ({ userId }) => {
    const [account] = await db
      .select({
        // An invoice is made out to the company, if there is one.
        name: sql<string>`coalesce(nullif(${billingDetails.company}, ''), ${users.name})`,
        email: users.email,
      })
      .from(users)
      .leftJoin(billingDetails, eq(billingDetails.userId, users.id))
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    if (account) for (const id of await idsOf(db, userId)) await stripe.updateCustomer(id, account)
  })

  const remove = queue.job<{ ids: string[] }>('delete-customers', async ({ ids }) => {
    for (const id of ids) await stripe.deleteCustomer(id)
  })

  return {
    /** The account's own customer. A guest's stays separate: the guest's card isn't the account's. */
    async ownOf(userId: string): Promise<string | undefined> {
      const [first] = await db
        .select({ id: checkouts.customerId })
        .from(checkouts)
        .where(and(eq(checkouts.userId, userId), sql`${checkouts.madeAccount} is distinct from false`))
        .orderBy(asc(checkouts.createdAt))
        .limit(1)
      return first?.id
    },

    /** Keeps name and email at Stripe in sync with the account. */
    accountChanged: (tx: Transaction, userId: string) => update(tx, { userId }, { singletonKey: userId }),

    ...createBilling({ db, now, stripe, idsOf: (userId) => idsOf(db, userId) }),

    /** Deletes the account's customers too; Stripe keeps their invoices. */
    async forget(tx: Transaction, userId: string) {
      await forgetBilling(tx, userId)
      const ids = await idsOf(tx, userId)
      if (ids.length > 0) await remove(tx, { ids })
    },
  }
}
