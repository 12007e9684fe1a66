import { Stripe } from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { declared } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { production } from '#server/testing/production.ts'
import { openStripeStandIn, type StripeStandIn } from '#server/testing/stripe-stand-in.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import type { Visitor } from '#server/testing/visitor.ts'

async function openDatabase() {
  const { url, drop } = await createTestDatabase()
  onTestFinished(drop)
  return url
}

const { PAYMENTS: _, ...productionWithoutPayments } = production
const liveEnv = {
  ...productionWithoutPayments,
  ADMIN_TWO_FACTOR: 'optional',
  SUPPORT_EMAIL: 'help@shop.example',
  SMTP_URL: 'smtp://127.0.0.1:1',
}

type Start = { databaseUrl: string; standIn: StripeStandIn; env?: Record<string, string> }
const openWith = ({ databaseUrl, standIn, env = {} }: Start) => {
  const modeEnv = standIn.env.STRIPE_SECRET_KEY.includes('_live_') ? liveEnv : {}
  return openShop({ databaseUrl, stripeAddress: standIn.address, env: { ...modeEnv, ...standIn.env, ...env } })
}

/** Starts and stops a shop. Returns the error if it did not start. */
const tryToStart = (opening: Promise<TestShop>) =>
  opening.then(
    (shop) => shop.close(),
    (error: Error) => error.message,
  )

const intent = { productSlug: reboundSigmaPro.slug, billingType: 'monthly' } as const

async function buyAt(standIn: StripeStandIn, buyer: Visitor) {
  const { clientSecret } = await buyer.call(checkout.createSubscriptionIntent, intent)
  const paymentIntentId = await standIn.pay(clientSecret)
  await expect.poll(() => buyer.callAndCheckDone(checkout.confirm, { paymentIntentId })).toBe(true)
  const [purchase] = await buyer.call(purchases.list, {})
  return purchase?.id ?? ''
}

async function sendEvent(shop: TestShop, { sdk, env }: StripeStandIn) {
  const [event] = (await sdk().events.list({ limit: 1 })).data
  const payload = JSON.stringify(event)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: env.STRIPE_WEBHOOK_SECRET })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  const { status } = await fetch(`${shop.url}/api/webhooks/stripe`, { method: 'POST', headers, body: payload })
  return status
}

test('a database belongs to the payment account of its first start, and no other account or mode starts on it', async () => {
  await using testMode = await openStripeStandIn({ mode: 'test', account: 'acct_1Test' })
  await using otherTest = await openStripeStandIn({ mode: 'test', account: 'acct_1Other' })
  await using liveMode = await openStripeStandIn({ account: 'acct_1Live' })
  await using otherLive = await openStripeStandIn({ account: 'acct_1Second' })
  const [sandboxDatabase, testDatabase, liveDatabase] = [
    await openDatabase(),
    await openDatabase(),
    await openDatabase(),
  ]
  expect(await tryToStart(openShop({ databaseUrl: sandboxDatabase }))).toBeUndefined()
  expect(await tryToStart(openShop({ databaseUrl: sandboxDatabase }))).toBeUndefined()
  expect(await tryToStart(openWith({ databaseUrl: sandboxDatabase, standIn: liveMode }))).toBe(
    'The money in this database belongs to test payments (PAYMENTS=sandbox), but the settings are for Stripe’s live mode: run `npm run go-live` to switch, or put the former settings back.',
  )
  expect(await tryToStart(openWith({ databaseUrl: testDatabase, standIn: testMode }))).toBeUndefined()
  expect(await tryToStart(openWith({ databaseUrl: testDatabase, standIn: otherTest }))).toContain(
    'belongs to Stripe’s test mode (acct_1Test), but the settings are for Stripe’s test mode (acct_1Other): run `npm run go-live`',
  )
  expect(await tryToStart(openWith({ databaseUrl: liveDatabase, standIn: liveMode }))).toBeUndefined()
  expect(await tryToStart(openWith({ databaseUrl: liveDatabase, standIn: otherLive }))).toContain(
    '(acct_1Second): run `npm run go-live`',
  )
  const putBack = 'put the live keys back, or use another database.'
  expect(await tryToStart(openWith({ databaseUrl: liveDatabase, standIn: testMode }))).toContain(putBack)
  expect(await tryToStart(openShop({ databaseUrl: liveDatabase }))).toContain(putBack)
})

test('a rolled key of the same account is accepted, and a known key needs no call to Stripe', async () => {
  await using standIn = await openStripeStandIn({ mode: 'test' })
  const databaseUrl = await openDatabase()
  const start = (env = {}) => tryToStart(openWith({ databaseUrl, standIn, env }))
  expect(await start()).toBeUndefined()
  const STRIPE_SECRET_KEY = await standIn.rollKey()
  expect(await start({ STRIPE_SECRET_KEY })).toBeUndefined()
  // The first key no longer works, but its account is known.
  expect(await start()).toBeUndefined()
  expect(await start({ STRIPE_SECRET_KEY: 'sk_test_mistyped' })).toMatch(
    /^Stripe does not accept STRIPE_SECRET_KEY: Invalid API Key provided: sk_test_\*+yped$/,
  )
})

test('a restricted key that can’t read its account is recognized by a price that the shop created', async () => {
  const restricted = { mode: 'test', prefix: 'rk', key: { without: ['rak_accounts_kyc_basic_read'] } } as const
  await using own = await openStripeStandIn(restricted)
  await using other = await openStripeStandIn(restricted)
  const databaseUrl = await openDatabase()
  expect(await tryToStart(openWith({ databaseUrl, standIn: own }))).toBeUndefined()
  const STRIPE_SECRET_KEY = await own.rollKey()
  expect(await tryToStart(openWith({ databaseUrl, standIn: own, env: { STRIPE_SECRET_KEY } }))).toBeUndefined()
  expect(await tryToStart(openWith({ databaseUrl, standIn: other }))).toBe(
    'The money in this database belongs to Stripe’s test mode, but the settings are for Stripe’s test mode: run `npm run go-live` to switch, or put the former settings back.',
  )
})

test('until the shop knows which account new keys belong to, it sells nothing and stores cancellations for later', async () => {
  await using standIn = await openStripeStandIn({ mode: 'test' })
  const databaseUrl = await openDatabase()
  const firstRun = await openWith({ databaseUrl, standIn })
  const [ada, bob] = [await firstRun.verifiedUser(), await firstRun.verifiedUser()]
  const [adasPurchaseId, bobsPurchaseId] = [await buyAt(standIn, ada), await buyAt(standIn, bob)]
  await firstRun.close()

  const STRIPE_SECRET_KEY = await standIn.rollKey()
  await standIn.sandbox.controls.failNext({ on: 'GET /v1/account', status: 500 })
  await using shop = await openWith({ databaseUrl, standIn, env: { STRIPE_SECRET_KEY } })
  expect(shop.paymentAccount.isKnown()).toBe(false)
  const [adaAgain, bobAgain, admin] = [shop.visitor(), shop.visitor(), await shop.admin()]
  await adaAgain.call(accounts.login, { email: ada.user.email, password: ada.password })
  await bobAgain.call(accounts.login, { email: bob.user.email, password: bob.password })

  const unavailable = { status: 503, code: 'payments-away' }
  const guest = shop.visitor()
  await expect(
    guest.call(checkout.createSubscriptionIntent, { ...intent, email: 'new@example.com' }),
  ).rejects.toMatchObject(unavailable)
  await expect(
    admin.call(purchasesAdmin.refund, { id: adasPurchaseId, amount: 500, refundedSoFar: 0 }),
  ).rejects.toMatchObject(unavailable)
  expect(await sendEvent(shop, standIn)).toBe(503)

  expect(await adaAgain.call(purchases.cancel, { id: adasPurchaseId })).toEqual({ isDone: false })
  expect(await adaAgain.call(purchases.cancel, { id: adasPurchaseId })).toEqual({ isDone: false })
  await bobAgain.call(declarations.withdraw, declared(bob.user.email))
  for (const { user } of [ada, bob])
    expect((await shop.mails()).filter(({ to }) => to === user.email).map(({ subject }) => subject)).toEqual([
      expect.stringContaining('received'),
    ])
  expect(await admin.call(purchasesAdmin.list, {})).toMatchObject([{ status: 'active' }, { status: 'active' }])

  await shop.paymentAccount.askAgain()
  expect(shop.paymentAccount.isKnown()).toBe(true)
  await shop.queue.runNow('carry-out-declarations')
  expect(await adaAgain.call(purchases.list, {})).toMatchObject([{ id: adasPurchaseId, status: 'pending_cancel' }])
  expect(await bobAgain.call(purchases.list, {})).toMatchObject([
    { id: bobsPurchaseId, status: 'cancelled', refundedAmount: 3900 },
  ])
  expect(await sendEvent(shop, standIn)).toBe(200)
})
