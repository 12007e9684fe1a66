import { readFileSync } from 'node:fs'
import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { defaultQuirks } from './quirks.ts'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

/** Rows of the table in README.md: each quirk, its controls and its page in Stripe's documentation. */
const readmeLines = readFileSync(new URL('README.md', import.meta.url), 'utf8').split('\n')
const documented = readmeLines
  .filter((line) => line.includes('](https://docs.stripe.com/') && line.startsWith('|'))
  .map((line) => {
    const [, stripe = '', inTests = '', onPage = ''] = line.split('|').map((cell) => cell.trim())
    return { stripe, inTests, onPage }
  })

test('every quirk is in the README, with its control, its switch on the page and Stripe’s own page about it', async () => {
  const { stripe, buy, publicUrl, sandbox } = await openTestSandbox()
  const { intent } = await buy()
  await stripe.refunds.create({ payment_intent: intent, amount: 100 })
  const page = await (await fetch(`${publicUrl}/_sandbox/`)).text()
  expect(documented.filter(({ onPage }) => !page.includes(`>${onPage}`))).toEqual([])
  const documentedNames = new Set(documented.flatMap(({ inTests }) => inTests.match(/\w+/g) ?? []))
  const { webhooks, dashboard: _, ...controls } = sandbox.controls
  const names = [controls, defaultQuirks, webhooks].flatMap((each) => Object.keys(each))
  const noQuirks = new Set([
    'behave',
    'behaveAsUsual',
    'now',
    'after',
    'seed',
    'faults',
    'openDispute',
    'closeDispute',
    'authenticate',
    'stopBilling',
    'account',
  ])
  expect(names.filter((each) => !documentedNames.has(each) && !noQuirks.has(each))).toEqual([])
})

test('after a payment, the invoice stays open and the subscription incomplete for a while', async () => {
  const { stripe, checkout, sandbox } = await openTestSandbox()
  await sandbox.controls.behave({ lag: { from: 600, to: 1200 } })
  const { intent, subscription, invoice } = await checkout()
  const paid = await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
  expect(paid.status).toBe('succeeded')
  const readStates = async () => [
    (await stripe.invoices.retrieve(invoice.id)).status,
    (await stripe.subscriptions.retrieve(subscription.id)).status,
  ]
  expect(await readStates()).toEqual(['open', 'incomplete'])
  await sandbox.controls.advance(5, 'minute')
  expect(await readStates()).toEqual(['open', 'incomplete'])
  await sandbox.controls.advance(20, 'minute')
  expect(await readStates()).toEqual(['paid', 'active'])
})

test('by default, a payment takes a moment, and events arrive twice and out of order', async () => {
  const { stripe, checkout, events, received } = await openTestSandbox({})
  const { intent, subscription } = await checkout()
  for (let count = 0; count < 20; count++) await stripe.customers.create()
  await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
  const readStatus = async () => (await stripe.subscriptions.retrieve(subscription.id)).status
  expect(await readStatus()).toBe('incomplete')
  await expect.poll(readStatus).toBe('active')
  const createdIds = (await stripe.events.list({ limit: 100 })).data.map(({ id }) => id).toReversed()
  await expect.poll(() => events).toHaveLength(createdIds.length)
  expect(events.map(({ id }) => id)).not.toEqual(createdIds)
  await expect.poll(() => received.length).toBeGreaterThan(createdIds.length)
})

test('while a payment is in progress, its invoice cannot be paid again, voided or cancelled as unpaid', async () => {
  const { stripe, pay } = await openTestSandbox()
  const cancelled = await pay()
  expect((await stripe.subscriptions.cancel(cancelled.subscription.id)).status).toBe('canceled')
  const { invoice } = await pay()
  await expect(stripe.invoices.pay(invoice.id, { payment_method: 'pm_card_visa' })).rejects.toMatchObject({
    code: 'payment_intent_unexpected_state',
  })
  expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('open')
  await expect(stripe.invoices.voidInvoice(invoice.id)).rejects.toThrow('This invoice is paid.')
})

test('a payment in progress after 23 hours keeps the subscription from expiring', async () => {
  const { stripe, pay, sandbox } = await openTestSandbox({ lag: { from: 86_400, to: 86_400 } })
  const { subscription } = await pay()
  await sandbox.controls.advance(23, 'hour')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
})

test('the same seed brings the same lags and the same order of webhooks', async () => {
  async function run(seed: number) {
    const { pay, database, sandbox } = await openTestSandbox()
    await sandbox.controls.behave({ seed, lag: { from: 0, to: 1e8 }, spread: 1e6, duplicates: 0.3 })
    await pay()
    const lags = await database.query<{ lag: string }>(
      `select round((due_at - (data->>'created')::int)::numeric / 1e6) as lag
        from sandbox.objects where kind = 'payment_intent'`,
    )
    const events = await database.query<{ type: string }>(
      'select type from sandbox.deliveries join sandbox.events on events.id = event order by next_at',
    )
    return [...lags.rows.map(({ lag }) => lag), ...events.rows.map(({ type }) => type)]
  }
  const firstRun = await run(7)
  const sameSeed = await run(7)
  const otherSeed = await run(8)
  expect(sameSeed).toEqual(firstRun)
  expect(otherSeed).not.toEqual(firstRun)
})

test('a 500 is repeated for its idempotency key, whether or not the request took effect', async () => {
  const { stripe, sandbox, events } = await openTestSandbox()
  const create = (idempotencyKey: string) => stripe.customers.create({ name: idempotencyKey }, { idempotencyKey })
  await sandbox.controls.failNext(
    { on: 'POST /v1/customers', status: 500 },
    { on: 'POST /v1/customers', status: 500, done: true },
  )
  for (const key of ['not done', 'done']) {
    await expect(create(key)).rejects.toBeInstanceOf(Stripe.errors.StripeAPIError)
    await expect(create(key)).rejects.toMatchObject({
      statusCode: 500,
      headers: { 'idempotent-replayed': 'true', 'stripe-should-retry': 'false' },
    })
  }
  const listNames = async () => (await stripe.customers.list()).data.map(({ name }) => name)
  expect(await listNames()).toEqual(['done'])
  await create('another key')
  expect(await listNames()).toEqual(['another key', 'done'])
  await sandbox.controls.webhooks.flush()
  expect(events.map(({ type }) => type)).toEqual(['customer.created', 'customer.created'])
})

test('the SDK retries a 500 only if it is not stored under an idempotency key', async () => {
  const { sandbox } = await openTestSandbox()
  const stripe = new Stripe(sandbox.secretKey, { ...sandbox.api, maxNetworkRetries: 1, telemetry: false })
  await sandbox.controls.failNext({ status: 500 })
  await expect(stripe.customers.create()).rejects.toMatchObject({ statusCode: 500 })
  await sandbox.controls.failNext({ status: 500 })
  expect((await stripe.customers.list()).data).toEqual([])
})

test('a 429 is not stored under the idempotency key, and Stripe may say whether to retry', async () => {
  const { sandbox } = await openTestSandbox()
  const stripe = new Stripe(sandbox.secretKey, { ...sandbox.api, maxNetworkRetries: 1, telemetry: false })
  const create = () => stripe.customers.create({}, { idempotencyKey: 'a' })
  for (const fault of [{ status: 429 }, { status: 429, shouldRetry: false }] as const) {
    await sandbox.controls.failNext(fault)
    await expect(create()).rejects.toMatchObject({ statusCode: 429, code: 'rate_limit' })
  }
  await sandbox.controls.failNext({ status: 429, shouldRetry: true })
  expect((await create()).object).toBe('customer')
})

test('a share of all writes can fail until the setting changes', async () => {
  const { stripe, sandbox } = await openTestSandbox()
  await sandbox.controls.behave({ failing: 0.5 })
  const attempts = await Promise.allSettled(Array.from({ length: 30 }, () => stripe.customers.create()))
  await sandbox.controls.behave({ failing: 0 })
  const succeeded = attempts.filter(({ status }) => status === 'fulfilled').length
  const { data } = await stripe.customers.list({ limit: 100 })
  expect(succeeded).toBeGreaterThan(0)
  expect(succeeded).toBeLessThan(data.length)
  expect(data.length).toBeLessThan(30)
})

test('a key can be rolled, or lack permissions', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { customer, intent } = await buy()
  await sandbox.controls.behave({ key: 'expired' })
  await expect(stripe.customers.retrieve(customer.id)).rejects.toMatchObject({
    statusCode: 401,
    code: 'api_key_expired',
  })
  await sandbox.controls.behave({ key: { without: ['rak_charge_write'] } })
  await expect(stripe.refunds.create({ payment_intent: intent })).rejects.toMatchObject({
    statusCode: 403,
    message: expect.stringContaining("Having the 'rak_charge_write' permission"),
  })
  expect((await stripe.charges.list()).data).toHaveLength(1)
})

test('the customer portal sets only `cancel_at`, and only clearing `cancel_at` withdraws the cancellation', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { subscription } = await buy()
  await sandbox.controls.cancelInPortal(subscription.id)
  const end = subscription.items.data[0]?.current_period_end
  const scheduledEnd = { cancel_at: end, cancel_at_period_end: false }
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject(scheduledEnd)
  expect(await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })).toMatchObject(
    scheduledEnd,
  )
  await expect(
    stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false, cancel_at: '' }),
  ).rejects.toMatchObject({ code: 'parameters_exclusive' })
  expect(await stripe.subscriptions.update(subscription.id, { cancel_at: '' })).toMatchObject({
    cancel_at: null,
    canceled_at: null,
  })
  await sandbox.controls.cancelInPortal(subscription.id)
  await sandbox.controls.advance(1, 'month')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled')
})

test('a paused subscription has not ended, but does not renew', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { subscription } = await buy()
  await sandbox.controls.pause(subscription.id)
  await sandbox.controls.advance(2, 'month')
  expect((await stripe.subscriptions.list({ status: 'paused' })).data).toHaveLength(1)
  expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1)
})

test('a refund that the bank returns fails a day later; a pending refund succeeds a day later', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const refund = async (card: string) => {
    const { intent } = await buy(card)
    return stripe.refunds.create({ payment_intent: intent })
  }
  const failing = await refund('pm_card_refundFail')
  const waiting = await refund('pm_card_pendingRefund')
  expect([failing.status, waiting.status]).toEqual(['succeeded', 'pending'])
  await sandbox.controls.advance(2, 'day')
  expect((await stripe.refunds.retrieve(failing.id)).status).toBe('failed')
  expect((await stripe.refunds.retrieve(waiting.id)).status).toBe('succeeded')
  expect((await stripe.charges.retrieve(failing.charge as string)).amount_refunded).toBe(0)
})

test('an archived price keeps its lookup key until another one takes it over', async () => {
  const { stripe, sandbox, price } = await openTestSandbox()
  const archived = await stripe.prices.update((await price()).id, { lookup_key: 'monthly' })
  await sandbox.controls.archivePrice(archived.id)
  const byKey = async (filter: Stripe.PriceListParams = {}) =>
    (await stripe.prices.list({ lookup_keys: ['monthly'], ...filter })).data.map(({ id }) => id)
  expect(await byKey()).toEqual([archived.id])
  expect(await byKey({ active: true })).toEqual([])
  const priceInput: Stripe.PriceCreateParams = {
    currency: 'usd',
    unit_amount: 4900,
    recurring: { interval: 'month' },
    product: archived.product as string,
    lookup_key: 'monthly',
  }
  await expect(stripe.prices.create(priceInput)).rejects.toThrow('already uses that lookup key')
  const newPrice = await stripe.prices.create({ ...priceInput, transfer_lookup_key: true })
  expect(await byKey()).toEqual([newPrice.id])
})

test('a failed renewal is tried again eight times in two weeks; then Stripe does what the seller has set', async () => {
  for (const afterRetries of ['cancel', 'unpaid', 'past_due'] as const) {
    const { stripe, buyAndFail, sandbox, events } = await openTestSandbox()
    await sandbox.controls.behave({ afterRetries })
    const { subscription } = await buyAndFail()
    await sandbox.controls.advance(1, 'month')
    await sandbox.controls.advance(15, 'day')
    const { status } = await stripe.subscriptions.retrieve(subscription.id)
    expect(status).toBe(afterRetries === 'cancel' ? 'canceled' : afterRetries)
    await sandbox.controls.webhooks.flush()
    const failures = events.filter(({ type }) => type === 'invoice.payment_failed')
    const retryTimes = failures.map(({ data }) => (data.object as Stripe.Invoice).next_payment_attempt)
    expect(retryTimes).toHaveLength(1 + 8)
    expect(retryTimes.filter((at) => at === null)).toHaveLength(1)
  }
})
