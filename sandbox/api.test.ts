import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

test('requests with the same idempotency key and parameters are executed once, even at the same moment', async () => {
  const { stripe } = await openTestSandbox()
  const create = () => stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'once' })
  const customers = await Promise.all(Array.from({ length: 8 }, create))
  expect(new Set(customers.map((customer) => customer.id)).size).toBe(1)
  expect((await stripe.customers.list()).data).toHaveLength(1)
  const replayed = customers.filter((customer) => customer.lastResponse.headers['idempotent-replayed'] === 'true')
  expect(replayed).toHaveLength(7)
})

test('the same idempotency key with different parameters is refused', async () => {
  const { stripe } = await openTestSandbox()
  await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'once' })
  await expect(stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'once' })).rejects.toBeInstanceOf(
    Stripe.errors.StripeIdempotencyError,
  )
})

test('a refusal is replayed for its idempotency key, but a request with an invalid parameter may be corrected', async () => {
  const { stripe, checkout } = await openTestSandbox()
  const { intent } = await checkout()
  const decline = () =>
    stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa_chargeDeclined' }, { idempotencyKey: 'pay' })
  await expect(decline()).rejects.toMatchObject({ code: 'card_declined' })
  await expect(decline()).rejects.toMatchObject({ code: 'card_declined' })
  expect((await stripe.charges.list({ payment_intent: intent })).data).toHaveLength(1)

  const createPrice = () =>
    stripe.prices.create({ currency: 'usd', unit_amount: 1, product: 'prod_later' }, { idempotencyKey: 'p' })
  await expect(createPrice()).rejects.toMatchObject({ code: 'resource_missing' })
  await stripe.products.create({ id: 'prod_later', name: 'Later' })
  await expect(createPrice()).rejects.toMatchObject({
    code: 'resource_missing',
    headers: { 'idempotent-replayed': 'true' },
  })

  const createCustomer = (params: object) => stripe.customers.create(params, { idempotencyKey: 'c' })
  await expect(createCustomer({ nonsense: 'x' })).rejects.toMatchObject({ code: 'parameter_unknown' })
  expect(await createCustomer({ email: 'a@example.com' })).toMatchObject({ email: 'a@example.com' })
})

test.for([
  ['an unknown parameter', { nonsense: 'x' }, 'parameter_unknown', 'nonsense'],
  [
    'an unknown nested parameter',
    { customer: 'cus_x', 'items[0][price]': 'price_x', 'items[0][colour]': 'x' },
    'parameter_unknown',
    'items[0][colour]',
  ],
  ['a missing parameter', {}, 'parameter_missing', 'customer'],
] as const)('%s is refused by name', async ([, fields, code, param]) => {
  const { sandbox } = await openTestSandbox()
  const { host, port } = sandbox.api
  const response = await fetch(`http://${host}:${port}/v1/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.secretKey}` },
    body: new URLSearchParams(fields),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code, param } })
})

test('every refusal carries an error object: unknown path, unknown id, no key, wrong key, null byte, huge body', async () => {
  const { sandbox } = await openTestSandbox()
  const { host, port } = sandbox.api
  const call = async (path: string, init: RequestInit = {}, key = sandbox.secretKey) => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`http://${host}:${port}${path}`, { headers, ...init })
    const { error }: { error?: { message?: string } } = await response.json()
    expect(error?.message).toBeTypeOf('string')
    return response.status
  }
  expect(await call('/v1/nonsense')).toBe(404)
  expect(await call('/v1/customers/cus_none')).toBe(404)
  expect(await call('/v1/customers/%00')).toBe(404)
  expect(await call('/v1/customers', { headers: {} })).toBe(401)
  expect(await call('/v1/customers', {}, 'sk_test_wrong')).toBe(401)
  expect(await call('/v1/customers', { method: 'POST', body: 'email=a%00b' })).toBe(400)
  expect(await call('/v1/customers', { method: 'POST', body: 'a'.repeat(300_000) })).toBe(413)
  expect(await call('/v1/customers', { method: 'POST', body: 'email=2&email[a]=1' })).toBe(400)
})

test('the publishable key opens an intent with its secret, and nothing else', async () => {
  const { sandbox, publicUrl, checkout } = await openTestSandbox()
  const { intent, clientSecret } = await checkout()
  const get = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(`${publicUrl}/_sandbox/v1/${path}?${new URLSearchParams(fields)}`)
    return { status: response.status, body: await response.json() }
  }
  const key = sandbox.publishableKey
  const intentResponse = await get(`payment_intents/${intent}`, { key, client_secret: clientSecret })
  expect(intentResponse.body).toMatchObject({ id: intent, amount: 3900 })
  expect(intentResponse.body).not.toHaveProperty('customer')
  expect(intentResponse.body).not.toHaveProperty('metadata')
  expect((await get(`payment_intents/${intent}`, { key })).status).toBe(400)
  expect((await get(`payment_intents/${intent}`, { key, client_secret: 'guess' })).status).toBe(400)
  expect((await get('customers', { key })).status).toBe(401)
  expect((await get('customers', { key: sandbox.secretKey })).status).toBe(401)
})

test('lists are paged by cursors, newest first', async () => {
  const { stripe } = await openTestSandbox()
  const createdIds: string[] = []
  for (let index = 0; index < 7; index++) createdIds.push((await stripe.customers.create()).id)
  const newestFirst = createdIds.toReversed()
  const customers = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 })
  expect(customers.map((customer) => customer.id)).toEqual(newestFirst)
  await expect(stripe.customers.list({ starting_after: 'cus_none' })).rejects.toMatchObject({
    code: 'resource_missing',
  })
})

test('expand reaches through lists and relations, and refuses anything that is not a relation', async () => {
  const { stripe, buy } = await openTestSandbox()
  const { intent, subscription, invoice } = await buy()
  const payments = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: intent },
    expand: ['data.invoice'],
  })
  const [payment] = payments.data
  expect(payment?.invoice).toMatchObject({
    id: invoice.id,
    parent: { subscription_details: { subscription: subscription.id } },
  })
  const expanded = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ['latest_invoice.payments', 'items.data.price.product', 'default_payment_method'],
  })
  expect(expanded).toMatchObject({
    latest_invoice: { payments: { data: [{ status: 'paid' }] } },
    items: { data: [{ price: { product: { name: 'Rebound Sigma Pro' } } }] },
    default_payment_method: { card: { last4: '4242' } },
  })
  await expect(stripe.subscriptions.retrieve(subscription.id, { expand: ['status'] })).rejects.toThrow(
    'cannot be expanded',
  )
  await expect(stripe.subscriptions.retrieve(subscription.id, { expand: ['nonsense'] })).rejects.toThrow(
    'cannot be expanded',
  )
})

test('a lookup key finds its price and belongs to only one price', async () => {
  const { stripe } = await openTestSandbox()
  const product = await stripe.products.create({ name: 'Rebound Sigma Pro' })
  const createMonthly = (transfer = false) =>
    stripe.prices.create({
      currency: 'usd',
      lookup_key: 'rebound-sigma-pro-monthly',
      product: product.id,
      recurring: { interval: 'month' },
      transfer_lookup_key: transfer,
      unit_amount: 3900,
    })
  const firstPrice = await createMonthly()
  await stripe.prices.create({ currency: 'usd', lookup_key: 'another', product: product.id, unit_amount: 1 })
  const find = async () => (await stripe.prices.list({ lookup_keys: ['rebound-sigma-pro-monthly'] })).data
  expect(await find()).toMatchObject([{ id: firstPrice.id, unit_amount: 3900 }])
  await expect(createMonthly()).rejects.toThrow('already uses that lookup key')
  const secondPrice = await createMonthly(true)
  expect(await find()).toMatchObject([{ id: secondPrice.id }])
})

test('customers keep the fields a request leaves out, and clear the ones it empties; an address is replaced as a whole', async () => {
  const { stripe } = await openTestSandbox()
  const { id } = await stripe.customers.create({
    address: { city: 'Solothurn', country: 'CH' },
    email: 'a@example.com',
    metadata: { a: '1', b: '2' },
    name: 'A',
  })
  const changed = await stripe.customers.update(id, {
    address: { line1: 'Hauptgasse 1' },
    metadata: { a: '', c: '3' },
    name: '',
  })
  expect(changed).toMatchObject({
    address: { city: null, country: null, line1: 'Hauptgasse 1' },
    email: 'a@example.com',
    name: null,
  })
  expect(changed.metadata).toEqual({ b: '2', c: '3' })
})
