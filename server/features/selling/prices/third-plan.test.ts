import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import StripeSdk from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { addMonths } from '#contract/plans.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { codes } from '#contract/selling/codes.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchases as rows } from '#server/database/schema.ts'
import { paths } from '#server/paths.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  const fileName = 'rebound-sigma-pro.md'
  const file = readFileSync(join(paths.products, fileName), 'utf8')
  const quarterly = 'quarterly: $99\nregular quarterly: $129\n'
  const productFiles = { [fileName]: file.replace(/^yearly: /m, `${quarterly}$&`) }
  shop = await openShop({ productFiles, env: { CONSUMER_LAW: 'eu' } })
})
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

async function logInAndReadPurchase({ call, user, password }: Buyer) {
  await call(accounts.login, { email: user.email, password })
  const [purchase] = await call(purchases.list, {})
  if (!purchase) throw new Error('There is no purchase')
  return purchase
}
const lastMailTo = async ({ user }: Buyer) => (await shop.mails()).findLast(({ to }) => to === user.email)?.text
const mrr = async () => {
  const { months } = await (await shop.admin()).call(overview.adminShow, {})
  return Math.round((months.at(-1)?.arr ?? 0) / 12)
}

test('a quarterly price in the product’s file is enough to sell, renew, cancel and switch that plan', async () => {
  const [product] = await shop.visitor().call(catalog.list, {})
  expect(product).toMatchObject({
    monthlyPrice: 3900,
    yearlyPrice: 39_000,
    prices: { monthly: 3900, quarterly: 9900, yearly: 39_000 },
  })

  const buyer = await shop.buyer({ billing: 'quarterly' })
  expect(buyer.purchase).toMatchObject({ billingType: 'quarterly', period: 'quarter', amount: 9900, status: 'active' })
  const boughtAt = new Date(buyer.purchase.createdAt)
  const firstEnd = Date.parse(buyer.purchase.currentPeriodEnd ?? '')
  expect(Math.abs(firstEnd - addMonths(boughtAt, 3).getTime())).toBeLessThan(dayMs)
  expect(await lastMailTo(buyer)).toContain('Price: $99.00 per quarter')
  expect(await mrr()).toBe(3300)

  await shop.advance(3, 'month')
  await shop.advance(10, 'day')
  const renewed = await logInAndReadPurchase(buyer)
  const end = Date.parse(renewed.currentPeriodEnd ?? '')
  expect(Math.abs(end - addMonths(boughtAt, 6).getTime())).toBeLessThan(2 * dayMs)
  expect(renewed).toMatchObject({ status: 'active', lastPaidAmount: 9900, nextAmount: 9900 })

  // A renewed term of more than a month ends with one month's notice, and the rest is refunded.
  const notice = await buyer.call(purchases.cancellation, { id: renewed.id })
  const unusedDays = Math.ceil((end - Date.parse(notice.endsAt ?? '')) / dayMs)
  expect(notice.refund).toBe(Math.round((9900 * unusedDays) / Math.round((end - firstEnd) / dayMs)))
  expect(notice.refund).toBeGreaterThan(4000)

  const csv = await (await (await shop.admin()).fetch('/api/admin/export/orders')).text()
  expect(csv).toMatch(new RegExp(`${buyer.user.email}.*quarterly`))

  const offer = await buyer.call(purchases.switchOffer, { id: renewed.id })
  expect(offer).toMatchObject({ billingType: 'yearly', price: 39_000 })
  await buyer.call(purchases.switch, { id: renewed.id, at: offer.at, amount: offer.due })
  expect(await logInAndReadPurchase(buyer)).toMatchObject({
    billingType: 'yearly',
    period: 'year',
    lastPaidAmount: offer.due,
  })
  expect(await lastMailTo(buyer)).toMatch(/by the year[^]*Unused time of your quarter: -\$/)
  expect(await mrr()).toBe(3250)
  const { booked, wanted } = await compareBooks(shop)
  expect(booked).toEqual(wanted)
})

test('a code for two months reduces the whole first quarter, and the receipt says so', async () => {
  const admin = await shop.admin()
  await admin.call(codes.adminAdd, { code: 'TWOMONTHS', percentOff: 50, months: 2 })
  const buyer = await shop.buyer({ billing: 'quarterly', code: 'TWOMONTHS' })
  expect(await lastMailTo(buyer)).toMatch(/\$49\.50 today, then \$99\.00 every quarter from/)
})

test('a price at Stripe whose interval is no plan of the shop is shown with Stripe’s interval', async () => {
  const buyer = await shop.buyer()
  const { secretKey, api, controls } = shop.sandbox
  const { id: price } = await new StripeSdk(secretKey, api).prices.create({
    product: reboundSigmaPro.slug,
    unit_amount: 15_000,
    currency: 'usd',
    recurring: { interval: 'month', interval_count: 6 },
  })
  const [row] = await shop.connection.db
    .select({ subscription: rows.stripeSubscriptionId })
    .from(rows)
    .where(eq(rows.id, buyer.purchase.id))
  await controls.dashboard.changePrice(row?.subscription ?? '', price)
  await shop.settle()
  const changed = await logInAndReadPurchase(buyer)
  expect(changed).toMatchObject({ billingType: 'monthly', period: '6 months', amount: 15_000 })
  await shop.advance(7, 'month')
  expect(await lastMailTo(buyer)).toContain('Price: $150.00 per 6 months')
})
