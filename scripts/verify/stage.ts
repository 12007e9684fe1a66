import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import StripeSdk, { type Stripe } from 'stripe'
import { createStripeGateway } from '#server/gateways/stripe.ts'

export type Account = {
  secretKey: string
  /** Where the stand-in listens; Stripe itself, unless given. */
  address?: { protocol: 'http'; host: string; port: number }
  /** Milliseconds between two looks at something that takes time. */
  pause: number
}

export type Stage = ReturnType<typeof stageOn>

export const [hour, day] = [3600, 86_400]
const month = 31 * day
/** Stripe finalizes a renewal's invoice about an hour after it made it. */
export const draftIsOver = 3 * hour

type PriceWish = { amount: number; interval: 'month' | 'year'; tax_behavior?: 'exclusive' | 'inclusive' }

/** An account at Stripe, or the stand-in. Each scene has its own test clock, deleted with everything on it. */
export function createTheater({ secretKey, address, pause }: Account) {
  const sdk = new StripeSdk(secretKey, { maxNetworkRetries: 2, telemetry: false, ...address })
  const connection = { secretKey, webhookSecret: '', ...(address && { address }) }
  const gateway = createStripeGateway(connection)
  const taxing = createStripeGateway({ ...connection, invoices: { footer: '', automaticTax: true } })
  const prices = new Map<string, Promise<string>>()

  async function makePrice(key: string, { amount, interval, ...wish }: PriceWish) {
    const known = await sdk.prices.list({ lookup_keys: [key], active: true })
    if (known.data[0]) return known.data[0].id
    const created = await sdk.prices.create({
      currency: 'usd',
      lookup_key: key,
      product_data: { name: 'A scene of npm run stripe -- verify' },
      recurring: { interval },
      unit_amount: amount,
      ...wish,
    })
    return created.id
  }

  function price(wish: PriceWish): Promise<string> {
    const key = `verify-${Object.values(wish).join('-')}`
    const found = prices.get(key) ?? makePrice(key, wish)
    prices.set(key, found)
    return found
  }

  return {
    async withStage<Result>(play: (stage: Stage) => Promise<Result>): Promise<Result> {
      const clock = await sdk.testHelpers.testClocks.create({
        frozen_time: Math.floor(Date.now() / 1000),
        name: 'npm run stripe -- verify',
      })
      try {
        return await play(stageOn({ sdk, gateway, taxing, price, pause, clock }))
      } finally {
        await sdk.testHelpers.testClocks.del(clock.id)
      }
    },
  }
}

type StageDeps = {
  sdk: Stripe
  gateway: ReturnType<typeof createStripeGateway>
  taxing: ReturnType<typeof createStripeGateway>
  price: (wish: PriceWish) => Promise<string>
  pause: number
  clock: Stripe.TestHelpers.TestClock
}

function stageOn({ sdk, gateway, taxing, price, pause, clock }: StageDeps) {
  let now = clock.frozen_time

  /** Looks until it is as wanted, for two minutes at most; then the scene sees what there is. */
  async function until<Found>(look: () => Promise<Found>, isThere: (found: Found) => boolean): Promise<Found> {
    for (let looks = 1; ; looks++) {
      const found = await look()
      if (isThere(found) || looks * pause > 120_000) return found
      await sleep(pause)
    }
  }

  const newCustomer = (more: Stripe.CustomerCreateParams = {}) =>
    sdk.customers.create({ email: 'verify@example.com', test_clock: clock.id, ...more })

  /** Advances the clock to a moment and waits until Stripe has done what falls due. */
  async function moveTo(to: number) {
    await sdk.testHelpers.testClocks.advance(clock.id, { frozen_time: to })
    await until(
      () => sdk.testHelpers.testClocks.retrieve(clock.id),
      ({ status }) => status !== 'advancing',
    )
    now = to
  }

  const subscription = (id: string) => sdk.subscriptions.retrieve(id)
  const periodEnd = async (id: string) => (await subscription(id)).items.data[0]?.current_period_end ?? 0
  const isTaxed = (country: string | undefined) => (country ? taxing : gateway)

  return {
    sdk,
    gateway,
    price,
    until,
    newCustomer,
    subscription,
    periodEnd,
    monthly: () => price({ amount: 3900, interval: 'month' }),
    yearly: () => price({ amount: 39_000, interval: 'year' }),
    now: () => now,
    forward: (seconds: number) => moveTo(now + seconds),
    /** To the renewal and beyond. */
    renew: async (id: string, beyond: number) => moveTo((await periodEnd(id)) + beyond),
    month,

    async latestInvoice(id: string): Promise<Stripe.Invoice> {
      const { latest_invoice: invoice } = await sdk.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
      if (typeof invoice !== 'object' || !invoice) throw new Error(`${id} has no invoice`)
      return invoice
    },

    /** Steps of the shop's checkout and of the buyer's browser. With a country, the shop collects tax. */
    async buy({ priceId, card = 'pm_card_visa', country }: { priceId: string; card?: string; country?: string }) {
      const customer = await newCustomer(country ? { address: { country } } : {})
      const created = await isTaxed(country).newSubscriptions.create({
        attempt: randomUUID(),
        customerId: customer.id,
        priceId,
      })
      if ('missing' in created) throw new Error(`Stripe misses the ${created.missing}`)
      const before = await subscription(created.subscriptionId)
      await sdk.paymentIntents.confirm(created.paymentIntentId, { payment_method: card })
      const after = await until(
        () => subscription(created.subscriptionId),
        ({ status }) => status !== 'incomplete',
      )
      return { id: after.id, customer: customer.id, paymentIntentId: created.paymentIntentId, before, after }
    },

    /** Attaches another card, which pays from now on. */
    async replaceCard({ id, customer }: { id: string; customer: string }, card: string) {
      const attached = await sdk.paymentMethods.attach(card, { customer })
      await gateway.subscriptions.useCard(id, attached.id)
    },
  }
}
