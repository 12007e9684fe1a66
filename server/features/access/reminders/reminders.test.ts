import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reminders } from '#contract/access/access-admin.ts'
import { access, purchases, users } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())

async function addBuyer(email: string, status: 'active' | 'expired') {
  const { db } = shop.connection
  const [user] = await db.insert(users).values({ email, name: 'Ada' }).returning()
  await db
    .insert(purchases)
    .values({ userId: user?.id ?? '', productId: reboundSigmaPro.id, billingType: 'monthly', price: 3900, status })
  return user?.id ?? ''
}

const addRequest = (userId: string) =>
  shop.connection.db.insert(access).values({ userId, productId: reboundSigmaPro.id, state: 'asked' })

const remindersTo = async (email: string) =>
  (await shop.mails()).filter((mail) => mail.to.includes(email) && mail.subject.includes('TradingView')).length

describe('reminders', () => {
  test('go to active buyers who have not asked for access, once a week at most', async () => {
    await addBuyer('missing@example.com', 'active')
    await addRequest(await addBuyer('asked@example.com', 'active'))
    await addBuyer('gone@example.com', 'expired')
    expect(await admin.call(reminders.adminCount, {})).toEqual({ due: 1 })

    const clicks = await Promise.all(Array.from({ length: 5 }, () => admin.call(reminders.adminSend, {})))
    expect(clicks.reduce((sum, { queued }) => sum + queued, 0)).toBe(1)
    expect(await remindersTo('missing@example.com')).toBe(1)
    expect(await remindersTo('asked@example.com')).toBe(0)
    expect(await remindersTo('gone@example.com')).toBe(0)

    shop.clock.advance({ days: 6 })
    admin = await shop.admin()
    expect(await admin.call(reminders.adminSend, {})).toEqual({ queued: 0 })
    shop.clock.advance({ days: 2 })
    admin = await shop.admin()
    await addBuyer('second@example.com', 'active')
    expect(await admin.call(reminders.adminCount, {})).toEqual({ due: 2 })
    expect(await admin.call(reminders.adminSend, {})).toEqual({ queued: 2 })
    expect(await remindersTo('missing@example.com')).toBe(2)
  })

  test('skip buyers who have asked for access before the reminder is sent', async () => {
    shop.clock.advance({ days: 8 })
    admin = await shop.admin()
    const userId = await addBuyer('meanwhile@example.com', 'active')
    await shop.queue.waitUntilIdle()
    await addRequest(userId)
    await admin.call(reminders.adminSend, {})
    expect(await remindersTo('meanwhile@example.com')).toBe(0)
  })
})
