import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { settings } from '#contract/admin/settings.ts'
import { codes } from '#contract/selling/codes.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { orders, purchases as purchaseRows } from '#server/database/schema.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let stripe: ReturnType<typeof atStripe>
beforeAll(async () => {
  shop = await openShop()
  stripe = atStripe(shop)
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

async function readRow({ purchase }: Pick<Buyer, 'purchase'>) {
  const [found] = await shop.connection.db.select().from(purchaseRows).where(eq(purchaseRows.id, purchase.id))
  return { ...found, subscriptionId: found?.stripeSubscriptionId ?? '' }
}
const readNeeds = async () => (await shop.admin()).call(overview.adminNeeds, {})

async function purchaseOf(subscriptionId: string) {
  const [purchase] = await shop.connection.db
    .select()
    .from(purchaseRows)
    .where(eq(purchaseRows.stripeSubscriptionId, subscriptionId))
  return purchase
}

/** Simulates a backup from before the purchase: deletes the purchase, its order and its books. */
async function loseByRestore({ purchase: { id } }: Buyer) {
  await shop.settle()
  const { pool } = shop.connection
  const [found] = await shop.connection.db.select().from(purchaseRows).where(eq(purchaseRows.id, id))
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const table of ['payments', 'invoices', 'mrr_movements']) {
      await client.query(`alter table ${table} disable trigger user`)
      await client.query(`delete from ${table} where purchase_id = $1`, [id])
      await client.query(`alter table ${table} enable trigger user`)
    }
    await client.query('delete from purchases where id = $1', [id])
    await client.query(
      'delete from code_uses where checkout_id in (select id from orders where subscription_id = $1)',
      [found?.stripeSubscriptionId],
    )
    await client.query('delete from orders where subscription_id = $1', [found?.stripeSubscriptionId])
    await client.query('commit')
  } finally {
    client.release()
  }
  return found?.stripeSubscriptionId ?? ''
}

describe('a charged subscription that the shop has lost by restoring a backup', () => {
  test('is restored by its next event, with all payments', async () => {
    const buyer = await shop.buyer({ billing: 'monthly' })
    const subscriptionId = await loseByRestore(buyer)
    await shop.advance(1, 'month')
    await stripe.reconcile()
    const restored = await purchaseOf(subscriptionId)
    expect(restored).toMatchObject({ userId: buyer.user.id, status: 'active', billingType: 'monthly', price: 3900 })
    const { rows: paid } = await shop.connection.db.execute<{ total: number }>(
      sql`select sum(amount)::int as total from payments where purchase_id = ${restored?.id}`,
    )
    expect(paid[0]?.total).toBe(7800)
    expect(await stripe.object(subscriptionId)).toMatchObject({ status: 'active' })
  })

  test('counts as a use of its code and continues, even if the code was used up meanwhile', async () => {
    const admin = await shop.admin()
    await admin.call(codes.adminAdd, { code: 'ONLYONE', percentOff: 20, maxUses: 1 })
    const countUses = async () =>
      (await admin.call(codes.adminList, {})).find(({ code }) => code === 'ONLYONE')?.used ?? 0
    const subscriptionId = await loseByRestore(await shop.buyer({ code: 'ONLYONE' }))
    expect(await countUses()).toBe(0)
    await shop.buyer({ code: 'ONLYONE' })
    expect(await countUses()).toBe(1)
    await shop.queue.runNow('prove-revenue')
    await shop.queue.waitUntilIdle()
    const restored = await purchaseOf(subscriptionId)
    expect(restored).toMatchObject({ status: 'active', refundedAmount: 0 })
    expect(await countUses()).toBe(2)
  })

  test('is restored by the nightly comparison without any event', async () => {
    const buyer = await shop.buyer()
    const subscriptionId = await loseByRestore(buyer)
    await shop.queue.runNow('prove-revenue')
    await shop.queue.waitUntilIdle()
    const restored = await purchaseOf(subscriptionId)
    expect(restored).toMatchObject({ userId: buyer.user.id, status: 'active' })
  })

  test('is listed for the seller, and stays, if its buyer has subscribed again', async () => {
    const buyer = await shop.buyer()
    const subscriptionId = await loseByRestore(buyer)
    await shop.buy(buyer)
    await shop.queue.runNow('prove-revenue')
    await shop.queue.waitUntilIdle()
    expect(await readNeeds()).toContainEqual({ kind: 'unknown_subscriptions', count: 1, dueAt: null })
    expect(await stripe.object(subscriptionId)).toMatchObject({ status: 'active' })
    await shop.connection.db.execute(sql`delete from sandbox.objects where id = ${subscriptionId}`)
    await shop.queue.runNow('prove-revenue')
    expect((await readNeeds()).map(({ kind }) => kind)).not.toContain('unknown_subscriptions')
  })
})

test('a changed address of the seller reaches the invoices of running subscriptions', async () => {
  const buyer = await shop.buyer()
  const { subscriptionId } = await readRow(buyer)
  const [order] = await shop.connection.db.select().from(orders).where(eq(orders.subscriptionId, subscriptionId))
  await (await shop.admin()).call(settings.adminSave, { SELLER_NAME: 'Sigma AG', SELLER_CITY: '6300 Zug' })
  await shop.queue.runNow('update-invoice-footers')
  const customer = await stripe.object(order?.customerId)
  expect(customer?.invoice_settings).toMatchObject({ footer: expect.stringContaining('Sigma AG, 6300 Zug') })
})

describe('a card', () => {
  const cardOf = async (buyer: Buyer) => {
    const subscription = await stripe.object((await readRow(buyer)).subscriptionId)
    return String(subscription?.default_payment_method)
  }

  test('that the card network updated is shown, and no longer listed as expiring', async () => {
    const buyer = await shop.buyer()
    const soon = new Date(shop.clock.now())
    const method = await cardOf(buyer)
    await shop.sandbox.controls.dashboard.updateCard(method, {
      exp_month: soon.getUTCMonth() + 1,
      exp_year: soon.getUTCFullYear(),
    })
    await shop.settle()
    const admin = await shop.admin()
    const expiring = async () => (await admin.call(purchasesAdmin.list, { need: 'expiring_cards' })).map(({ id }) => id)
    expect(await expiring()).toContain(buyer.purchase.id)
    await shop.sandbox.controls.dashboard.updateCard(method, { exp_month: 12, exp_year: soon.getUTCFullYear() + 4 })
    await shop.settle()
    expect(await expiring()).not.toContain(buyer.purchase.id)
    // A card expires when its month ends, here on January 1.
    expect((await readRow(buyer)).cardExpiresAt?.getUTCFullYear()).toBe(soon.getUTCFullYear() + 5)
  })

  test('that was removed at Stripe disappears, and a credit reduces the next amount', async () => {
    const buyer = await shop.buyer()
    const { customer } = (await stripe.object((await readRow(buyer)).subscriptionId)) as unknown as { customer: string }
    await shop.sandbox.controls.dashboard.giveCredit(customer, 900)
    await shop.settle()
    expect(await readRow(buyer)).toMatchObject({ nextAmount: 3000 })
    await shop.sandbox.controls.dashboard.detachCard(await cardOf(buyer))
    await shop.settle()
    expect(await readRow(buyer)).toMatchObject({ card: null })
  })
})

// These tests come last, because they move the shop's clock without Stripe's.
describe('a checkout that nobody paid', () => {
  const customersOf = async (email: string) => {
    const { rows: found } = await shop.connection.db.execute<{ id: string }>(
      sql`select id from sandbox.objects where kind = 'customer' and data->>'email' = ${email}`,
    )
    return found.map(({ id }) => id)
  }

  test('makes one customer at Stripe for each address, which is deleted with the checkout', async () => {
    const looker = shop.visitor()
    const email = 'looker@example.com'
    await shop.begin(looker, { email })
    await shop.begin(looker, { email, billing: 'yearly' })
    expect(await customersOf(email)).toHaveLength(1)
    const buyer = await shop.buyer()
    await shop.advance(2, 'day')
    await stripe.reconcile()
    shop.clock.advance({ days: 31 })
    await shop.queue.runNow('forget-unpaid-checkouts')
    await shop.queue.waitUntilIdle()
    expect(await shop.connection.db.$count(orders, eq(orders.email, email))).toBe(0)
    expect(await customersOf(email)).toHaveLength(0)
    expect(await customersOf(buyer.user.email)).toHaveLength(1)
  })
})
