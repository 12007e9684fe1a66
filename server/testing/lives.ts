import { eq, sql } from 'drizzle-orm'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '../database/schema.ts'
import type { TestShop } from './open-shop.ts'
import { createPostman, subscriptionEvent } from './webhooks.ts'

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

/** Helpers for tests that follow subscriptions through their lives. */
export function lives(shop: () => TestShop) {
  const execute = async <StoredRow extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
    (await shop().connection.db.execute<StoredRow>(query)).rows

  const customerOf = async (subscription: string) => {
    const [row] = await execute<{ customer: string }>(
      sql`select data->>'customer' as customer from sandbox.objects where id = ${subscription}`,
    )
    return row?.customer ?? ''
  }

  return {
    customerOf,

    async rowOf({ purchase }: Pick<Buyer, 'purchase'>) {
      const [row] = await shop().connection.db.select().from(purchases).where(eq(purchases.id, purchase.id))
      if (!row?.stripeSubscriptionId) throw new Error('It is gone')
      return { ...row, subscription: row.stripeSubscriptionId }
    },

    /** Oldest first. */
    chargesOf: (customer: string) =>
      execute<{ intent: string; amount: number }>(sql`
        select data->>'payment_intent' as intent, (data->>'amount')::int as amount from sandbox.objects
        where kind = 'charge' and data->>'status' = 'succeeded' and data->>'customer' = ${customer} order by seq`),

    logIn: (buyer: Buyer) => buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password }),

    /** Sends another event about the subscription, because Stripe sends none when the customer gets a credit. */
    async lookAgain({ subscription }: { subscription: string }) {
      const postman = createPostman({ url: shop().url, dataDir: shop().config.dataDir })
      const body = await subscriptionEvent(shop().connection.db, subscription)
      await postman.post(body, postman.sign(body))
      await shop().queue.waitUntilIdle()
    },
  }
}
