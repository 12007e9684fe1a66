import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { seats } from '#contract/selling/seats.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: ConnectedShop
let admin: Awaited<ReturnType<ConnectedShop['admin']>>
beforeAll(async () => {
  shop = await openConnectedShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  admin = await shop.admin()
  await shop.connection.pool.query('delete from seat_reservations; delete from waitlist; delete from attempts')
  await settings({ seatLimit: null, showsSeats: false })
})

const settings = (given: { seatLimit?: number | null; showsSeats?: boolean }) =>
  admin.call(tradingViewAdmin.settings, given)
const meter = () => admin.call(tradingViewAdmin.meter, {})
const shown = () => shop.visitor().call(seats.show, {})
/** So many more people may buy. */
async function leaveFree(free: number) {
  const { people } = await meter()
  await settings({ seatLimit: people + free })
  return people
}
const invite = async () => {
  await shop.queue.runNow('invite-waiting')
  return (await shop.mails()).filter(({ subject }) => subject.startsWith('A seat')).map(({ to }) => to)
}
const refusal = {
  status: 409,
  code: 'sold-out',
  serverMessage: 'All seats are taken at the moment. We can tell you when one is free.',
}

/** Presses Pay: what was agreed to is recorded, and the seat is kept, before the card is charged. */
const agree = (visitor: Visitor, { paymentIntentId }: { paymentIntentId: string }) =>
  visitor.call(checkout.agree, { paymentIntentId })
const beginAndAgree = async (visitor: Visitor, given?: { email: string }) => {
  const begun = await shop.begin(visitor, given)
  await agree(visitor, begun)
  return begun
}

describe('a limit of seats', () => {
  test('gives the last seat to one of many who want it at once, in two processes', async () => {
    await using second = await openConnectedShop({
      databaseUrl: shop.config.databaseUrl ?? '',
      env: { DATA_DIR: shop.config.dataDir },
    })
    const wanting = await Promise.all([shop, second, shop, second].map((each) => each.user()))
    await leaveFree(1)
    const begun = await Promise.all(wanting.map((visitor) => shop.begin(visitor)))
    const outcomes = await Promise.allSettled(
      wanting.map((visitor, index) => agree(visitor, begun[index] ?? { paymentIntentId: '' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    for (const { reason } of refused) expect(reason).toMatchObject(refusal)
  })

  test('keeps a seat for 15 minutes while its buyer pays, however often the page is reloaded', async () => {
    const [first, second] = [await shop.user(), await shop.user()]
    await leaveFree(1)
    const begun = await beginAndAgree(first)
    await beginAndAgree(first)
    expect(await shown()).toMatchObject({ isSoldOut: true })
    await expect(shop.begin(second)).rejects.toMatchObject(refusal)
    shop.clock.advance({ minutes: 14 })
    await expect(shop.begin(second)).rejects.toMatchObject(refusal)
    shop.clock.advance({ minutes: 2 })
    expect(await shown()).toMatchObject({ isSoldOut: false })
    await beginAndAgree(second)
    await expect(agree(first, begun)).rejects.toMatchObject(refusal)
    await expect(shop.begin(first)).rejects.toMatchObject(refusal)
  })

  test('keeps no seat for somebody who only fills in the form', async () => {
    const buyer = await shop.user()
    await leaveFree(1)
    for (let count = 0; count < 4; count++) await shop.begin(shop.visitor(), { email: `looking-${count}@example.com` })
    expect(await shown()).toMatchObject({ isSoldOut: false })
    await beginAndAgree(buyer)
  })

  test('counts a seat once when it is paid, for guests too', async () => {
    const before = await leaveFree(2)
    await shop.buyer()
    const guest = shop.visitor()
    await shop.logInGuest(guest, await shop.guest(guest))
    expect(await meter()).toMatchObject({ people: before + 2, limit: before + 2, level: 'calm' })
    expect(await shown()).toEqual({ isSoldOut: true, shown: null })
    const { rows } = await shop.connection.pool.query('select * from seat_reservations')
    expect(rows).toEqual([])
  })

  test('shows “62 of 100 seats” only if the seller wants it, and only real numbers', async () => {
    const people = await leaveFree(38)
    expect(await shown()).toEqual({ isSoldOut: false, shown: null })
    await settings({ showsSeats: true })
    expect(await shown()).toEqual({ isSoldOut: false, shown: { taken: people, limit: people + 38 } })
    await beginAndAgree(await shop.user())
    expect(await shown()).toMatchObject({ shown: { taken: people } })
    await shop.buyer()
    expect(await shown()).toMatchObject({ shown: { taken: people + 1 } })
    await settings({ seatLimit: null })
    expect(await shown()).toEqual({ isSoldOut: false, shown: null })
  })

  test('counts whoever TradingView lists besides', async () => {
    const { people, foreign } = await meter()
    await shop.lookAlike.controls.letIn(shop.lookAlike.scripts.indicator, 'a_friend_of_the_seller')
    await shop.queue.runNow('tradingview-reconcile')
    // The look-alike has one from the start.
    const after = await meter()
    expect(after.foreign).toBeGreaterThan(foreign)
    expect(after.people).toBe(people + after.foreign - foreign)
  })
})

describe('a seat whose 15 minutes are over', () => {
  test('is still its buyer’s while nobody else has it', async () => {
    await leaveFree(1)
    const [late, agreed] = [await shop.user(), await shop.user()]
    const begun = await beginAndAgree(late)
    shop.clock.advance({ minutes: 16 })
    await shop.pay(begun)
    await shop.confirmPurchase(late, begun)
    expect(await late.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
    await leaveFree(1)
    const other = await beginAndAgree(agreed)
    shop.clock.advance({ minutes: 16 })
    await agree(agreed, other)
    expect(await shown()).toMatchObject({ isSoldOut: true })
  })

  test('is refused before the card is charged once somebody else has it', async () => {
    await leaveFree(1)
    const [late, next] = [await shop.user(), await shop.user()]
    const begun = await beginAndAgree(late)
    shop.clock.advance({ minutes: 16 })
    await beginAndAgree(next)
    await expect(agree(late, begun)).rejects.toMatchObject(refusal)
  })

  test('is sold once, however many pay for it at the same moment in two processes; the others get their money back', async () => {
    await using second = await openConnectedShop({
      databaseUrl: shop.config.databaseUrl ?? '',
      startsAt: shop.clock.now(),
      env: { DATA_DIR: shop.config.dataDir },
    })
    const people = await leaveFree(1)
    const begun = []
    for (const each of [shop, second, shop, second]) {
      const visitor = await each.user()
      begun.push({ visitor, ...(await beginAndAgree(visitor)) })
      for (const { clock } of [shop, second]) clock.advance({ minutes: 16 })
    }
    await Promise.all(begun.map((each) => shop.pay(each)))
    await Promise.allSettled(begun.map((each) => shop.confirmPurchase(each.visitor, each)))
    await shop.settle()
    const bought = []
    for (const { visitor } of begun) bought.push(...(await visitor.call(purchases.list, {})))
    const [winner, ...losers] = bought.toSorted((a, b) => a.status.localeCompare(b.status))
    expect(winner).toMatchObject({ status: 'active' })
    expect(losers).toHaveLength(3)
    for (const each of losers)
      expect(each).toMatchObject({ status: 'cancelled', endedBecause: 'no_seat', refundedAmount: 3900 })
    expect(await meter()).toMatchObject({ people: people + 1 })
    const told = (await shop.mails()).filter(({ subject }) => subject.endsWith('no seat was left'))
    expect(told).toHaveLength(3)
  })

  test('lets one network keep three seats and no more; whoever comes after them can still buy', async () => {
    await leaveFree(8)
    for (let count = 0; count < 8; count++)
      await beginAndAgree(shop.visitor(), { email: `keeping-${count}@example.com` })
    const { rows } = await shop.connection.pool.query('select holder from seat_reservations')
    expect(rows).toHaveLength(3)
    expect(await shown()).toMatchObject({ isSoldOut: false })
    await shop.buyer()
    for (let quarters = 0; quarters < 8; quarters++) {
      shop.clock.advance({ minutes: 16 })
      for (let count = 0; count < 3; count++)
        await beginAndAgree(shop.visitor(), { email: `again-${quarters}-${count}@example.com` })
    }
    expect((await shop.connection.pool.query('select holder from seat_reservations')).rows).toEqual([])
    admin = await shop.admin()
  })
})

describe('the waiting list', () => {
  test('tells whoever waits longest when a seat is free, and the next a day later', async () => {
    const leaving = await shop.buyer()
    await leaveFree(0)
    await expect(shop.begin(await shop.user())).rejects.toMatchObject(refusal)
    for (const email of ['first@example.com', 'second@example.com', 'FIRST@example.com']) {
      await shop.visitor().call(seats.join, { email })
      shop.clock.advance({ minutes: 1 })
    }
    expect(await meter()).toMatchObject({ waiting: 2 })
    expect(await invite()).toEqual([])
    await admin.call(purchases.adminCancel, { id: leaving.purchase.id })
    expect(await invite()).toEqual(['first@example.com'])
    expect(await invite()).toEqual(['first@example.com'])
    shop.clock.advance({ hours: 25 })
    expect(await invite()).toEqual(['first@example.com', 'second@example.com'])
    shop.clock.advance({ days: 8 })
    await invite()
    expect((await shop.connection.pool.query('select * from waitlist')).rows).toEqual([])
  })

  test('is in “my data” once the address is proven, and forgotten with the account', async () => {
    const stranger = await shop.user()
    const person = await shop.verifiedUser()
    for (const { email } of [stranger.user, person.user]) await shop.visitor().call(seats.join, { email })
    expect(await stranger.call(accounts.myData, {})).toMatchObject({ waitingList: [] })
    expect(await person.call(accounts.myData, {})).toMatchObject({
      waitingList: [{ email: person.user.email, invitedAt: null }],
    })
    await person.call(accounts.deleteMyself, { password: person.password })
    const { rows } = await shop.connection.pool.query<{ email: string }>('select email from waitlist')
    expect(rows).toEqual([{ email: stranger.user.email }])
  })

  test('forgets everyone after a year', async () => {
    await leaveFree(0)
    await shop.visitor().call(seats.join, { email: 'patient@example.com' })
    shop.clock.advance({ days: 366 })
    await invite()
    expect((await shop.connection.pool.query('select * from waitlist')).rows).toEqual([])
  })
})

test('the meter warns at 90 and at 100 people, once each a month, and forecasts the month’s last day', async () => {
  const addPeople = (count: number) =>
    shop.connection.pool.query(
      `with added as (insert into users (email, name)
         select gen_random_uuid() || '@example.com', 'Many' from generate_series(1, $2::int) returning id)
       insert into purchases (user_id, product_id, billing_type, price, status, created_at)
       select id, $1, 'monthly', 3900, 'active', $3 from added`,
      [reboundSigmaPro.id, count, new Date(shop.clock.now().getTime() - 60 * 86_400_000)],
    )
  const warnings = async () => {
    await shop.queue.runNow('warn-about-seats')
    return (await shop.mails()).filter(({ subject }) => subject.endsWith('people have access on TradingView')).length
  }
  const before = (await meter()).people
  expect(await warnings()).toBe(0)
  await addPeople(90 - before)
  expect(await meter()).toMatchObject({ people: 90, level: 'near' })
  expect(await warnings()).toBe(1)
  expect(await warnings()).toBe(1)
  await addPeople(10)
  expect(await meter()).toMatchObject({ people: 100, level: 'full' })
  expect(await warnings()).toBe(2)
  expect(await warnings()).toBe(2)

  const calm = await meter()
  const leaver = await shop.buyer()
  await leaver.call(purchases.cancel, { id: leaver.purchase.id })
  const now = await meter()
  expect(now.people).toBe(calm.people + 1)
  expect(now.forecast).toBe(now.people - now.endBefore + now.newAtThisPace)
  const lastDay = new Date(now.lastDay)
  expect(new Date(lastDay.getTime() + 86_400_000).getUTCDate()).toBe(1)
  const ends = Date.parse(leaver.purchase.currentPeriodEnd ?? '') < lastDay.getTime() + 86_400_000
  expect(now.endBefore - calm.endBefore).toBe(ends ? 1 : 0)
})
