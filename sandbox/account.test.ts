import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Stripe } from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

/** A server that records what it is sent and answers as told. */
async function listener() {
  const seen: { body: string; signature: string }[] = []
  const answers = { status: 200 }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ body, signature: String(request.headers['stripe-signature']) })
      response.writeHead(answers.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, seen, answers }
}

test('a seller’s webhook endpoint gets its own events, signed with the secret that was shown once', async () => {
  const { stripe, sandbox } = await openTestSandbox()
  await sandbox.controls.webhooks.misbehave({ duplicates: 0 })
  const { url, seen } = await listener()
  const made = await stripe.webhookEndpoints.create({
    url,
    enabled_events: ['customer.created'],
    api_version: Stripe.API_VERSION,
  })
  expect(made.secret).toMatch(/^whsec_/)
  expect(await stripe.webhookEndpoints.retrieve(made.id)).not.toHaveProperty('secret')

  const customer = await stripe.customers.create()
  await stripe.customers.update(customer.id, { name: 'Ada' })
  await sandbox.controls.webhooks.flush()
  expect(seen).toHaveLength(1)
  const [{ body, signature } = { body: '', signature: '' }] = seen
  const event = Stripe.webhooks.constructEvent(body, signature, made.secret ?? '')
  expect(event).toMatchObject({ type: 'customer.created', data: { object: { id: customer.id } } })

  await stripe.webhookEndpoints.update(made.id, { enabled_events: ['*'] })
  await stripe.customers.update(customer.id, { name: 'Bea' })
  await sandbox.controls.webhooks.flush()
  expect(seen).toHaveLength(2)
  await stripe.webhookEndpoints.update(made.id, { disabled: true })
  await stripe.customers.update(customer.id, { name: 'Cleo' })
  await sandbox.controls.webhooks.flush()
  expect(seen).toHaveLength(2)
  expect((await stripe.webhookEndpoints.list()).data).toMatchObject([{ id: made.id, status: 'disabled' }])
  await stripe.webhookEndpoints.del(made.id)
  expect((await stripe.webhookEndpoints.list()).data).toEqual([])
})

test('events whose delivery failed can be found', async () => {
  const { stripe, sandbox } = await openTestSandbox()
  const { url, answers } = await listener()
  answers.status = 500
  await stripe.webhookEndpoints.create({ url, enabled_events: ['customer.created'] })
  const customer = await stripe.customers.create()
  await stripe.customers.update(customer.id, { name: 'Ada' })
  await sandbox.controls.webhooks.flush()
  const types = async (delivery_success: boolean) =>
    (await stripe.events.list({ delivery_success })).data.map((event) => event.type)
  expect(await types(false)).toEqual(['customer.created'])
  expect(await types(true)).toEqual(['customer.updated'])
})

test('the account says whether it may charge; a domain says whether it can show wallets', async () => {
  const { stripe } = await openTestSandbox()
  expect(await stripe.accounts.retrieveCurrent()).toMatchObject({ object: 'account', charges_enabled: true })
  const shop = await stripe.paymentMethodDomains.create({ domain_name: 'shop.example.com' })
  expect(shop).toMatchObject({ enabled: true, apple_pay: { status: 'active' } })
  const again = await stripe.paymentMethodDomains.create({ domain_name: 'shop.example.com' })
  expect(again.id).toBe(shop.id)
  const local = await stripe.paymentMethodDomains.create({ domain_name: 'localhost' })
  const checked = await stripe.paymentMethodDomains.validate(local.id)
  expect(checked.google_pay.status).toBe('inactive')
  const { data } = await stripe.paymentMethodDomains.list({ domain_name: 'shop.example.com' })
  expect(data.map((domain) => domain.id)).toEqual([shop.id])
})

test('a deleted customer loses its subscriptions, cannot be used, and keeps its invoices', async () => {
  const { stripe, buy } = await openTestSandbox()
  const { customer, subscription } = await buy()
  await stripe.customers.del(customer.id)
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ id: customer.id, deleted: true })
  expect((await stripe.customers.list()).data).toEqual([])
  expect((await stripe.invoices.list({ customer: customer.id })).data).toHaveLength(1)
  const ended = await stripe.subscriptions.retrieve(subscription.id, { expand: ['customer'] })
  expect(ended).toMatchObject({ status: 'canceled', customer: { deleted: true } })
  await expect(stripe.customers.update(customer.id, { name: 'Nobody' })).rejects.toMatchObject({
    code: 'resource_missing',
  })
})

test('an open invoice can be voided, and then nobody can pay it', async () => {
  const { stripe, checkout, buy } = await openTestSandbox()
  const { invoice, intent } = await checkout()
  expect(await stripe.invoices.voidInvoice(invoice.id)).toMatchObject({ status: 'void' })
  await expect(
    stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' }),
  ).rejects.toMatchObject({ code: 'payment_intent_unexpected_state' })
  const paid = await buy()
  await expect(stripe.invoices.voidInvoice(paid.invoice.id)).rejects.toThrow('This invoice is paid.')
})
