import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessRequests } from '#contract/access-requests.ts'
import { contact } from '#contract/contact.ts'
import { purchases } from '#contract/purchases.ts'
import { checkouts, contactMessages } from '../../database/schema.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { SUPPORT_EMAIL: 'seller@example.com' } })
})
afterAll(() => shop.close())

const subjectsTo = async (email: string, about: RegExp) =>
  (await shop.mails())
    .filter(({ to, subject }) => to === email && about.test(subject))
    .map(({ subject }) => subject)

const notices = (email: string) => subjectsTo(email, /renews in/)
const digests = () => subjectsTo('seller@example.com', /waiting|overdue/i)

test('a buyer by the year hears of the renewal 30 and 7 days ahead, once each', async () => {
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

test('the seller hears once a day what waits, and nothing when nothing waits', async () => {
  await shop.queue.runNow('digest')
  expect(await digests()).toEqual([])

  const buyer = await shop.buyer()
  await buyer.call(accessRequests.submit, {
    paymentIntentId: buyer.purchase.paymentIntentId ?? '',
    exchangeName: 'NYSE',
    tradingViewUsername: 'ada',
    apiKey: 'key',
    secretKey: 'secret',
  })
  await shop.queue.runNow('digest')
  await shop.queue.runNow('digest')
  expect(await digests()).toEqual(['Waiting for you: 1 access request'])
  shop.clock.advance({ hours: 25 })
  await shop.queue.runNow('digest')
  expect(await digests()).toEqual(['Waiting for you: 1 access request', '1 access request is overdue'])
})

test('an unpaid checkout is forgotten after 30 days, a message after two years; purchases stay', async () => {
  const { db } = shop.connection
  const visitor = shop.visitor()
  await shop.begin(visitor, { email: 'window-shopper@example.com' })
  await visitor.call(contact.send, { firstName: 'A', lastName: 'B', email: 'a@example.com', message: 'Hi' })
  const paid = (await db.select().from(checkouts)).filter(
    ({ email }) => email !== 'window-shopper@example.com',
  )

  await shop.advance(2, 'day')
  await shop.queue.runNow('reconcile')
  await shop.queue.runNow('forget-old-data')
  expect(await db.select().from(checkouts)).toHaveLength(paid.length + 1)
  shop.clock.advance({ days: 31 })
  await shop.queue.runNow('forget-old-data')
  const kept = await db.select({ id: checkouts.id }).from(checkouts)
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(paid.map(({ id }) => id)))
  expect(await db.select().from(contactMessages)).toHaveLength(1)
  shop.clock.advance({ days: 731 })
  await shop.queue.runNow('forget-old-data')
  expect(await db.select().from(contactMessages)).toEqual([])
})
