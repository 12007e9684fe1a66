import type { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

test('a checkout starts unpaid, and paying it makes the subscription active', async () => {
  const { stripe, checkout, sandbox, events } = await openTestSandbox()
  const { subscription, invoice, intent, clientSecret } = await checkout()
  expect(subscription.status).toBe('incomplete')
  expect(invoice).toMatchObject({ status: 'open', amount_due: 3900, billing_reason: 'subscription_create' })
  expect(clientSecret).toMatch(new RegExp(`^${intent}_secret_`))

  const paid = await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
  expect(paid).toMatchObject({ status: 'succeeded', amount_received: 3900 })

  await sandbox.controls.settle()
  const active = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(active).toMatchObject({ status: 'active', default_payment_method: paid.payment_method })
  expect(active.latest_invoice).toMatchObject({ status: 'paid', amount_paid: 3900, amount_remaining: 0 })

  await sandbox.controls.webhooks.flush()
  const updated = events.filter((event) => event.type === 'customer.subscription.updated')
  expect(updated).toHaveLength(1)
  expect(updated[0]?.data.previous_attributes).toMatchObject({ status: 'incomplete', default_payment_method: null })
  expect(events.map((event) => event.type)).toEqual(
    expect.arrayContaining(['customer.subscription.created', 'payment_intent.succeeded', 'invoice.paid']),
  )
})

test('a paid intent cannot be paid again', async () => {
  const { stripe, buy } = await openTestSandbox()
  const { intent } = await buy()
  await expect(stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })).rejects.toMatchObject({
    code: 'payment_intent_unexpected_state',
    statusCode: 400,
  })
  expect((await stripe.charges.list({ payment_intent: intent })).data).toHaveLength(1)
})

test('an unpaid new subscription expires after 23 hours and then cannot be paid', async () => {
  const { stripe, checkout, sandbox, events } = await openTestSandbox()
  const { subscription, invoice, intent } = await checkout()
  await sandbox.controls.advance(22, 'hour')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('incomplete')
  await sandbox.controls.advance(61, 'minute')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('incomplete_expired')
  expect((await stripe.invoices.retrieve(invoice.id)).status).toBe('void')
  await expect(stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })).rejects.toThrow(
    'status of canceled',
  )
  await sandbox.controls.webhooks.flush()
  const expiry = events.find((event) => event.type === 'customer.subscription.updated')
  expect(expiry?.data.object).toMatchObject({ status: 'incomplete_expired' })
})

test('a month later the stored card is charged again', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { subscription } = await buy()
  const [firstItem] = subscription.items.data
  await sandbox.controls.advance(1, 'month')
  const renewed = await stripe.subscriptions.retrieve(subscription.id)
  expect(renewed.items.data[0]?.current_period_start).toBe(firstItem?.current_period_end)
  const invoices = await stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.data.map((invoice) => [invoice.billing_reason, invoice.status])).toEqual([
    ['subscription_cycle', 'paid'],
    ['subscription_create', 'paid'],
  ])
  expect(new Set(invoices.data.map((invoice) => invoice.number)).size).toBe(2)
})

test('a subscription cancelled at the period’s end runs until then, and one resumed before that continues', async () => {
  const { stripe, buy, sandbox, events } = await openTestSandbox()
  const leaving = await buy()
  const returning = await buy()
  const { id } = leaving.subscription
  const end = leaving.subscription.items.data[0]?.current_period_end
  const pending = await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  expect(pending).toMatchObject({ status: 'active', cancel_at_period_end: true, cancel_at: end })

  await stripe.subscriptions.update(returning.subscription.id, { cancel_at_period_end: true })
  const resumed = await stripe.subscriptions.update(returning.subscription.id, { cancel_at_period_end: false })
  expect(resumed).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null })

  await sandbox.controls.advance(1, 'month')
  const ended = await stripe.subscriptions.retrieve(id)
  expect(ended).toMatchObject({
    status: 'canceled',
    ended_at: end,
    cancellation_details: { reason: 'cancellation_requested' },
  })
  expect((await stripe.invoices.list({ subscription: id })).data).toHaveLength(1)
  expect((await stripe.subscriptions.retrieve(returning.subscription.id)).status).toBe('active')
  await sandbox.controls.webhooks.flush()
  const deleted = events.filter((event) => event.type === 'customer.subscription.deleted')
  expect(deleted.map((event) => event.data.object.id)).toEqual([id])
})

test('a subscription cancelled immediately has ended and can no longer be changed', async () => {
  const { stripe, buy, checkout } = await openTestSandbox()
  const { subscription } = await buy()
  const cancelled = await stripe.subscriptions.cancel(subscription.id, {
    cancellation_details: { feedback: 'too_expensive' },
  })
  expect(cancelled).toMatchObject({ status: 'canceled', cancellation_details: { feedback: 'too_expensive' } })
  await expect(stripe.subscriptions.cancel(subscription.id)).rejects.toMatchObject({ code: 'resource_missing' })
  await expect(stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })).rejects.toThrow(
    'A canceled subscription can only update its cancellation_details and metadata.',
  )

  const unpaid = await checkout()
  expect((await stripe.subscriptions.cancel(unpaid.subscription.id)).status).toBe('incomplete_expired')
})

test('a card that fails at renewal is tried eight more times over two weeks, then the subscription ends', async () => {
  const { stripe, buyAndFail, sandbox } = await openTestSandbox()
  const { subscription } = await buyAndFail()
  await sandbox.controls.advance(1, 'month')
  const attempts: [string, number | undefined][] = []
  for (let day = 0; day <= 15; day++) {
    const now = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
    attempts.push([now.status, (now.latest_invoice as Stripe.Invoice).attempt_count])
    await sandbox.controls.advance(1, 'day')
  }
  expect(attempts.map(([, count]) => count)).toEqual([1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9])
  expect(attempts.map(([status]) => status)).toEqual([...Array(14).fill('past_due'), 'canceled', 'canceled'])
  const ended = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(ended).toMatchObject({
    cancellation_details: { reason: 'payment_failed' },
    latest_invoice: { status: 'open', next_payment_attempt: null, auto_advance: false },
  })
})

test('a renewal made to fail succeeds at the next attempt', async () => {
  const { stripe, buy, sandbox, events } = await openTestSandbox()
  const { subscription } = await buy()
  await sandbox.controls.failNextRenewal(subscription.id)
  await sandbox.controls.advance(1, 'month')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due')
  await sandbox.controls.advance(3, 'day')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
  await sandbox.controls.advance(1, 'month')
  const invoices = await stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.data.map((invoice) => invoice.status)).toEqual(['paid', 'paid', 'paid'])
  await sandbox.controls.webhooks.flush()
  const failed = events.find((event) => event.type === 'invoice.payment_failed')
  expect(failed?.data.object).toMatchObject({ next_payment_attempt: expect.any(Number) })
})

test('a card that wants 3-D Secure at every payment waits for its owner at renewal', async () => {
  const { stripe, checkout, sandbox, events } = await openTestSandbox()
  const { subscription, intent } = await checkout()
  await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_authenticationRequired' })
  await sandbox.controls.authenticate(intent, 'complete')
  await sandbox.controls.settle()
  await sandbox.controls.advance(1, 'month')
  const unpaid = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice.payments'] })
  expect(unpaid.status).toBe('past_due')
  await sandbox.controls.webhooks.flush()
  expect(events.map((event) => event.type)).toContain('invoice.payment_action_required')

  const renewal = (unpaid.latest_invoice as Stripe.Invoice).payments?.data[0]?.payment.payment_intent as string
  await sandbox.controls.authenticate(renewal, 'complete')
  await sandbox.controls.settle()
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active')
})

test('an invoice still open when the next period starts ends the subscription', async () => {
  const { stripe, buyAndFail, price, sandbox } = await openTestSandbox()
  const { subscription } = await buyAndFail({ price: (await price('week')).id })
  await sandbox.controls.advance(2, 'week')
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled')
  expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(2)
})
