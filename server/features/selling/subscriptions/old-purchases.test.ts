import { expect, test } from 'vitest'
import { purchases as contract } from '#contract/selling/purchases.ts'
import { orders, purchases } from '#server/database/schema.ts'
import { openShop } from '#server/testing/open-shop.ts'

test('an ended purchase and its order are deleted ten years later, at the end of the year', async () => {
  await using shop = await openShop()
  const [ended, running] = [await shop.buyer(), await shop.buyer()]
  await (await shop.admin()).call(contract.adminCancel, { id: ended.purchase.id })
  await shop.settle()
  const listRemaining = async () => {
    for (const job of ['forget-old-purchases', 'forget-unpaid-checkouts']) await shop.queue.runNow(job)
    const { db } = shop.connection
    const ids = { ended: ended.purchase.id, running: running.purchase.id }
    const storedRows = await db.select({ id: purchases.id }).from(purchases)
    const remaining = Object.entries(ids).filter(([, id]) => storedRows.some((row) => row.id === id))
    return { purchases: remaining.map(([name]) => name), orders: await db.$count(orders) }
  }
  const advanceToDay = (year: number, day: number) =>
    shop.clock.advance({ days: (Date.UTC(year, 0, day) - shop.clock.now().getTime()) / 86_400_000 })

  const year = shop.clock.now().getUTCFullYear()
  const lastDayOfYear = 365
  advanceToDay(year + 10, lastDayOfYear)
  expect(await listRemaining()).toEqual({ purchases: ['ended', 'running'], orders: 2 })
  advanceToDay(year + 11, 2)
  expect(await listRemaining()).toEqual({ purchases: ['running'], orders: 1 })
})
