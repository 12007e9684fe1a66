import { afterAll, beforeAll, expect, test } from 'vitest'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { type CountName, type FigureName, figureDefinitions } from '#contract/admin/figure-definitions.ts'
import { figures } from '#contract/admin/figures.ts'
import { overview } from '#contract/admin/overview.ts'
import { prices } from '#contract/selling/prices.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { newsletters } from '#contract/site/newsletters.ts'
import { serviceMessages } from '#contract/site/service-messages.ts'
import type { MovementKind } from '#contract/statuses.ts'
import { products } from '#server/database/schema.ts'
import { bookPaid } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  await bookAYearOfPurchases()
  admin = await shop.admin()
})
afterAll(() => shop.close())

const monthStart = (monthsAgo: number) => {
  const now = shop.clock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo))
}
const dayOf = (monthsAgo: number, day: number) =>
  new Date(monthStart(monthsAgo).getTime() + (day - 1) * 86_400_000 + 3_600_000)

/** Three people pay when the current month begins, one of them for two products; one of the three stops. Two more start and stop within the month. */
async function bookAYearOfPurchases() {
  const { connection } = shop
  // Moves to the 20th, so that days within the month have passed.
  await shop.advance(Math.ceil((monthStart(-1).getTime() - shop.clock.now().getTime()) / 86_400_000) + 20, 'day')
  const [secondProduct] = await connection.db.insert(products).values({ slug: 'other', name: 'Other' }).returning()
  const addPerson = async () => (await shop.user()).user.id
  const cancelledAt = (endedAt: Date) => ({ status: 'cancelled' as const, endedAt, endedBecause: 'cancelled' as const })
  const ownerOfTwo = await addPerson()
  await bookPaid(connection, ownerOfTwo, { createdAt: dayOf(4, 3) })
  await bookPaid(connection, ownerOfTwo, { createdAt: dayOf(2, 3), productId: secondProduct?.id ?? '' })
  await bookPaid(connection, await addPerson(), { createdAt: dayOf(3, 5), billingType: 'yearly' })
  await bookPaid(connection, await addPerson(), { createdAt: dayOf(5, 9), ...cancelledAt(dayOf(0, 4)) })
  for (const day of [2, 3])
    await bookPaid(connection, await addPerson(), { createdAt: dayOf(0, day), ...cancelledAt(dayOf(0, 6)) })
  await bookPaid(connection, await addPerson(), { createdAt: dayOf(6, 9), ...cancelledAt(dayOf(2, 4)) })
  const [refunded, disputed] = [await shop.buyer(), await shop.buyer()]
  await (await shop.admin()).call(purchasesAdmin.refund, {
    id: refunded.purchase.id,
    amount: 500,
    refundedSoFar: 0,
    keepAccess: true,
  })
  const dispute = await shop.sandbox.controls.openDispute(disputed.purchase.paymentIntentId ?? '')
  await shop.settle()
  await shop.sandbox.controls.closeDispute(dispute.id, 'lost')
  await shop.settle()
}

const sumOfMovements = (kind: MovementKind) => `select round(coalesce(sum(arr_after - arr_before), 0) / 1200.0, 2)
  from mrr_movements where at >= $1 and kind = '${kind}'`

/** Plain SQL for each figure of the current month; amounts in dollars per month. 1200 is twelve months of 100 cents. */
const figureSql: Record<Exclude<FigureName, 'stayed' | 'left'>, string> = {
  mrr: 'select round(sum(arr_after - arr_before) / 1200.0, 2) from mrr_movements',
  net: 'select round(sum(arr_after - arr_before) / 1200.0, 2) from mrr_movements where at >= $1',
  paying: `select count(*) from (
    select user_id from mrr_movements group by user_id having sum(arr_after - arr_before) > 0) people`,
  churn: `select round(100.0 * count(*) filter (where not exists (
      select from mrr_movements m where m.user_id = u.user_id having sum(arr_after - arr_before) > 0)) / count(*), 1)
    from (select user_id from mrr_movements where at < $1 group by 1 having sum(arr_after - arr_before) > 0) u`,
  new: sumOfMovements('new'),
  reactivation: sumOfMovements('reactivation'),
  expansion: sumOfMovements('expansion'),
  contraction: sumOfMovements('contraction'),
  lost: sumOfMovements('churn'),
  cashPaid: 'select sum(amount) / 100.0 from payments where paid_at >= $1',
  cashTax: 'select sum(tax) / 100.0 from payments where paid_at >= $1',
  cashRefunded: `select sum(amount) / 100.0 from refunds where at >= $1 and status not in ('failed', 'canceled')`,
  cashLost: 'select sum(lost_amount) / 100.0 from payments where lost_at >= $1',
  cashLeft: `select ((select sum(amount) from payments where paid_at >= $1) - (select sum(amount) from refunds where at >= $1)
    - (select sum(lost_amount) from payments where lost_at >= $1)) / 100.0`,
}

const readBySql = async (statement: string, from = monthStart(0)) => {
  const { rows } = await shop.connection.pool.query({
    text: `select value::float8 from (${statement}) figure (value) where $1::timestamptz is not null`,
    values: [from],
    rowMode: 'array',
  })
  return rows[0]?.[0]
}

test('every figure of the file equals plain SQL and has the title of its definition', async () => {
  const file = await (await admin.send(figures.adminExport, {})).text()
  const [titleLine = '', currentMonth = ''] = file.replace('\uFEFF', '').split('\n')
  const titles = titleLine.split(',').map((title) => title.replace(/ \(.+\)$/, ''))
  const values = currentMonth.split(',')
  const valueOf = (name: FigureName) => Number(values[titles.indexOf(figureDefinitions[name].title)])
  for (const name of Object.keys(figureSql) as (keyof typeof figureSql)[])
    expect({ name, value: valueOf(name) }).toEqual({ name, value: await readBySql(figureSql[name]) })
})

test('churn counts people who paid when the month began, and a person with two products once', async () => {
  const { months } = await admin.call(overview.adminShow, {})
  // The two people who started and stopped within the month do not count as churn, only as movements.
  expect(months.at(-1)).toMatchObject({ paidWhenItBegan: 3, stopped: 1, churn: 33.3 })
  expect(months.at(-1)?.movements.churn.count).toBe(4)
  expect(months.at(-2)).toMatchObject({ paying: 3, stopped: 0, churn: 0 })
})

test('cash is the sum of the payments list', async () => {
  const { cash } = await admin.call(figures.adminShow, {})
  const listed = await admin.call(figures.adminPayments, { limit: 100 })
  const sumListed = (kind: string) =>
    listed.filter((entry) => entry.kind === kind).reduce((sum, { amount }) => sum + amount, 0)
  const sumCash = (column: 'paid' | 'refunded' | 'lost') => cash.reduce((sum, month) => sum + month[column], 0)
  expect(sumCash('paid')).toBe(sumListed('payment'))
  expect(sumCash('refunded')).toBe(sumListed('refund'))
  expect(sumCash('lost')).toBe(sumListed('dispute'))
})

test('the people who stayed equal plain SQL for every cohort', async () => {
  const { cohorts } = await admin.call(figures.adminShow, {})
  expect(cohorts.length).toBeGreaterThan(3)
  for (const { month, joined, stayed } of cohorts) {
    const { rows } = await shop.connection.pool.query(
      `select count(*)::int as joined, count(*) filter (where arr > 0)::int as stays, sum(arr)::int as arr from (
         select user_id, (select sum(arr_after - arr_before) from mrr_movements m where m.user_id = f.user_id) as arr
         from mrr_movements f where kind = 'new' group by user_id
         having to_char(min(at) at time zone 'UTC', 'YYYY-MM') = $1) people`,
      [month],
    )
    expect({ month, joined, stays: stayed.at(-1)?.count, arr: stayed.at(-1)?.arr }).toEqual({ month, ...rows[0] })
  }
})

/** People with a live or paused purchase of the shop's first product. */
const customersSql = `select u.id, u.email from users u where u.deleted_at is null and exists (
  select from purchases p join products on products.id = p.product_id
  where p.user_id = u.id and slug = 'rebound-sigma-pro' and p.status in ('active', 'pending_cancel', 'past_due', 'paused'))`

const countSql: Record<CountName, string> = {
  failed_payments: `select count(*) from purchases where status = 'past_due'`,
  expiring_cards: `select count(*) from purchases where status = 'active' and card_expires_at <= current_period_end
    and card_expires_at < $1::timestamptz + interval '30 days'`,
  disputed: 'select count(*) from purchases where is_disputed',
  withAccess: `select (select count(distinct user_id) from purchases where status in ('active', 'pending_cancel', 'past_due', 'paused'))
    + (select count(distinct username_key) from tv_people where not is_ours and is_present)`,
  customers: `select count(*) from (${customersSql}) people
    where not exists (select from mail_suppressions m where m.email = people.email and because = 'refused')`,
  newsletterSubscribers: `select count(*) from newsletter_subscriptions where confirmed_at is not null and unsubscribed_at is null`,
  newsletterBuyers: `select count(*) from (${customersSql}) people join users u using (id)
    where u.verified_at is not null and exists (select from orders o where o.user_id = u.id and o.email = u.email
      and o.closed_at is not null and o.news_version is not null and o.news_objected_at is null)`,
}

test('every count beside a list or an audience equals plain SQL', async () => {
  const newsletterBuyer = await shop.buyer({ news: { version: '2026-11' } })
  const lateBuyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  // A webhook that arrives later would write the status again.
  await shop.settle()
  const { pool } = shop.connection
  await pool.query('update users set verified_at = now() where id = $1', [newsletterBuyer.user.id])
  await pool.query(`update purchases set status = 'past_due' where id = $1`, [lateBuyer.purchase.id])
  await pool.query(
    `insert into newsletter_subscriptions (email, confirmed_at, unsubscribed_at)
     values ('a@example.com', now(), null), ('b@example.com', now(), now()), ('c@example.com', null, null)`,
  )
  const [{ atRisk }, { people }, audiences, productsOnSale] = await Promise.all([
    admin.call(overview.adminShow, {}),
    admin.call(tradingViewAdmin.meter, {}),
    admin.call(newsletters.adminAudiences, {}),
    admin.call(prices.adminProducts, {}),
  ])
  const productId = productsOnSale.find(({ slug }) => slug === 'rebound-sigma-pro')?.id ?? ''
  const { customers } = await admin.call(serviceMessages.adminAudience, { productId })
  const counts: Record<CountName, number | undefined> = {
    failed_payments: atRisk.failed_payments.count,
    expiring_cards: atRisk.expiring_cards.count,
    disputed: atRisk.disputed.count,
    withAccess: people,
    customers,
    newsletterSubscribers: audiences.subscribers,
    newsletterBuyers: audiences.buyers.find((buyers) => buyers.productId === productId)?.count,
  }
  expect(counts).toMatchObject({ failed_payments: 1, newsletterSubscribers: 1, newsletterBuyers: 1 })
  for (const name of Object.keys(countSql) as CountName[])
    expect({ name, count: counts[name] }).toEqual({ name, count: await readBySql(countSql[name], shop.clock.now()) })
})
