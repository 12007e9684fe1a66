import type { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'
import { type Claim, typeCheck } from './testing/type-check.ts'

/** A life of every kind of object, so that each is answered in each of its states. */
async function liveThrough() {
  const { stripe, sandbox, buy, buyAndFail, checkout, price, publicUrl } = await openTestSandbox()
  const claims: Claim[] = []
  const claim = (type: string, ...values: unknown[]) =>
    claims.push(...values.map((value) => ({ type, value })))

  const product = await stripe.products.create({ name: 'Rebound Sigma Pro', description: 'An indicator' })
  claim('Stripe.Product', product)
  const monthly = await stripe.prices.create({
    currency: 'usd',
    lookup_key: 'monthly',
    product: product.id,
    recurring: { interval: 'month' },
    unit_amount: 3900,
  })
  claim(
    'Stripe.Price',
    monthly,
    await stripe.prices.create({ currency: 'usd', product: product.id, unit_amount: 5 }),
  )

  const unpaid = await checkout()
  claim(
    'Stripe.Customer',
    unpaid.customer,
    await stripe.customers.retrieve(unpaid.customer.id, { expand: ['subscriptions'] }),
  )
  claim('Stripe.Subscription', unpaid.subscription)
  claim('Stripe.Invoice', unpaid.invoice)
  claim('Stripe.PaymentIntent', await stripe.paymentIntents.retrieve(unpaid.intent))
  await stripe.paymentIntents
    .confirm(unpaid.intent, { payment_method: 'pm_card_visa_chargeDeclined' })
    .catch(() => undefined)
  claim(
    'Stripe.PaymentIntent',
    await stripe.paymentIntents.retrieve(unpaid.intent, { expand: ['latest_charge'] }),
  )
  claim(
    'Stripe.PaymentIntent',
    await stripe.paymentIntents.confirm(unpaid.intent, { payment_method: 'pm_card_authenticationRequired' }),
  )
  await stripe.subscriptions.cancel(unpaid.subscription.id)
  claim(
    'Stripe.Subscription',
    await stripe.subscriptions.retrieve(unpaid.subscription.id, { expand: ['latest_invoice'] }),
  )
  claim('Stripe.PaymentIntent', await stripe.paymentIntents.retrieve(unpaid.intent))

  const paid = await buy('pm_card_visa', { price: monthly.id })
  claim(
    'Stripe.Subscription',
    await stripe.subscriptions.retrieve(paid.subscription.id, {
      expand: ['latest_invoice.payments', 'default_payment_method', 'customer', 'items.data.price.product'],
    }),
  )
  claim(
    'Stripe.Subscription',
    await stripe.subscriptions.update(paid.subscription.id, { cancel_at_period_end: true }),
  )
  claim(
    'Stripe.PaymentIntent',
    await stripe.paymentIntents.retrieve(paid.intent, {
      expand: ['payment_method', 'latest_charge.refunds'],
    }),
  )
  claim(
    'Stripe.Refund',
    await stripe.refunds.create({
      payment_intent: paid.intent,
      amount: 900,
      reason: 'requested_by_customer',
    }),
  )
  const refund = await sandbox.controls.refund(paid.intent)
  await sandbox.controls.failRefund(refund.id)
  claim('Stripe.Refund', await stripe.refunds.retrieve(refund.id))

  const disputed = await buy('pm_card_createDispute', { price: monthly.id })
  const dispute = await sandbox.controls.openDispute(disputed.intent)
  claim('Stripe.Dispute', await stripe.disputes.retrieve(dispute.id))
  await sandbox.controls.closeDispute(dispute.id, 'won')
  claim('Stripe.Dispute', await stripe.disputes.retrieve(dispute.id))

  const failing = await buyAndFail({ price: (await price('week')).id })
  await sandbox.controls.advance(8, 'day')
  claim(
    'Stripe.Subscription',
    await stripe.subscriptions.retrieve(failing.subscription.id, { expand: ['latest_invoice'] }),
  )
  await sandbox.controls.advance(1, 'month')
  claim(
    'Stripe.Subscription',
    await stripe.subscriptions.retrieve(failing.subscription.id, { expand: ['latest_invoice'] }),
  )

  const setup = await stripe.setupIntents.create({
    customer: paid.customer.id,
    automatic_payment_methods: { enabled: true },
  })
  claim('Stripe.SetupIntent', setup)
  await stripe.setupIntents
    .confirm(setup.id, { payment_method: 'pm_card_visa_chargeDeclined' })
    .catch(() => undefined)
  claim('Stripe.SetupIntent', await stripe.setupIntents.retrieve(setup.id))
  claim(
    'Stripe.SetupIntent',
    await stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_authenticationRequired' }),
  )
  await sandbox.controls.authenticate(setup.id, 'complete')
  claim('Stripe.SetupIntent', await stripe.setupIntents.retrieve(setup.id, { expand: ['payment_method'] }))
  const methods = await stripe.customers.listPaymentMethods(paid.customer.id)
  claim('Stripe.PaymentMethod', ...methods.data)

  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_700_000_000, name: 'Tests' })
  claim(
    'Stripe.TestHelpers.TestClock',
    clock,
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: 1_700_000_100 }),
  )

  claim('Stripe.ApiList<Stripe.Invoice>', await stripe.invoices.list({ customer: paid.customer.id }))
  claim('Stripe.ApiList<Stripe.Charge>', await stripe.charges.list({}))
  claim(
    'Stripe.ApiList<Stripe.InvoicePayment>',
    await stripe.invoicePayments.list({ expand: ['data.invoice'] }),
  )
  const events: Stripe.Event[] = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })
  claim('Stripe.Event', ...events)

  const publicly = async (path: string) => {
    const query = new URLSearchParams({ key: sandbox.publishableKey })
    return (await fetch(`${publicUrl}/_sandbox/v1/${path}&${query}`)).json()
  }
  claim(
    'StripeJs.PaymentIntent',
    await publicly(`payment_intents/${paid.intent}?client_secret=${paid.clientSecret}`),
  )
  claim(
    'StripeJs.SetupIntent',
    await publicly(`setup_intents/${setup.id}?client_secret=${setup.client_secret}`),
  )
  return { claims, eventTypes: new Set(events.map((event) => event.type)) }
}

test('what the sandbox answers is what the SDK declares, for every kind of object', async () => {
  const { claims, eventTypes } = await liveThrough()
  expect(await typeCheck(claims)).toEqual([])
  expect([...eventTypes]).toEqual(
    expect.arrayContaining([
      'charge.dispute.closed',
      'charge.dispute.created',
      'charge.refunded',
      'customer.subscription.created',
      'customer.subscription.deleted',
      'customer.subscription.updated',
      'invoice.paid',
      'invoice.payment_action_required',
      'invoice.payment_failed',
      'payment_intent.payment_failed',
      'payment_intent.succeeded',
      'refund.failed',
      'refund.updated',
      'setup_intent.succeeded',
    ]),
  )
})

test('a field that is missing, misspelt, unknown or of another type does not pass', async () => {
  const { stripe, buy, publicUrl, sandbox } = await openTestSandbox()
  const { subscription, invoice, intent, clientSecret } = await buy()
  const [event] = (await stripe.events.list({ type: 'invoice.paid' })).data
  const query = new URLSearchParams({ key: sandbox.publishableKey, client_secret: clientSecret })
  const seen = await (await fetch(`${publicUrl}/_sandbox/v1/payment_intents/${intent}?${query}`)).json()
  const { currency: _, ...halfAnIntent } = seen
  const { items: __, ...withoutItems } = subscription
  const spoiled = [
    { type: 'Stripe.Subscription', value: withoutItems },
    { type: 'Stripe.Subscription', value: { ...subscription, status: 'incompleted' } },
    { type: 'Stripe.Invoice', value: { ...invoice, payment_intent: intent } },
    { type: 'Stripe.Invoice', value: { ...invoice, lines: { ...invoice.lines, has_more: 'no' } } },
    { type: 'Stripe.Event', value: { ...event, data: { object: subscription } } },
    { type: 'StripeJs.PaymentIntent', value: halfAnIntent },
  ]
  const complaints = await typeCheck(spoiled)
  expect(new Set(complaints.map(({ claim }) => claim))).toEqual(new Set(spoiled))
})
