import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import StripeSdk, { type Stripe } from 'stripe'
import { createStripeGateway } from '#server/gateways/stripe.ts'

export type Account = {
  secretKey: string
  /** Address of the stand-in; without it, Stripe itself. */
  address?: { protocol: 'http'; host: string; port: number }
  pollIntervalMs: number
}

export type Stage = ReturnType<typeof stageOn>

export const hourSeconds = 3600
export const daySeconds = 86_400
/** Stripe finalizes the draft of a renewal's invoice after about an hour. */
export const draftSeconds = 3 * hourSeconds

type PriceInput = { amount: number; interval: 'month' | 'year'; tax_behavior?: 'exclusive' | 'inclusive' }

/** Each stage has its own test clock, which is deleted with all its objects. */
export function createStages({ secretKey, address, pollIntervalMs }: Account) {
  const sdk = new StripeSdk(secretKey, { maxNetworkRetries: 2, telemetry: false, ...address })
  const connection = { secretKey, webhookSecret: '', ...(address && { address }) }
  const gateway = createStripeGateway(connection)
  const taxGateway = createStripeGateway({ ...connection, invoices: { footer: '', automaticTax: true } })
  const prices = new Map<string, Promise<string>>()

  async function findOrCreatePrice(key: string, { amount, interval, ...options }: PriceInput) {
    const existing = await sdk.prices.list({ lookup_keys: [key], active: true })
    if (existing.data[0]) return existing.data[0].id
    const created = await sdk.prices.create({
      currency: 'usd',
      lookup_key: key,
      product_data: { name: 'A scene of npm run stripe -- verify' },
      recurring: { interval },
      unit_amount: amount,
      ...options,
    })
    return created.id
  }

  function price(input: PriceInput): Promise<string> {
    const key = `verify-${Object.values(input).join('-')}`
    const priceId = prices.get(key) ?? findOrCreatePrice(key, input)
    prices.set(key, priceId)
    return priceId
  }

  return {
    async withStage<Result>(play: (stage: Stage) => Promise<Result>): Promise<Result> {
      const clock = await sdk.testHelpers.testClocks.create({
        frozen_time: Math.floor(Date.now() / 1000),
        name: 'npm run stripe -- verify',
      })
      try {
        return await play(stageOn({ sdk, gateway, taxGateway, price, pollIntervalMs, clock }))
      } finally {
        await sdk.testHelpers.testClocks.del(clock.id)
      }
    },
  }
}

type StageDeps = {
  sdk: Stripe
  gateway: ReturnType<typeof createStripeGateway>
  taxGateway: ReturnType<typeof createStripeGateway>
  price: (input: PriceInput) => Promise<string>
  pollIntervalMs: number
  clock: Stripe.TestHelpers.TestClock
}

function stageOn({ sdk, gateway, taxGateway, price, pollIntervalMs, clock }: StageDeps) {
  let now = clock.frozen_time

  /** Gives up after two minutes and returns the last result. */
  async function pollUntil<Result>(read: () => Promise<Result>, isReady: (result: Result) => boolean): Promise<Result> {
    for (let reads = 1; ; reads++) {
      const result = await read()
      if (isReady(result) || reads * pollIntervalMs > 120_000) return result
      await sleep(pollIntervalMs)
    }
  }

  const newCustomer = (params: Stripe.CustomerCreateParams = {}) =>
    sdk.customers.create({ email: 'verify@example.com', test_clock: clock.id, ...params })

  async function moveClockTo(time: number) {
    await sdk.testHelpers.testClocks.advance(clock.id, { frozen_time: time })
    await pollUntil(
      () => sdk.testHelpers.testClocks.retrieve(clock.id),
      ({ status }) => status !== 'advancing',
    )
    now = time
  }

  const subscription = (id: string) => sdk.subscriptions.retrieve(id)
  const periodEnd = async (id: string) => (await subscription(id)).items.data[0]?.current_period_end ?? 0
  const gatewayFor = (country: string | undefined) => (country ? taxGateway : gateway)

  return {
    sdk,
    gateway,
    price,
    pollUntil,
    newCustomer,
    subscription,
    periodEnd,
    monthly: () => price({ amount: 3900, interval: 'month' }),
    yearly: () => price({ amount: 39_000, interval: 'year' }),
    now: () => now,
    forward: (seconds: number) => moveClockTo(now + seconds),
    renew: async (id: string, secondsAfter: number) => moveClockTo((await periodEnd(id)) + secondsAfter),

    async latestInvoice(id: string): Promise<Stripe.Invoice> {
      const { latest_invoice: invoice } = await sdk.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
      if (typeof invoice !== 'object' || !invoice) throw new Error(`${id} has no invoice`)
      return invoice
    },

    /** With a country, the shop collects tax. */
    async buy({ priceId, card = 'pm_card_visa', country }: { priceId: string; card?: string; country?: string }) {
      const customer = await newCustomer(country ? { address: { country } } : {})
      const created = await gatewayFor(country).newSubscriptions.create({
        attempt: randomUUID(),
        customerId: customer.id,
        priceId,
      })
      if ('missing' in created) throw new Error(`Stripe misses the ${created.missing}`)
      const before = await subscription(created.subscriptionId)
      await sdk.paymentIntents.confirm(created.paymentIntentId, { payment_method: card })
      const after = await pollUntil(
        () => subscription(created.subscriptionId),
        ({ status }) => status !== 'incomplete',
      )
      return { id: after.id, customer: customer.id, paymentIntentId: created.paymentIntentId, before, after }
    },

    async replaceCard({ id, customer }: { id: string; customer: string }, card: string) {
      const attached = await sdk.paymentMethods.attach(card, { customer })
      await gateway.subscriptions.useCard(id, attached.id)
    },
  }
}
