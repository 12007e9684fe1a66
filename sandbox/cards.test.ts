import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

type Sandbox = Awaited<ReturnType<typeof openTestSandbox>>

async function typeCard(shop: Sandbox, clientSecret: string, number: string, fields: Record<string, string> = {}) {
  const [intent = ''] = clientSecret.split('_secret_')
  const kind = intent.startsWith('seti_') ? 'setup_intents' : 'payment_intents'
  const response = await fetch(`${shop.publicUrl}/_sandbox/v1/${kind}/${intent}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({
      key: shop.sandbox.publishableKey,
      client_secret: clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': number,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2040',
      'payment_method_data[card][cvc]': '123',
      ...fields,
    }),
  })
  return { status: response.status, body: await response.json() }
}

test.for([
  ['4242 4242 4242 4242', 'visa'],
  ['5555-5555-5555-4444', 'mastercard'],
])('%s pays, as a %s card', async ([number = '', brand]) => {
  const shop = await openTestSandbox()
  const { clientSecret, intent } = await shop.checkout()
  const { status, body } = await typeCard(shop, clientSecret, number)
  expect([status, body.status]).toEqual([200, 'succeeded'])
  const paid = await shop.stripe.paymentIntents.retrieve(intent, { expand: ['payment_method'] })
  expect(paid.payment_method).toMatchObject({ card: { brand, last4: number.slice(-4), exp_year: 2040 } })
})

test.for([
  ['4000000000000002', 'card_declined', 'generic_decline', 'Your card was declined.'],
  ['4000000000009995', 'card_declined', 'insufficient_funds', 'Your card has insufficient funds.'],
  ['4000000000000069', 'expired_card', undefined, 'Your card has expired.'],
  ['4000000000000127', 'incorrect_cvc', undefined, "Your card's security code is incorrect."],
])('%s is declined: %s, %s', async ([number = '', code, decline_code, message]) => {
  const shop = await openTestSandbox()
  const { clientSecret, intent, subscription } = await shop.checkout()
  const { status, body } = await typeCard(shop, clientSecret, number)
  expect(status).toBe(402)
  expect(body.error).toMatchObject({ type: 'card_error', code, message, payment_intent: { id: intent } })
  expect(body.error.decline_code).toBe(decline_code)
  const after = await shop.stripe.paymentIntents.retrieve(intent, { expand: ['latest_charge'] })
  expect(after).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code, message },
    latest_charge: { status: 'failed', paid: false, failure_code: code },
  })

  const secondTry = await typeCard(shop, clientSecret, '4242424242424242')
  expect(secondTry.body.status).toBe('succeeded')
  await shop.sandbox.controls.settle()
  expect((await shop.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
})

test('a real card is refused before any attempt to charge it', async () => {
  const shop = await openTestSandbox()
  const { clientSecret, intent } = await shop.checkout()
  const { status, body } = await typeCard(shop, clientSecret, '4539578763621486')
  expect([status, body.error.code]).toEqual([402, 'card_declined'])
  expect((await shop.stripe.charges.list({ payment_intent: intent })).data).toEqual([])
  const { rows } = await shop.database.query(`select count(*)::int from sandbox.objects where kind = 'payment_method'`)
  expect(rows).toEqual([{ count: 0 }])
})

test('no table contains a card number', async () => {
  const shop = await openTestSandbox()
  const { clientSecret } = await shop.checkout()
  await typeCard(shop, clientSecret, '4242424242424242')
  const { rows } = await shop.database.query(
    `select 1 from sandbox.objects where data::text like '%4242424242424242%'
      union all select 1 from sandbox.events where data::text like '%4242424242424242%'`,
  )
  expect(rows).toEqual([])
})

test('a 3-D Secure payment waits for the bank, fails if it refuses and succeeds if it approves', async () => {
  const shop = await openTestSandbox()
  const { clientSecret, intent, subscription } = await shop.checkout()
  const confirmation = await typeCard(shop, clientSecret, '4000002760003184')
  expect(confirmation.body).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } })

  expect(await shop.sandbox.controls.authenticate(intent, 'fail')).toEqual({ succeeded: false })
  const failed = await shop.stripe.paymentIntents.retrieve(intent)
  expect(failed).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code: 'payment_intent_authentication_failure' },
  })

  await typeCard(shop, clientSecret, '4000002760003184')
  expect(await shop.sandbox.controls.authenticate(intent, 'complete')).toEqual({ succeeded: true })
  await shop.sandbox.controls.settle()
  expect((await shop.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
  await expect(shop.sandbox.controls.authenticate(intent, 'complete')).rejects.toThrow('not waiting')
})

test('a setup intent stores a card, which then pays the open invoice', async () => {
  const shop = await openTestSandbox()
  const { stripe, sandbox } = shop
  const { customer, subscription } = await shop.buyAndFail()
  await sandbox.controls.advance(1, 'month')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due')

  const setup = await stripe.setupIntents.create({ customer: customer.id })
  const refused = await typeCard(shop, setup.client_secret ?? '', '4000000000000002')
  expect(refused.body.error.setup_intent).toMatchObject({ status: 'requires_payment_method' })
  const { body } = await typeCard(shop, setup.client_secret ?? '', '4242424242424242')
  expect(body.status).toBe('succeeded')
  const stored = await stripe.paymentMethods.list({ customer: customer.id })
  expect(stored.data.map((method) => method.id)).toContain(body.payment_method)

  await stripe.subscriptions.update(subscription.id, { default_payment_method: body.payment_method })
  const open = await stripe.invoices.list({ subscription: subscription.id, status: 'open' })
  const paid = await stripe.invoices.pay(open.data[0]?.id ?? '')
  expect(paid.status).toBe('paid')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
  await expect(stripe.invoices.pay(paid.id)).rejects.toMatchObject({
    message: 'Invoice is already paid',
    code: undefined,
  })
})

test('one customer’s card can neither pay for nor be taken by another', async () => {
  const { stripe, buy, checkout } = await openTestSandbox()
  const { intent } = await buy()
  const { payment_method: method } = await stripe.paymentIntents.retrieve(intent)
  const otherBuyer = await checkout()
  const id = method as string
  await expect(stripe.paymentIntents.confirm(otherBuyer.intent, { payment_method: id })).rejects.toThrow(
    'another customer',
  )
  await expect(stripe.paymentMethods.attach(id, { customer: otherBuyer.customer.id })).rejects.toThrow(
    'already been attached',
  )
  await expect(stripe.subscriptions.update(otherBuyer.subscription.id, { default_payment_method: id })).rejects.toThrow(
    'must be attached',
  )
})
