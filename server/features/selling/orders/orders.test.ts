import { expect, test } from 'vitest'
import { orders } from '#server/database/schema.ts'
import { openShop } from '#server/testing/open-shop.ts'

test('unpaid checkouts are deleted after 30 days, and paid ones stay', async () => {
  await using shop = await openShop()
  const emails = async () =>
    (await shop.connection.db.select({ email: orders.email }).from(orders)).map(({ email }) => email)
  const { user } = await shop.buyer()
  await shop.begin(shop.visitor(), { email: 'window-shopper@example.com' })

  await shop.advance(2, 'day')
  await shop.queue.runNow('reconcile')
  await shop.queue.runNow('forget-unpaid-checkouts')
  expect((await emails()).toSorted()).toEqual([user.email, 'window-shopper@example.com'].toSorted())
  // Moves only the shop's clock, so that no subscription renews.
  shop.clock.advance({ days: 31 })
  await shop.queue.runNow('forget-unpaid-checkouts')
  expect(await emails()).toEqual([user.email])
})
