import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { isLive } from '#contract/statuses.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { lives } from '#server/testing/lives.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>
const { rowOf, chargesOf, customerOf, logIn, lookAgain } = lives(() => shop)

async function listPurchases(buyer: Buyer) {
  await logIn(buyer)
  return buyer.call(purchases.list, {})
}

test('a new plan, quantity, discount or credit in Stripe’s dashboard changes the shown amounts', async () => {
  const { dashboard } = shop.sandbox.controls
  const buyer = await shop.buyer()
  const { subscription } = await rowOf(buyer)
  await dashboard.setQuantity(subscription, 2)
  await dashboard.applyCoupon(subscription, { percent: 50, months: 3 })
  await dashboard.giveCredit(await customerOf(subscription), 1000)
  await shop.settle()
  await shop.queue.runNow('reconcile')
  expect(await listPurchases(buyer)).toMatchObject([{ amount: 7800, nextAmount: 2900, billingType: 'monthly' }])
  await shop.advance(1, 'month')
  expect(await listPurchases(buyer)).toMatchObject([{ amount: 7800, lastPaidAmount: 2900, nextAmount: 3900 }])
  const receipt = (await shop.mails()).findLast(({ to }) => to === buyer.user.email)
  expect(receipt?.text).toContain('$29.00')

  const yearlyBuyer = await shop.buyer({ billing: 'yearly' })
  const { rows: prices } = await shop.connection.db.execute<{ price: string }>(sql`
    select data->'items'->'data'->0->'price'->>'id' as price from sandbox.objects
    where id = ${(await rowOf(yearlyBuyer)).subscription}`)
  await dashboard.changePrice(subscription, prices[0]?.price ?? '')
  await shop.settle()
  // The quantity of 2 stays at the yearly price. The year counts as a first term, although the buyer is not new.
  expect(await listPurchases(buyer)).toMatchObject([{ amount: 78_000, billingType: 'yearly' }])
  expect(await buyer.call(purchases.cancellation, { id: buyer.purchase.id })).toMatchObject({ refund: 0 })
})

test('a customer’s discount at Stripe counts only if the subscription has none', async () => {
  const { dashboard } = shop.sandbox.controls
  const buyer = await shop.buyer()
  const { subscription } = await rowOf(buyer)
  await dashboard.applyCouponToCustomer(await customerOf(subscription), { percent: 10 })
  await lookAgain({ subscription })
  expect(await rowOf(buyer)).toMatchObject({ price: 3900, nextAmount: 3510 })
  await shop.advance(1, 'month')
  expect(await rowOf(buyer)).toMatchObject({ lastPaidAmount: 3510, nextAmount: 3510 })
  await dashboard.applyCoupon(subscription, { percent: 50 })
  await shop.settle()
  expect(await rowOf(buyer)).toMatchObject({ nextAmount: 1950 })
})

test('a refunded small charge does not end a subscription whose period is paid', async () => {
  const buyer = await shop.buyer()
  const { subscription } = await rowOf(buyer)
  await shop.sandbox.controls.dashboard.setQuantity(subscription, 2)
  await shop.settle()
  const smallCharge = (await chargesOf(await customerOf(subscription))).at(-1)
  await shop.sandbox.controls.refund(smallCharge?.intent ?? '')
  await shop.settle()
  expect(await listPurchases(buyer)).toMatchObject([{ status: 'active', refundedAmount: smallCharge?.amount }])
})

test('a refund of the year ends the subscription, even if the switch came in the same second as the first payment', async () => {
  const buyer = await shop.buyer()
  await logIn(buyer)
  const { at, due } = await buyer.call(purchases.switchOffer, { id: buyer.purchase.id })
  await buyer.call(purchases.switch, { id: buyer.purchase.id, at, amount: due })
  const { subscription } = await rowOf(buyer)
  const [yearInvoice, monthInvoice] = await atStripe(shop).invoicesOf(subscription)
  const lines = yearInvoice?.lines as { data: { period: { start: number } }[] }
  const yearStartsAt = lines.data.at(-1)?.period.start
  // Moves the start of the month to the same second.
  await shop.connection.db.execute(sql`
    update sandbox.objects set data = jsonb_set(data, '{lines,data,0,period,start}', ${String(yearStartsAt)}::jsonb)
    where id = ${monthInvoice?.id}`)
  await shop.sandbox.controls.refund((await chargesOf(await customerOf(subscription))).at(-1)?.intent ?? '')
  await shop.settle()
  expect(await rowOf(buyer)).toMatchObject({ status: 'cancelled', endedBecause: 'refunded' })
})

test('a prevented dispute counts as lost, and an appeal does not change that', async () => {
  const { controls } = shop.sandbox
  const [prevented, appealed] = [await shop.buyer(), await shop.buyer()]
  const preventedDispute = await controls.openDispute(prevented.purchase.paymentIntentId ?? '')
  await controls.closeDispute(preventedDispute.id, 'prevented')
  const appealedDispute = await controls.openDispute(appealed.purchase.paymentIntentId ?? '')
  await controls.closeDispute(appealedDispute.id, 'lost')
  await controls.dashboard.moveDispute(appealedDispute.id, 'appeal_needs_response')
  await shop.settle()
  for (const buyer of [prevented, appealed])
    expect(await listPurchases(buyer)).toMatchObject([{ status: 'cancelled', endedBecause: 'disputed' }])
})

test('a subscription with an end beyond the paid period renews until then', async () => {
  const buyer = await shop.buyer()
  const { subscription, currentPeriodEnd } = await rowOf(buyer)
  const endAfterNextMonth = Math.floor((currentPeriodEnd?.getTime() ?? 0) / 1000) + 40 * 86_400
  await shop.connection.db.execute(
    sql`update sandbox.objects set data = data || ${JSON.stringify({ cancel_at: endAfterNextMonth })}::jsonb where id = ${subscription}`,
  )
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  expect(await rowOf(buyer)).toMatchObject({ status: 'active', nextAmount: 3900 })
  await shop.advance(1, 'month')
  expect(await rowOf(buyer)).toMatchObject({ status: 'pending_cancel', nextAmount: null })
})

test('a paused subscription gives no access until it resumes, and then is a duplicate if its owner has another', async () => {
  const { controls } = shop.sandbox
  const buyer = await shop.buyer()
  await shop.confirm(buyer)
  const { subscription } = await rowOf(buyer)
  const readMails = async () =>
    (await shop.mails())
      .filter(({ to }) => to === buyer.user.email)
      .map(({ text }) => text)
      .join()
  await controls.pause(subscription)
  await shop.settle()
  expect(await listPurchases(buyer)).toMatchObject([{ status: 'paused', nextAmount: null }])
  expect(await readMails()).toContain('nothing will be charged, and you have no access')
  await expect(buyer.call(privatePackage.show, {})).rejects.toMatchObject({ status: 403 })
  await expect(shop.begin(buyer)).rejects.toMatchObject({ status: 409 })
  await controls.dashboard.unpause(subscription)
  await shop.settle()
  expect(await listPurchases(buyer)).toMatchObject([{ status: 'active' }])
  expect(await readMails()).toContain('Your pause is over')
  expect(await buyer.call(privatePackage.show, {})).toBeDefined()

  await controls.pause(subscription)
  await shop.settle()
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.add, {
    userId: buyer.user.id,
    productId: reboundSigmaPro.id,
    billingType: 'monthly',
    amount: 0,
    status: 'active',
  })
  await shop.advance(1, 'hour')
  await controls.dashboard.unpause(subscription)
  await shop.settle()
  await shop.settle()
  // Only the charge after the pause is refunded.
  expect(await rowOf(buyer)).toMatchObject({ endedBecause: 'duplicate', refundedAmount: 3900 })
  expect((await listPurchases(buyer)).filter(({ status }) => isLive(status))).toHaveLength(1)
})
