import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

test('a webhook endpoint shows its secret once, and is changed, disabled and deleted', async () => {
  const { stripe } = await openTestSandbox()
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'https://shop.example/hook',
    enabled_events: ['customer.created'],
    api_version: Stripe.API_VERSION,
  })
  expect(endpoint.secret).toMatch(/^whsec_/)
  expect(await stripe.webhookEndpoints.retrieve(endpoint.id)).not.toHaveProperty('secret')
  await stripe.webhookEndpoints.update(endpoint.id, { enabled_events: ['*'], disabled: true })
  expect((await stripe.webhookEndpoints.list()).data).toMatchObject([
    { id: endpoint.id, status: 'disabled', enabled_events: ['*'] },
  ])
  await stripe.webhookEndpoints.del(endpoint.id)
  expect((await stripe.webhookEndpoints.list()).data).toEqual([])
})

test('events that were not delivered can be found', async () => {
  const { stripe, sandbox } = await openTestSandbox()
  await sandbox.controls.webhooks.behave({ delaySeconds: 3600 })
  const customer = await stripe.customers.create()
  await sandbox.controls.webhooks.behave({ duplicates: 0 })
  await stripe.customers.update(customer.id, { name: 'Ada' })
  const types = async (delivery_success: boolean) =>
    (await stripe.events.list({ delivery_success })).data.map((event) => event.type)
  await expect.poll(() => types(true)).toEqual(['customer.updated'])
  expect(await types(false)).toEqual(['customer.created'])
})

test('the account says whether it may charge; a domain says whether it can show wallets', async () => {
  const { stripe } = await openTestSandbox()
  expect(await stripe.accounts.retrieveCurrent()).toMatchObject({ object: 'account', charges_enabled: true })
  const domain = await stripe.paymentMethodDomains.create({ domain_name: 'shop.example.com' })
  expect(domain).toMatchObject({ enabled: true, apple_pay: { status: 'active' } })
  const sameDomain = await stripe.paymentMethodDomains.create({ domain_name: 'shop.example.com' })
  expect(sameDomain.id).toBe(domain.id)
  const local = await stripe.paymentMethodDomains.create({ domain_name: 'localhost' })
  const checked = await stripe.paymentMethodDomains.validate(local.id)
  expect(checked.google_pay.status).toBe('inactive')
  const { data } = await stripe.paymentMethodDomains.list({ domain_name: 'shop.example.com' })
  expect(data.map(({ id }) => id)).toEqual([domain.id])
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
  await expect(stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })).rejects.toMatchObject({
    code: 'payment_intent_unexpected_state',
  })
  const paid = await buy()
  await expect(stripe.invoices.voidInvoice(paid.invoice.id)).rejects.toThrow('This invoice is paid.')
})
