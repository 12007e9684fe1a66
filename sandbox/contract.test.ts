import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openShop } from '#server/testing/open-shop.ts'
import { sell } from '#server/testing/sell.ts'
import type { Call } from './api/api.ts'
import { claimsOf, typeCheck } from './testing/claims.ts'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

async function exerciseAllStates(shop: Awaited<ReturnType<typeof openTestSandbox>>) {
  const { stripe, sandbox, buy, buyAndFail, checkout, price, publicUrl } = shop
  const product = await stripe.products.create({ name: 'Rebound Sigma Pro' })
  const monthly = await stripe.prices.create({
    currency: 'usd',
    lookup_key: 'monthly',
    product: product.id,
    recurring: { interval: 'month' },
    unit_amount: 3900,
  })
  await stripe.prices.create({ currency: 'usd', product: product.id, unit_amount: 5 })

  const unpaid = await checkout()
  await stripe.customers.retrieve(unpaid.customer.id, { expand: ['subscriptions'] })
  const declinedCard = { payment_method: 'pm_card_visa_chargeDeclined' }
  await stripe.paymentIntents.confirm(unpaid.intent, declinedCard).catch(() => 'declined')
  await stripe.paymentIntents.retrieve(unpaid.intent, { expand: ['latest_charge'] })
  const authenticatedCard = { payment_method: 'pm_card_authenticationRequired' }
  await stripe.paymentIntents.confirm(unpaid.intent, authenticatedCard)
  await stripe.subscriptions.cancel(unpaid.subscription.id)
  await stripe.subscriptions.retrieve(unpaid.subscription.id, { expand: ['latest_invoice'] })
  await stripe.paymentIntents.retrieve(unpaid.intent)

  const paid = await buy('pm_card_visa', { price: monthly.id })
  await stripe.subscriptions.retrieve(paid.subscription.id, {
    expand: ['latest_invoice.payments', 'default_payment_method', 'customer', 'items.data.price.product'],
  })
  await stripe.subscriptions.update(paid.subscription.id, { cancel_at_period_end: true })
  await stripe.paymentIntents.retrieve(paid.intent, { expand: ['payment_method', 'latest_charge.refunds'] })
  await stripe.refunds.create({ payment_intent: paid.intent, amount: 900, reason: 'requested_by_customer' })
  const refund = await sandbox.controls.refund(paid.intent)
  await sandbox.controls.failRefund(refund.id)
  await stripe.refunds.retrieve(refund.id)

  const taxed = await stripe.prices.create({
    currency: 'usd',
    product: product.id,
    recurring: { interval: 'year' },
    tax_behavior: 'inclusive',
    unit_amount: 39_000,
  })
  await stripe.products.update(product.id, { tax_code: 'txcd_10103000' })
  const german = await stripe.customers.create({
    address: { country: 'DE' },
    invoice_settings: { footer: 'A seller' },
    tax: { ip_address: '192.0.2.1' },
  })
  const vat = await stripe.customers.createTaxId(german.id, { type: 'gb_vat', value: 'GB123456789' })
  await stripe.customers.listTaxIds(german.id)
  await stripe.taxIds.del(vat.id)
  const subscribed = await stripe.subscriptions.create({
    customer: german.id,
    items: [{ price: taxed.id }],
    automatic_tax: { enabled: true },
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice.payments'],
  })
  const bill = subscribed.latest_invoice as Stripe.Invoice
  await stripe.taxRates.retrieve(bill.total_taxes?.[0]?.tax_rate_details?.tax_rate ?? '')
  const billIntent = bill.payments?.data[0]?.payment.payment_intent as string
  await stripe.paymentIntents.confirm(billIntent, { payment_method: 'pm_card_visa' })
  await sandbox.controls.settle()
  const partialRefund = await stripe.refunds.create({ payment_intent: billIntent, amount: 1000 })
  await stripe.creditNotes.create({
    invoice: bill.id,
    amount: 1000,
    refunds: [{ refund: partialRefund.id, amount_refunded: 1000 }],
  })
  await stripe.creditNotes.list({ invoice: bill.id })

  const disputed = await buy('pm_card_createDispute', { price: monthly.id })
  const dispute = await sandbox.controls.openDispute(disputed.intent)
  await stripe.disputes.retrieve(dispute.id)
  await sandbox.controls.closeDispute(dispute.id, 'won')
  await stripe.disputes.retrieve(dispute.id)

  await changeInDashboard(shop, monthly.id, taxed.id)
  await billWithOptions(shop)

  const failing = await buyAndFail({ price: (await price('week')).id })
  await sandbox.controls.advance(8, 'day')
  await stripe.subscriptions.retrieve(failing.subscription.id, { expand: ['latest_invoice'] })
  await sandbox.controls.advance(1, 'month')
  await stripe.subscriptions.retrieve(failing.subscription.id, { expand: ['latest_invoice'] })

  const setup = await stripe.setupIntents.create({ customer: paid.customer.id, allowed_payment_method_types: ['card'] })
  await stripe.setupIntents.confirm(setup.id, declinedCard).catch(() => 'declined')
  await stripe.setupIntents.retrieve(setup.id)
  await stripe.setupIntents.confirm(setup.id, authenticatedCard)
  await sandbox.controls.authenticate(setup.id, 'complete')
  await stripe.setupIntents.retrieve(setup.id, { expand: ['payment_method'] })
  await stripe.paymentMethods.list({ customer: paid.customer.id })

  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_700_000_000, name: 'Tests' })
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: 1_700_000_100 })

  await stripe.invoices.list({ customer: paid.customer.id })
  await stripe.charges.list({})
  await stripe.invoicePayments.list({ expand: ['data.invoice'] })
  await stripe.accounts.retrieveCurrent()
  const hook = { url: `${publicUrl}/hook`, enabled_events: ['invoice.paid' as const] }
  const endpoint = await stripe.webhookEndpoints.create(hook)
  await stripe.webhookEndpoints.update(endpoint.id, { disabled: true })
  await stripe.webhookEndpoints.del(endpoint.id)
  const domain = await stripe.paymentMethodDomains.create({ domain_name: 'localhost' })
  await stripe.paymentMethodDomains.validate(domain.id)
  await stripe.customers.del(disputed.customer.id)
  await stripe.subscriptions.retrieve(disputed.subscription.id, { expand: ['customer'] })

  const readPublicly = (path: string) => {
    const query = new URLSearchParams({ key: sandbox.publishableKey })
    return fetch(`${publicUrl}/_sandbox/v1/${path}&${query}`)
  }
  await readPublicly(`payment_intents/${paid.intent}?client_secret=${paid.clientSecret}`)
  await readPublicly(`setup_intents/${setup.id}?client_secret=${setup.client_secret}`)
  await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })
}

async function changeInDashboard(
  { stripe, sandbox: { controls }, buy, buyAndFail }: Awaited<ReturnType<typeof openTestSandbox>>,
  monthly: string,
  taxed: string,
) {
  const read = (id: string) => stripe.subscriptions.retrieve(id, { expand: ['discounts.source.coupon', 'customer'] })
  const bought = await buy('pm_card_visa', { price: monthly })
  const { id } = bought.subscription
  await controls.dashboard.setQuantity(id, 2)
  await controls.dashboard.applyCoupon(id, { percent: 20, months: 3 })
  await controls.dashboard.giveCredit(bought.customer.id, 10_000)
  await controls.advance(1, 'month')
  await read(id)
  const planChange = {
    items: [{ id: bought.subscription.items.data[0]?.id ?? '', price: taxed }],
    proration_behavior: 'always_invoice' as const,
    billing_cycle_anchor: { type: 'now' as const },
  }
  await stripe.invoices.createPreview({ subscription: id, subscription_details: planChange })
  const card = await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer: bought.customer.id })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  const { latest_invoice: pending } = await stripe.subscriptions.update(id, {
    ...planChange,
    payment_behavior: 'pending_if_incomplete',
    metadata: { switch: 'yes' },
  })
  await stripe.invoices.voidInvoice(pending as string)
  await controls.dashboard.changePrice(id, taxed)
  await controls.pause(id)
  await read(id)
  await controls.dashboard.unpause(id)
  await stripe.invoices.list({ subscription: id, expand: ['data.payments'] })
  await stripe.charges.list({ customer: bought.customer.id, expand: ['data.refunds'] })
  const dispute = await controls.openDispute(bought.intent)
  await controls.closeDispute(dispute.id, 'lost')
  await controls.dashboard.moveDispute(dispute.id, 'appeal_needs_response')
  await stripe.disputes.list({ charge: dispute.charge })

  const unpaidBuyer = await buyAndFail({ price: monthly })
  await controls.advance(1, 'month')
  const { latest_invoice: unpaidInvoice } = await read(unpaidBuyer.subscription.id)
  await controls.dashboard.markUncollectible(unpaidInvoice as string)
  await stripe.invoices.retrieve(unpaidInvoice as string)
  await controls.dashboard.payOutOfBand(unpaidInvoice as string)
  await stripe.invoices.retrieve(unpaidInvoice as string, { expand: ['payments'] })
}

async function billWithOptions({ stripe, sandbox: { controls }, buy }: Awaited<ReturnType<typeof openTestSandbox>>) {
  await controls.behave({ draftSeconds: 3600 })
  const bought = await buy()
  const { id } = bought.subscription
  await stripe.invoiceItems.create({
    customer: bought.customer.id,
    subscription: id,
    amount: 900,
    currency: 'usd',
    discountable: false,
  })
  await stripe.invoices.createPreview({ subscription: id })
  await controls.advance(1, 'month')
  const { latest_invoice: renewal } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  await stripe.invoiceItems.list({ customer: bought.customer.id })
  await stripe.invoices.finalizeInvoice((renewal as Stripe.Invoice).id)
  const swiss = await stripe.customers.create({ address: { country: 'CH' } })
  const net = await stripe.prices.create({
    currency: 'usd',
    product_data: { name: 'Rebound Sigma Pro' },
    recurring: { interval: 'month' },
    tax_behavior: 'exclusive',
    unit_amount: 3900,
  })
  const sent = await stripe.subscriptions.create({
    customer: swiss.id,
    items: [{ price: net.id }],
    automatic_tax: { enabled: true },
    collection_method: 'send_invoice',
    days_until_due: 10,
  })
  await controls.advance(12, 'day')
  await stripe.subscriptions.retrieve(sent.id, { expand: ['latest_invoice.payments'] })
  await controls.behaveAsUsual()
}

function record(sandbox: { onCall(listener: (call: Call) => void): void }) {
  const calls: Call[] = []
  sandbox.onCall((call) => calls.push(call))
  return calls
}

test('what the sandbox returns matches the SDK’s types, for every kind of object and event', async () => {
  const testSandbox = await openTestSandbox()
  const calls = record(testSandbox.sandbox)
  await exerciseAllStates(testSandbox)
  expect(await typeCheck(claimsOf(calls))).toEqual([])
  const eventTypes = new Set(testSandbox.events.map((event) => event.type))
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

test('what the shop sends and receives matches the SDK’s types', async () => {
  await using shop = await openShop()
  const calls = record(shop.sandbox)
  await sell(shop)
  const stripe = new Stripe(shop.sandbox.secretKey, { ...shop.sandbox.api, telemetry: false })
  await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 })
  expect(new Set(calls.map(({ method, path }) => `${method} ${path.split('/')[2]}`)).size).toBeGreaterThan(8)
  expect(await typeCheck(claimsOf(calls))).toEqual([])
})

test('the comparison finds a planted fault in a request, a response, an event and a refusal', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const calls = record(sandbox)
  await buy()
  await stripe.refunds.create({ payment_intent: 'pi_none' }).catch(() => 'refused')
  await stripe.events.list({ type: 'invoice.paid' })
  const plant = (path: string, method: string, spoil: (call: Call) => Call) => {
    const call = calls.find((each) => each.path.startsWith(path) && each.method === method)
    if (!call) throw new Error(`${method} ${path} was not recorded`)
    return claimsOf([spoil(call)])
  }
  const spoilReply = (from: string, to: string) => (call: Call) => {
    if (!call.reply.body.includes(from)) throw new Error(`${from} was not in the answer`)
    return { ...call, reply: { ...call.reply, body: call.reply.body.replace(from, to) } }
  }
  const planted = [
    plant('/v1/subscriptions', 'POST', (call) => ({ ...call, body: `${call.body}&colour=red` })),
    plant('/v1/subscriptions', 'POST', (call) => ({ ...call, body: call.body.replace('default_', 'half_') })),
    plant('/v1/subscriptions', 'POST', spoilReply('"status":"incomplete"', '"status":"incompleted"')),
    plant('/v1/subscriptions', 'POST', spoilReply('"livemode":false', '"livemode":"no"')),
    plant('/v1/subscriptions', 'POST', spoilReply('"currency":', '"curency":')),
    plant('/v1/events', 'GET', spoilReply('"type":"invoice.paid"', '"type":"charge.refunded"')),
    plant('/v1/refunds', 'POST', spoilReply('resource_missing', 'resource_mislaid')),
  ]
  const complaints = await typeCheck(planted.flat())
  const missed = planted.filter((claims) => !complaints.some(({ claim }) => claim && claims.includes(claim)))
  expect(missed).toEqual([])
})
