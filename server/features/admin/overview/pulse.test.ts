import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { settings } from '#contract/admin/settings.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { contact } from '#contract/site/contact.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

const support = 'seller@example.org'
let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop({ env: { SUPPORT_EMAIL: support } })
  admin = await shop.admin()
})
afterAll(() => shop.close())

const subjects = async () => {
  await shop.queue.waitUntilIdle()
  return (await shop.mails()).filter(({ to }) => to === support).map(({ subject }) => subject)
}
const run = (job: string) => shop.queue.runNow(job)

test('the overview lists today’s sales, cancellations and messages, each linked to its customer', async () => {
  expect(await admin.call(overview.adminToday, {})).toEqual([])
  const buyer = await shop.buyer()
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  await buyer.call(contact.send, { firstName: 'Ada', lastName: 'L', email: buyer.user.email, message: 'Why?' })
  await shop.settle()
  await shop.queue.waitUntilIdle()
  const today = await admin.call(overview.adminToday, {})
  expect(today.map(({ kind }) => kind).toSorted()).toEqual(['cancelled', 'message', 'sale'])
  expect(today.every(({ customerId }) => customerId === buyer.user.id)).toBe(true)
  expect(today.find(({ kind }) => kind === 'sale')).toMatchObject({ amount: 3900, detail: 'monthly' })
})

test('the seller gets one email for each sale, or one a day, or none', async () => {
  await run('tell-of-sales')
  await run('tell-of-sales')
  const saleEmails = (await subjects()).filter((subject) => subject.endsWith('bought monthly: $39.00'))
  expect(saleEmails).toHaveLength(1)
  await admin.call(settings.adminSave, { SALE_EMAILS: 'daily' })
  await shop.buyer()
  await run('tell-of-sales')
  await run('sales-of-day')
  expect(await subjects()).toContain('2 sales since yesterday')
  await admin.call(settings.adminSave, { SALE_EMAILS: 'off' })
  await shop.buyer()
  await run('tell-of-sales')
  await run('sales-of-day')
  expect((await subjects()).filter((subject) => /bought|sales? since/.test(subject))).toHaveLength(2)
})

test('a second payment that is refunded is no sale', async () => {
  await admin.call(settings.adminSave, { SALE_EMAILS: 'each' })
  const user = await shop.verifiedUser()
  const { email } = user.user
  const [monthly, yearly] = [await shop.begin(user), await shop.begin(shop.visitor(), { email, billing: 'yearly' })]
  for (const checkout of [monthly, yearly]) {
    expect(await shop.pay(checkout)).toBe('succeeded')
    await shop.settle()
  }
  await run('tell-of-sales')
  const sales = (await subjects()).join('\n')
  expect(sales).toContain('bought monthly')
  expect(sales).not.toContain('bought yearly')
})

test('the Monday letter counts new and lost subscribers and can be turned off', async () => {
  await shop.connection.db.execute(sql`
    insert into mrr_movements
      (purchase_id, user_id, product_id, at, recorded_at, source, revision, kind, cause, billing_type, arr_before, arr_after, people)
    select gen_random_uuid(), user_id, product_id, at, recorded_at, 'order ' || n, 0, kind, cause, billing_type, arr_before, arr_after, people
    from (select * from mrr_movements where kind = 'new' limit 1) movement, generate_series(1, 60) n`)
  await run('monday-letter')
  const letters = async () => (await subjects()).filter((subject) => subject.startsWith('Your week'))
  expect(await letters()).toEqual(['Your week: 64 new, 0 gone'])
  await admin.call(settings.adminSave, { MONDAY_LETTER: 'no' })
  shop.clock.advance({ days: 7 })
  await run('monday-letter')
  expect(await letters()).toHaveLength(1)
})
