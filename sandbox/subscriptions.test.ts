import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

test('a checkout starts unpaid, and paying it makes the subscription active', async () => {
  const { stripe, checkout, sandbox, events } = await openTestSandbox()
  const { subscription, invoice, intent, clientSecret } = await checkout()
  expect(subscription.status).toBe('incomplete')
  expect(invoice).toMatchObject({ status: 'open', amount_due: 3900 })
  expect(clientSecret).toMatch(new RegExp(`^${intent}_secret_`))

  const paid = await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
  expect(paid).toMatchObject({ status: 'succeeded', amount_received: 3900 })

  const active = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(active).toMatchObject({ status: 'active', default_payment_method: paid.payment_method })
  expect(active.latest_invoice).toMatchObject({ status: 'paid', amount_paid: 3900, amount_remaining: 0 })

  await sandbox.controls.webhooks.flush()
  expect(events.map((event) => event.type)).toEqual(
    expect.arrayContaining([
      'customer.subscription.created',
      'payment_intent.succeeded',
      'invoice.paid',
      'customer.subscription.updated',
    ]),
  )
})

test('a month later the card is charged again', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { subscription } = await buy()
  await sandbox.controls.advance(1, 'month')
  const invoices = await stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.data.map((invoice) => [invoice.billing_reason, invoice.status])).toEqual([
    ['subscription_cycle', 'paid'],
    ['subscription_create', 'paid'],
  ])
})
