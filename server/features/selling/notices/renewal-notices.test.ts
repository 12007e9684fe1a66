import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { purchases } from '#contract/selling/purchases.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const notices = async (email: string) =>
  (await shop.mails())
    .filter(({ to, subject }) => to === email && subject.includes('renews in'))
    .map(({ subject }) => subject)

test('a yearly subscriber is told about the renewal 30 and 7 days ahead, once each', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const monthly = await shop.buyer()
  const leaving = await shop.buyer({ billing: 'yearly' })
  await leaving.call(purchases.cancel, { id: leaving.purchase.id })
  const twice = async () => {
    await shop.queue.runNow('renewal-notices')
    await shop.queue.runNow('renewal-notices')
  }

  await twice()
  expect(await notices(buyer.user.email)).toEqual([])
  await shop.advance(336, 'day')
  await twice()
  expect(await notices(buyer.user.email)).toEqual(['Your subscription renews in 29 days'])
  await shop.advance(10, 'day')
  await twice()
  await shop.advance(12, 'day')
  await twice()
  expect(await notices(buyer.user.email)).toEqual([
    'Your subscription renews in 29 days',
    'Your subscription renews in 7 days',
  ])
  expect(await notices(monthly.user.email)).toEqual([])
  expect(await notices(leaving.user.email)).toEqual([])
})

test('the amount named is the one that Stripe will take, and "about" it where Stripe is away', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { rows } = await shop.connection.db.execute<{ id: string }>(
    sql`select stripe_subscription_id as id from purchases where id = ${buyer.purchase.id}`,
  )
  await shop.sandbox.controls.dashboard.addInvoiceItem(rows[0]?.id ?? '', 2500)
  expect(await buyer.call(purchases.nextCharge, { id: buyer.purchase.id })).toEqual({ amount: 41_500, isExact: true })
  await shop.sandbox.controls.failNext({ on: 'POST /v1/invoices/create_preview', status: 500 })
  expect(await buyer.call(purchases.nextCharge, { id: buyer.purchase.id })).toEqual({ amount: 39_000, isExact: false })

  await shop.advance(336, 'day')
  await shop.queue.runNow('renewal-notices')
  const told = (await shop.mails()).find(({ to, subject }) => to === buyer.user.email && /renews in/.test(subject))
  expect(told?.text).toContain('$415.00')
})
