import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { settings } from '#contract/admin/settings.ts'
import { codes } from '#contract/selling/codes.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

const subjectsOf = async (email: string) =>
  (await shop.mails()).filter(({ to }) => to === email).map(({ subject }) => subject)

const renewalNotices = async (email: string) =>
  (await subjectsOf(email)).filter((subject) => subject.includes('renews in'))

async function subscriptionOf({ purchase }: Buyer) {
  const { rows } = await shop.connection.db.execute<{ id: string; customer: string }>(
    sql`select id, data->>'customer' as customer from sandbox.objects
      where id = (select stripe_subscription_id from purchases where id = ${purchase.id})`,
  )
  const [found] = rows
  if (!found) throw new Error('The purchase has no subscription')
  return found
}

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

/** Counts from the renewal, because a year has 365 or 366 days. */
async function advanceToDaysBeforeRenewal({ purchase }: Buyer, days: number) {
  const msUntilRenewal = Date.parse(purchase.currentPeriodEnd ?? '') - shop.clock.now().getTime()
  await shop.advance(Math.round(msUntilRenewal / 86_400_000) - days, 'day')
}

test('a yearly subscriber gets one email about the renewal 30 days ahead and one 7 days ahead', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const monthly = await shop.buyer()
  const leaving = await shop.buyer({ billing: 'yearly' })
  await leaving.call(purchases.cancel, { id: leaving.purchase.id })
  const runTwice = async () => {
    await shop.queue.runNow('renewal-notices')
    await shop.queue.runNow('renewal-notices')
  }

  await runTwice()
  expect(await renewalNotices(buyer.user.email)).toEqual([])
  await advanceToDaysBeforeRenewal(buyer, 29)
  await runTwice()
  expect(await renewalNotices(buyer.user.email)).toEqual(['Your subscription renews in 29 days'])
  await advanceToDaysBeforeRenewal(buyer, 19)
  await runTwice()
  await advanceToDaysBeforeRenewal(buyer, 7)
  await runTwice()
  expect(await renewalNotices(buyer.user.email)).toEqual([
    'Your subscription renews in 29 days',
    'Your subscription renews in 7 days',
  ])
  expect(await renewalNotices(monthly.user.email)).toEqual([])
  expect(await renewalNotices(leaving.user.email)).toEqual([])
})

test('nothing is announced while collection is paused beyond the renewal', async () => {
  const [paused, resuming] = [await shop.buyer({ billing: 'yearly' }), await shop.buyer({ billing: 'yearly' })]
  const { pauseCollection } = shop.sandbox.controls.dashboard
  await pauseCollection((await subscriptionOf(paused)).id, { behavior: 'void', resumes_at: null })
  const dayBeforeRenewal = Date.parse(resuming.purchase.currentPeriodEnd ?? '') / 1000 - 86_400
  await pauseCollection((await subscriptionOf(resuming)).id, { behavior: 'void', resumes_at: dayBeforeRenewal })
  await shop.settle()
  await advanceToDaysBeforeRenewal(paused, 29)
  await shop.queue.runNow('renewal-notices')
  expect(await renewalNotices(resuming.user.email)).toEqual(['Your subscription renews in 29 days'])
  expect(await renewalNotices(paused.user.email)).toEqual([])
})

test('after an outage, a renewal of the next day is announced for tomorrow', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await advanceToDaysBeforeRenewal(buyer, 1)
  await shop.advance(1, 'hour')
  await shop.queue.runNow('renewal-notices')
  expect(await subjectsOf(buyer.user.email)).toContain('Your subscription renews tomorrow')
})

test('the announced amount is the one that Stripe will charge, or an estimate while Stripe fails', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await shop.sandbox.controls.dashboard.addInvoiceItem((await subscriptionOf(buyer)).id, 2500)
  expect(await buyer.call(purchases.nextCharge, { id: buyer.purchase.id })).toEqual({ amount: 41_500, isExact: true })
  await shop.sandbox.controls.failNext({ on: 'POST /v1/invoices/create_preview', status: 500 })
  expect(await buyer.call(purchases.nextCharge, { id: buyer.purchase.id })).toEqual({ amount: 39_000, isExact: false })

  await advanceToDaysBeforeRenewal(buyer, 29)
  await shop.queue.runNow('renewal-notices')
  const notice = (await shop.mails()).find(({ to, subject }) => to === buyer.user.email && /renews in/.test(subject))
  expect(notice?.text).toContain('$415.00')
})

test('a buyer whose card expires before the next charge gets one email 21 days ahead, unless it is turned off', async () => {
  const [notified, notNotified] = [await shop.buyer({ billing: 'yearly' }), await shop.buyer({ billing: 'yearly' })]
  const now = shop.clock.now()
  // A card is good until the end of its month.
  const expiresAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 3))
  const setCardExpiry = async ({ purchase }: typeof notified) => {
    const { rows } = await shop.connection.db.execute<{ method: string }>(
      sql`select data->>'default_payment_method' as method from sandbox.objects
        where id = (select stripe_subscription_id from purchases where id = ${purchase.id})`,
    )
    const lastMonth = new Date(expiresAt.getTime() - 1)
    await shop.sandbox.controls.dashboard.updateCard(rows[0]?.method ?? '', {
      exp_month: lastMonth.getUTCMonth() + 1,
      exp_year: lastMonth.getUTCFullYear(),
    })
  }
  const run = () => shop.queue.runNow('card-notices')
  const subject = 'Your card expires before the next charge'
  await setCardExpiry(notified)
  await shop.settle()
  await run()
  expect(await subjectsOf(notified.user.email)).not.toContain(subject)
  await shop.advance(Math.ceil((expiresAt.getTime() - now.getTime()) / 86_400_000) - 20, 'day')
  await run()
  await run()
  const mails = (await shop.mails()).filter((mail) => mail.to === notified.user.email && mail.subject === subject)
  expect(mails.map(({ text }) => text)).toEqual([expect.stringContaining(`/dashboard?card=${notified.purchase.id}`)])

  await (await shop.admin()).call(settings.adminSave, { CARD_NOTICES: 'no' })
  await setCardExpiry(notNotified)
  await shop.settle()
  await run()
  expect(await subjectsOf(notNotified.user.email)).not.toContain(subject)
})

test('a buyer gets an email a week before a discount ends, with the regular price', async () => {
  await (await shop.admin()).call(codes.adminAdd, { code: 'TWOMONTHS', percentOff: 50, months: 2 })
  const buyer = await shop.buyer({ code: 'TWOMONTHS' })
  const run = () => shop.queue.runNow('discount-notices')
  await shop.advance(1, 'month')
  await run()
  expect(await discountNotices(buyer)).toEqual([])
  await shop.advance(25, 'day')
  await run()
  await run()
  expect(await discountNotices(buyer)).toEqual([expect.stringContaining('the regular price of $39.00')])
})

const discountNotices = async ({ user }: Buyer) =>
  (await shop.mails())
    .filter(({ to, subject }) => to === user.email && subject.includes('discount ends'))
    .map(({ text }) => text)

test('a payment that credit made smaller is no discount that could end', async () => {
  await (await shop.admin()).call(codes.adminAdd, { code: 'FIRSTHALF', percentOff: 50, months: 0 })
  const credited = await shop.buyer({ code: 'FIRSTHALF' })
  await shop.sandbox.controls.dashboard.giveCredit((await subscriptionOf(credited)).customer, 1000)
  await shop.advance(1, 'month')
  await shop.advance(25, 'day')
  await shop.queue.runNow('discount-notices')
  expect(await discountNotices(credited)).toEqual([])

  const switched = await shop.buyer({ code: 'FIRSTHALF' })
  const { id } = switched.purchase
  const { at, due } = await switched.call(purchases.switchOffer, { id })
  await switched.call(purchases.switch, { id, at, amount: due })
  const [purchase] = await switched.call(purchases.list, {})
  if (!purchase) throw new Error('There is no purchase')
  await advanceToDaysBeforeRenewal({ ...switched, purchase }, 6)
  await shop.queue.runNow('discount-notices')
  expect(await discountNotices(switched)).toEqual([])
})
