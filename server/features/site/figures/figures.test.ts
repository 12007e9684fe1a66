import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactMessages } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { noFigures, publicFigures } from './figures.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

test('the shop says how fast it answers once ten messages of the last 30 days were answered', async () => {
  const { db } = shop.connection
  const now = shop.clock.now()
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const messageAnsweredAfter = (hours: number) => ({
    firstName: 'Ada',
    lastName: 'Reader',
    email: 'ada@example.com',
    message: 'How does it work?',
    createdAt: hoursAgo(24 + hours),
    answeredAt: hoursAgo(24),
  })
  const nineMessages = [1, 1, 2, 2, 3, 3, 3, 9, 9].map(messageAnsweredAfter)
  await db.insert(contactMessages).values(nineMessages)
  expect(await publicFigures(db, now)).toEqual(noFigures)
  const tenthMessage = messageAnsweredAfter(9)
  await db.insert(contactMessages).values(tenthMessage)
  expect(await publicFigures(db, now)).toEqual({ secondsToUnlock: null, secondsToAnswer: 3 * 3600 })
  expect(await publicFigures(db, new Date(now.getTime() + 31 * 86_400_000))).toEqual(noFigures)
})
