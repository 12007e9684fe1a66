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
