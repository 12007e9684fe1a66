import { expect, test } from 'vitest'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'

test('the meter counts buyers and foreign entries on TradingView’s lists', async () => {
  await using shop = await openConnectedShop()
  const admin = await shop.admin()
  const meter = () => admin.call(tradingViewAdmin.meter, {})
  const meterBefore = await meter()
  await shop.tradingViewStandIn.controls.addByHand(shop.tradingViewStandIn.scripts.indicator, 'a_friend_of_the_seller')
  await shop.queue.runNow('tradingview-reconcile')
  // The list of the sandbox has a foreign entry from the start.
  const meterAfter = await meter()
  const newForeignEntries = meterAfter.foreign - meterBefore.foreign
  expect(newForeignEntries).toBeGreaterThan(0)
  expect(meterAfter.people).toBe(meterBefore.people + newForeignEntries)
})

test('the meter warns at 90 and at 100 people, once each a month, and forecasts the month’s last day', async () => {
  await using shop = await openConnectedShop()
  const admin = await shop.admin()
  const meter = () => admin.call(tradingViewAdmin.meter, {})
  const addPeople = (count: number) =>
    shop.connection.pool.query(
      `with added as (insert into users (email, name)
         select gen_random_uuid() || '@example.com', 'Many' from generate_series(1, $2::int) returning id)
       insert into purchases (user_id, product_id, billing_type, price, status, created_at)
       select id, $1, 'monthly', 3900, 'active', $3 from added`,
      [reboundSigmaPro.id, count, new Date(shop.clock.now().getTime() - 60 * 86_400_000)],
    )
  const countWarnings = async () => {
    await shop.queue.runNow('warn-about-people')
    return (await shop.mails()).filter(({ subject }) => subject.endsWith('people have access on TradingView')).length
  }
  const { people: peopleBefore } = await meter()
  expect(await countWarnings()).toBe(0)
  await addPeople(90 - peopleBefore)
  expect(await meter()).toMatchObject({ people: 90, level: 'near' })
  expect(await countWarnings()).toBe(1)
  expect(await countWarnings()).toBe(1)
  await addPeople(10)
  expect(await meter()).toMatchObject({ people: 100, level: 'full' })
  expect(await countWarnings()).toBe(2)
  expect(await countWarnings()).toBe(2)

  const meterBefore = await meter()
  const leaver = await shop.buyer()
  await leaver.call(purchases.cancel, { id: leaver.purchase.id })
  const meterAfter = await meter()
  expect(meterAfter.people).toBe(meterBefore.people + 1)
  expect(meterAfter.forecast).toBe(meterAfter.people - meterAfter.endBefore + meterAfter.newAtThisPace)
  const lastDay = new Date(meterAfter.lastDay)
  expect(new Date(lastDay.getTime() + 86_400_000).getUTCDate()).toBe(1)
  const endsThisMonth = Date.parse(leaver.purchase.currentPeriodEnd ?? '') < lastDay.getTime() + 86_400_000
  expect(meterAfter.endBefore - meterBefore.endBefore).toBe(endsThisMonth ? 1 : 0)
})
