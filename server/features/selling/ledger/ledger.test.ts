import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { takeover } from '#contract/selling/takeover.ts'
import { mrrMovements, purchases as rows } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { subscribeAtStripe } from '#server/testing/subscribe-at-stripe.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

type Subscriber = { user: { id: string } }
/** Kind, cause, change of the annual revenue in cents, and change of the number of people; oldest first. */
async function movementsOf({ user }: Subscriber) {
  const movements = await shop.connection.db
    .select()
    .from(mrrMovements)
    .where(eq(mrrMovements.userId, user.id))
    .orderBy(mrrMovements.id)
  return movements.map(({ kind, cause, arrBefore, arrAfter, people }) => [kind, cause, arrAfter - arrBefore, people])
}
const subscriptionOf = async (id: string) => {
  const [row] = await shop.connection.db.select().from(rows).where(eq(rows.id, id))
  return row?.stripeSubscriptionId ?? ''
}
const book = async (subscriber: Subscriber, kind: 'gift' | 'paid_elsewhere') => {
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.add, {
    userId: subscriber.user.id,
    productId: reboundSigmaPro.id,
    billingType: 'yearly',
    amount: 39_000,
    status: 'active',
    kind,
  })
}

test('a buyer who buys, is cancelled and buys again counts as new, lost and returned', async () => {
  const buyer = await shop.buyer()
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.cancel, { id: buyer.purchase.id })
  await shop.advance(1, 'hour')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await shop.buy(buyer, { billing: 'yearly' })
  expect(await movementsOf(buyer)).toEqual([
    ['new', 'bought', 46_800, 1],
    ['churn', 'cancelled', -46_800, -1],
    ['reactivation', 'bought', 39_000, 1],
  ])
})

test('a switch to yearly counts as a contraction, a higher quantity as an expansion, and a discount once it is paid', async () => {
  const { dashboard } = shop.sandbox.controls
  const buyer = await shop.buyer()
  const subscription = await subscriptionOf(buyer.purchase.id)
  const { rows: yearlyPrices } = await shop.connection.db.execute<{ id: string }>(
    sql`select id from sandbox.objects where data->>'lookup_key' = 'rebound-sigma-pro-yearly'`,
  )
  await dashboard.setQuantity(subscription, 2)
  await shop.settle()
  await dashboard.setQuantity(subscription, 1)
  await shop.settle()
  // Given at the moment of the purchase, a discount of one month would end before the renewal.
  await shop.advance(1, 'day')
  await dashboard.applyCoupon(subscription, { percent: 50, months: 1 })
  await shop.settle()
  await shop.advance(1, 'month')
  await shop.advance(1, 'month')
  await dashboard.changePrice(subscription, yearlyPrices[0]?.id ?? '')
  await shop.settle()
  expect(await movementsOf(buyer)).toEqual([
    ['new', 'bought', 46_800, 1],
    ['expansion', 'quantity', 46_800, 0],
    ['contraction', 'quantity', -46_800, 0],
    ['contraction', 'discount', -23_400, 0],
    ['expansion', 'discount', 23_400, 0],
    ['contraction', 'plan', -7800, 0],
  ])
})

test('a month at 100 % off doesn’t count as lost, unless the buyer leaves during it', async () => {
  const { dashboard } = shop.sandbox.controls
  const [staying, leaving] = [await shop.buyer(), await shop.buyer()]
  await shop.advance(1, 'day')
  for (const { purchase } of [staying, leaving])
    await dashboard.applyCoupon(await subscriptionOf(purchase.id), { percent: 100, months: 1 })
  await shop.advance(1, 'month')
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.cancel, { id: leaving.purchase.id })
  await shop.advance(1, 'month')
  await shop.settle()
  const untilFreeMonth = [
    ['new', 'bought', 46_800, 1],
    ['contraction', 'discount', -46_800, 0],
  ]
  expect(await movementsOf(staying)).toEqual([...untilFreeMonth, ['expansion', 'discount', 46_800, 0]])
  expect(await movementsOf(leaving)).toEqual([...untilFreeMonth, ['churn', 'cancelled', 0, -1]])
})

test('free time doesn’t count as revenue, and nobody counts as new twice because of it', async () => {
  const buyer = await shop.buyer()
  const admin = await shop.admin()
  const until = new Date(shop.clock.now().getTime() + 75 * 86_400_000).toISOString().slice(0, 10)
  await admin.call(purchasesAdmin.extend, { id: buyer.purchase.id, until })
  await shop.advance(1, 'month')
  await shop.advance(3, 'day')
  await shop.queue.runNow('reconcile')
  expect(await movementsOf(buyer)).toEqual([
    ['new', 'bought', 46_800, 1],
    ['churn', 'pause', -46_800, -1],
  ])
  await shop.advance(2, 'month')
  await shop.settle()
  expect((await movementsOf(buyer)).at(-1)).toEqual(['reactivation', 'resume', 46_800, 1])
})

test('a purchase paid elsewhere counts from its first to its last day, a gift doesn’t, and deletion ends it', async () => {
  const [payer, friend] = [await shop.user(), await shop.user()]
  await book(payer, 'paid_elsewhere')
  await book(friend, 'gift')
  const admin = await shop.admin()
  const [owned] = await admin.call(purchasesAdmin.list, { q: payer.user.email })
  await shop.advance(1, 'day')
  await (await shop.admin()).call(purchasesAdmin.delete, { id: owned?.id ?? '' })
  expect(await movementsOf(payer)).toEqual([
    ['new', 'bought', 39_000, 1],
    ['churn', 'deleted', -39_000, -1],
  ])
  expect(await movementsOf(friend)).toEqual([])
})

test('a buyer who deletes their account no longer counts, also with a booking by hand', async () => {
  const payer = await shop.verifiedUser()
  await book(payer, 'paid_elsewhere')
  await payer.call(accounts.deleteMyself, { password: payer.password })
  expect(await movementsOf(payer)).toEqual([
    ['new', 'bought', 39_000, 1],
    ['churn', 'cancelled', -39_000, -1],
  ])
})

test('when a buyer’s two purchases end at the same moment, the buyer counts as lost once', async () => {
  const buyer = await shop.buyer()
  const { db, pool } = shop.connection
  // A second purchase, booked directly because the admin form would refuse it.
  await db.execute(sql`insert into purchases (user_id, product_id, billing_type, price, status, booked_as, arr)
    values (${buyer.user.id}, ${reboundSigmaPro.id}, 'yearly', 39000, 'active', 'paid_elsewhere', 39000)`)
  await db.execute(sql`insert into mrr_movements (purchase_id, user_id, product_id, at, recorded_at, source, revision, kind,
    cause, arr_before, arr_after, people) select id, user_id, product_id, created_at, created_at, 'booked', 0, 'expansion',
    'bought', 0, 39000, 0 from purchases where user_id = ${buyer.user.id} and booked_as = 'paid_elsewhere'`)
  const admin = await shop.admin()
  const owned = await admin.call(purchasesAdmin.list, { q: buyer.user.email })
  const client = await pool.connect()
  await client.query('begin')
  // Holds the buyer's lock until both cancellations wait for it.
  await client.query('select from users where id = $1 for update', [buyer.user.id])
  const cancellations = owned.map(({ id }) => admin.call(purchasesAdmin.cancel, { id }))
  const countWaiting = async () => {
    const { rows: waiting } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return waiting.length
  }
  await expect.poll(countWaiting).toBe(2)
  await client.query('commit')
  client.release()
  await Promise.all(cancellations)
  let customers = 0
  for (const [, , , people] of await movementsOf(buyer)) customers += Number(people)
  expect(customers).toBe(0)
})

test('a subscription taken over counts as its owner’s first purchase if it began before the others', async () => {
  const email = 'longer@example.com'
  const { id, priceId } = await subscribeAtStripe(shop.sandbox, { email })
  await shop.advance(1, 'day')
  const [buyer, admin] = [await shop.verifiedUser({ email }), await shop.admin()]
  const purchase = await shop.buy(buyer)
  await admin.call(purchasesAdmin.cancel, { id: purchase.id })
  const plan = { productId: reboundSigmaPro.id, billingType: 'monthly' as const }
  await admin.call(takeover.adminSetPlan, { id: priceId, plan })
  await admin.call(takeover.adminTakeOver, { ids: [id], invite: false })
  await shop.settle()
  const uncorrected = await shop.connection.db.execute(sql`select kind, people from mrr_movements m
    where user_id = ${buyer.user.id} and corrects is null
      and not exists (select from mrr_movements c where c.corrects = m.id) order by at`)
  expect(uncorrected.rows).toEqual([
    { kind: 'new', people: 1 },
    { kind: 'expansion', people: 0 },
    { kind: 'contraction', people: 0 },
  ])
})

test('a movement recorded after the end of its month marks that month as changed', async () => {
  const { db } = shop.connection
  const buyer = await shop.buyer()
  const admin = await shop.admin()
  const movedAt = new Date(shop.clock.now().getTime() - 200 * 86_400_000)
  const recordedAt = shop.clock.now()
  await db.execute(sql`insert into mrr_movements (purchase_id, user_id, product_id, at, recorded_at, source, revision, kind,
    cause, arr_before, arr_after, people) select purchase_id, user_id, product_id, ${movedAt}, ${recordedAt}, 'late', 0, 'expansion',
    'price', 46800, 46800, 0 from mrr_movements where user_id = ${buyer.user.id}`)
  const changed = (await admin.call(overview.adminShow, {})).months.filter(({ late }) => late > 0)
  expect(changed.map(({ month }) => month)).toContain(movedAt.toISOString().slice(0, 7))
})

test('no row is ever changed, and the overview is the sum of all rows', async () => {
  const { pool } = shop.connection
  await expect(pool.query('update mrr_movements set people = 0')).rejects.toThrow('never changed')
  await expect(pool.query('delete from mrr_movements')).rejects.toThrow('never changed')
  await expect(pool.query('truncate mrr_movements')).rejects.toThrow('never changed')
  const admin = await shop.admin()
  const current = await admin.call(overview.adminShow, {})
  const { rows: sums } = await pool.query(
    `select sum(arr_after - arr_before)::int as arr, sum(people)::int as people,
       (select sum(arr)::int from purchases) as "arrOfPurchases"
     from mrr_movements`,
  )
  expect(sums[0]).toEqual({
    arr: current.months.at(-1)?.arr,
    people: current.months.at(-1)?.paying,
    arrOfPurchases: current.months.at(-1)?.arr,
  })
})
