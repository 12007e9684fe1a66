import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

const logLines: string[] = []
let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ log: pino({ level: 'warn' }, { write: (line: string) => void logLines.push(line) }) })
})
afterEach(() => shop.sandbox.controls.behaveAsUsual())
afterAll(() => shop.close())

const statusOf = async (buyer: Awaited<ReturnType<TestShop['buyer']>>) =>
  (await buyer.call(purchases.list, {}))[0]?.status

test('with an expired Stripe key, calls fail with 502 and a message, the buyer stays logged in, and the log says so', async () => {
  const buyer = await shop.buyer()
  await shop.sandbox.controls.behave({ key: 'expired' })
  await expect(buyer.call(purchases.cancel, { id: buyer.purchase.id })).rejects.toMatchObject({
    status: 502,
    serverMessage: expect.stringContaining('our payment service'),
  })
  expect(await buyer.call(accounts.user, {})).toMatchObject({ email: buyer.user.email })
  const logLine = logLines.find((line) => line.includes('Stripe did not do what the shop asked for'))
  expect(logLine).toMatch(/"requestId":"req_/)
  const metrics = await (await fetch(`${shop.url}/metrics`)).text()
  expect(metrics).toMatch(/shop_stripe_faults_total\{[^}]*StripeAuthenticationError[^}]*\} \d/)
})

test('Stripe’s rate limit becomes a 503 with a time to retry', async () => {
  const buyer = await shop.buyer()
  await shop.sandbox.controls.failNext({ on: 'POST /v1/subscriptions', status: 429 })
  await expect(buyer.call(purchases.cancel, { id: buyer.purchase.id })).rejects.toMatchObject({
    status: 503,
    retryAfterSeconds: expect.any(Number),
  })
})

test.each([false, true])(
  'a stored failure at Stripe blocks neither cancelling nor resuming (executed despite the error: %s)',
  async (done) => {
    const buyer = await shop.buyer()
    const { id } = buyer.purchase
    await shop.sandbox.controls.failNext({ on: 'POST /v1/subscriptions', status: 500, done })
    await buyer.call(purchases.cancel, { id })
    expect(await statusOf(buyer)).toBe('pending_cancel')
    await shop.sandbox.controls.failNext({ on: 'POST /v1/subscriptions', status: 500, done })
    await buyer.call(purchases.resume, { id })
    expect(await statusOf(buyer)).toBe('active')
  },
)

test('a refund can be repeated after the bank returned the first one', async () => {
  const buyer = await shop.buyer({ card: 'pm_card_refundFail' })
  const { id } = buyer.purchase
  const refund = async () => (await shop.admin()).call(purchasesAdmin.refund, { id, amount: 1000, refundedSoFar: 0 })
  await refund()
  await shop.advance(2, 'day')
  await shop.settle()
  expect((await buyer.call(purchases.list, {}))[0]).toMatchObject({ refundedAmount: 0 })
  await refund()
  expect((await buyer.call(purchases.list, {}))[0]).toMatchObject({ refundedAmount: 1000 })
})

test('a cancellation in Stripe’s own portal, which sets only a date, can be undone', async () => {
  const buyer = await shop.buyer()
  const { rows } = await shop.connection.pool.query<{ id: string }>(
    'select stripe_subscription_id as id from purchases where id = $1',
    [buyer.purchase.id],
  )
  await shop.sandbox.controls.cancelInPortal(rows[0]?.id ?? '')
  await shop.settle()
  expect(await statusOf(buyer)).toBe('pending_cancel')
  await buyer.call(purchases.resume, { id: buyer.purchase.id })
  expect(await statusOf(buyer)).toBe('active')
})
