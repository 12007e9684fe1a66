import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { checkouts, users } from '../../database/schema.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import type { Queue } from '../../jobs/queue.ts'

export type Customers = ReturnType<typeof createCustomers>

/**
 * The customers at Stripe behind an account: its own, and one for each guest's checkout that was attached to it. What
 * changes them is queued with the change here, and done later: Stripe is not asked inside a transaction.
 */
export function createCustomers({
  db,
  queue,
  stripe,
}: {
  db: Database
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
      .select({ name: users.name, email: users.email })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    if (account) for (const id of await idsOf(db, userId)) await stripe.updateCustomer(id, account)
  })

  const remove = queue.job<{ ids: string[] }>('delete-customers', async ({ ids }) => {
    for (const id of ids) await stripe.deleteCustomer(id)
  })

  return {
    /** The account's own. One that a guest brought stays apart: the guest's card is not the account's. */
    async ownOf(userId: string): Promise<string | undefined> {
      const [first] = await db
        .select({ id: checkouts.customerId })
        .from(checkouts)
        .where(and(eq(checkouts.userId, userId), sql`${checkouts.madeAccount} is distinct from false`))
        .orderBy(asc(checkouts.createdAt))
        .limit(1)
      return first?.id
    },

    /** Name and address at Stripe follow the account. */
    accountChanged: (tx: Transaction, userId: string) => update(tx, { userId }, { singletonKey: userId }),

    /** With the account its customers go; Stripe keeps their invoices. */
    async forget(tx: Transaction, userId: string) {
      const ids = await idsOf(tx, userId)
      if (ids.length > 0) await remove(tx, { ids })
    },
  }
}
