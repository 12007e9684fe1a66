import { createHmac } from 'node:crypto'
import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openSandbox } from './sandbox.ts'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

/** The webhook receiver of the tests verifies every signature with the SDK before it records an event. */
test('events arrive without a flush, signed the way Stripe signs', async () => {
  const { stripe, events } = await openTestSandbox()
  const { id } = await stripe.customers.create({ email: 'a@example.com' })
  await expect.poll(() => events).toHaveLength(1)
  expect(events[0]).toMatchObject({
    object: 'event',
    type: 'customer.created',
    api_version: Stripe.API_VERSION,
    data: { object: { id, email: 'a@example.com' } },
    request: { id: expect.stringMatching(/^req_/), idempotency_key: expect.any(String) },
  })
  expect(await stripe.events.retrieve(events[0]?.id ?? '')).toEqual(events[0])
})

test('an altered body fails the signature check', async () => {
  const { database, stripe } = await openTestSandbox()
  await stripe.customers.create()
  const { rows } = await database.query<{ data: object }>('select data from sandbox.events')
  const body = JSON.stringify(rows[0]?.data)
  const time = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', 'whsec_test').update(`${time}.${body}`).digest('hex')
  const header = `t=${time},v1=${digest}`
  expect(Stripe.webhooks.constructEvent(body, header, 'whsec_test').type).toBe('customer.created')
  expect(() => Stripe.webhooks.constructEvent(body.replace('customer', 'invoice'), header, 'whsec_test')).toThrow(
    'signature',
  )
})

test('an event that the shop does not accept is sent again until it does', async () => {
  const { stripe, received, shop, database, sandbox } = await openTestSandbox()
  await sandbox.controls.webhooks.behave({ duplicates: 0 })
  shop.answers = 500
  await stripe.customers.create()
  await expect.poll(() => received).toHaveLength(1)
  shop.answers = 200
  await expect.poll(() => received).toHaveLength(2)
  expect(received[0]).toEqual(received[1])
  const deliveries = () => database.query('select attempts, next_at from sandbox.deliveries')
  await expect.poll(async () => (await deliveries()).rows).toEqual([{ attempts: 2, next_at: null }])
})

test('webhooks can arrive twice, late, out of order or never', async () => {
  const { stripe, received: events, sandbox } = await openTestSandbox()
  const { behave, flush } = sandbox.controls.webhooks
  await behave({ duplicates: 1 })
  await stripe.customers.create()
  await flush()
  expect(events.map((event) => event.id)).toEqual([events[0]?.id, events[0]?.id])

  await behave({ drop: true })
  await stripe.customers.create()
  await behave({ duplicates: 0, delaySeconds: 3600 })
  const lateCustomer = await stripe.customers.create()
  await behave({ duplicates: 0 })
  const promptCustomer = await stripe.customers.create()
  await expect.poll(() => events).toHaveLength(3)
  expect(events[2]?.data.object).toMatchObject({ id: promptCustomer.id })
  await flush()
  expect(events).toHaveLength(4)
  expect(events[3]?.data.object).toMatchObject({ id: lateCustomer.id })

  await behave({ duplicates: 0, spread: 2 })
  const customers = await Promise.all(Array.from({ length: 20 }, () => stripe.customers.create()))
  await expect.poll(() => events).toHaveLength(4 + customers.length)
  const arrived = events.slice(4).map((event) => (event.data.object as Stripe.Customer).id)
  const createdEvents = (await stripe.events.list({ limit: 20 })).data.toReversed()
  expect(arrived).not.toEqual(createdEvents.map((event) => (event.data.object as Stripe.Customer).id))
  expect(arrived.toSorted()).toEqual(customers.map((customer) => customer.id).toSorted())
})

test('an event can be sent again by hand', async () => {
  const { stripe, received: events, sandbox } = await openTestSandbox()
  await sandbox.controls.webhooks.behave({ duplicates: 0 })
  await stripe.customers.create()
  await sandbox.controls.webhooks.flush()
  await sandbox.controls.webhooks.redeliver(events[0]?.id ?? '')
  expect(events.map((event) => event.id)).toEqual([events[0]?.id, events[0]?.id])
  await expect(sandbox.controls.webhooks.redeliver('evt_none')).rejects.toThrow('No such event')
})

test('two processes on one database share the data and deliver each event once', async () => {
  const firstProcess = await openTestSandbox()
  const secondProcess = await openSandbox(firstProcess.options)
  try {
    expect(secondProcess.secretKey).toBe(firstProcess.sandbox.secretKey)
    await secondProcess.controls.webhooks.behave({ duplicates: 0 })
    const secondStripe = new Stripe(secondProcess.secretKey, secondProcess.api)
    const customers = await Promise.all(
      Array.from({ length: 15 }).flatMap(() => [
        secondStripe.customers.create(),
        firstProcess.stripe.customers.create(),
      ]),
    )
    await Promise.all([firstProcess.sandbox.controls.webhooks.flush(), secondProcess.controls.webhooks.flush()])
    expect(firstProcess.received).toHaveLength(customers.length)
    expect(firstProcess.events).toHaveLength(customers.length)
  } finally {
    await secondProcess.close()
  }
})

test('if a process dies during a delivery, another delivers the event when the lease expires', async () => {
  const { stripe, events, database, sandbox } = await openTestSandbox()
  await sandbox.controls.webhooks.behave({ delaySeconds: 3600 })
  await stripe.customers.create()
  await database.query(`update sandbox.deliveries set attempts = 1, next_at = now() - interval '1 second'`)
  await expect.poll(() => events).toHaveLength(1)
})
