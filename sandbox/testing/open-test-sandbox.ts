import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Stripe } from 'stripe'
import { onTestFinished } from 'vitest'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { lagByClock, type Quirks } from '../quirks.ts'
import { openSandbox } from '../sandbox.ts'

const secret = 'whsec_test'

export async function openTestSandbox(quirks: Partial<Quirks> = { lag: lagByClock }) {
  const { url, drop } = await createTestDatabase({ empty: true })
  const database = new pg.Pool({ connectionString: url, max: 10 })
  // Dropping the database cuts connections that are still closing.
  database.on('error', () => {})
  database.on('connect', (client) => client.on('error', () => {}))
  const received: Stripe.Event[] = []
  const events: Stripe.Event[] = []
  /** Status with which the test's webhook receiver answers. */
  const shop = { answers: 200 }

  let sandbox: Awaited<ReturnType<typeof openSandbox>> | undefined
  async function receive(request: IncomingMessage, response: ServerResponse) {
    if (sandbox?.browser(request, response)) return
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const signature = request.headers['stripe-signature'] ?? ''
    const event = Stripe.webhooks.constructEvent(Buffer.concat(chunks), signature, secret)
    received.push(event)
    if (!events.some(({ id }) => id === event.id)) events.push(event)
    response.writeHead(shop.answers).end()
  }
  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
  })
  const publicUrl = await listen(server)
  const options = { database, publicUrl, webhook: { url: `${publicUrl}/webhook`, secret }, quirks }
  sandbox = await openSandbox(options)
  const stripe = new Stripe(sandbox.secretKey, { ...sandbox.api, maxNetworkRetries: 0, telemetry: false })

  onTestFinished(async () => {
    await sandbox?.close()
    await new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
    await database.end()
    await drop()
  })
  const { settle } = sandbox.controls
  return {
    sandbox,
    stripe,
    database,
    /** Without repetitions. */
    events,
    /** With repetitions. */
    received,
    shop,
    publicUrl,
    options,
    ...helpers(stripe, settle),
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function helpers(stripe: Stripe, settle: () => Promise<void>) {
  async function price(interval: 'day' | 'week' | 'month' | 'year' = 'month', amount = 3900) {
    return stripe.prices.create({
      currency: 'usd',
      unit_amount: amount,
      recurring: { interval },
      product_data: { name: 'Rebound Sigma Pro' },
    })
  }

  async function checkout(input: { price?: string; customer?: Stripe.CustomerCreateParams } = {}) {
    const customer = await stripe.customers.create({ email: 'buyer@example.com', ...input.customer })
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: input.price ?? (await price()).id }],
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
    })
    const invoice = subscription.latest_invoice as Stripe.Invoice
    const clientSecret = invoice.confirmation_secret?.client_secret ?? ''
    const intent = invoice.payments?.data[0]?.payment.payment_intent as string
    return { customer, subscription, invoice, clientSecret, intent }
  }

  /** The subscription is not active yet. */
  async function pay(card = 'pm_card_visa', input: Parameters<typeof checkout>[0] = {}) {
    const paid = await checkout(input)
    await stripe.paymentIntents.confirm(paid.intent, { payment_method: card })
    return paid
  }

  async function buy(...input: Parameters<typeof pay>) {
    const bought = await pay(...input)
    await settle()
    return bought
  }

  /** Buys with a valid card, then sets one that fails at renewals. */
  async function buyAndFail(input: Parameters<typeof checkout>[0] = {}) {
    const bought = await buy('pm_card_visa', input)
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: bought.customer.id })
    await stripe.subscriptions.update(bought.subscription.id, { default_payment_method: card.id })
    return bought
  }

  return { price, checkout, pay, buy, buyAndFail }
}
