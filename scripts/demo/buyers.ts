import { pino } from 'pino'
import { accessRequests } from '#contract/access-requests.ts'
import { accounts } from '#contract/accounts.ts'
import { createCaller } from '#contract/call.ts'
import { checkout } from '#contract/checkout.ts'
import { reboundSigmaPro } from '#contract/price-list.ts'
import { purchases } from '#contract/purchases.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { Config } from '#server/config.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import { tellFirstAdmin } from '#server/process/first-admin.ts'
import { type Shop, startShop } from '#server/start.ts'
import { copyPayments } from './payments.ts'

/** The one you can log in as; the others request access and wait. */
export const demoBuyer = { name: 'Demo Buyer', email: 'buyer@example.com', password: 'a believable buyer' }
const names = [
  'Ada',
  'Ben',
  'Carla',
  'David',
  'Elena',
  'Felix',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kai',
  'Lina',
]

type Person = typeof demoBuyer
const person = (name: string): Person => ({
  name: `${name} Demo`,
  email: `${name.toLowerCase()}.demo@example.com`,
  password: `${name} believes it`,
})

const day = 86_400_000

/**
 * People who really buy, with test cards: one in every state, the one you can log in as, and a dozen who wait for access.
 * The others get payments like theirs; returns how many.
 */
export async function letThemBuy(config: Config): Promise<number> {
  const here = { ...config, port: 0, rateLimits: false, mail: { ...config.mail, smtpUrl: undefined } }
  let past = 0
  const shop = await startShop(here, {
    log: pino({ level: 'silent' }),
    withPages: false,
    now: () => new Date(Date.now() - past),
  })
  /** Only backward on an empty sandbox; forward, whatever falls due on the way happens. */
  async function goTo(ago: number) {
    const seconds = Math.round((past - ago) / 1000)
    if (seconds < 0)
      await shop.connection.pool.query('update sandbox.settings set clock_offset = clock_offset + $1', [
        seconds,
      ])
    else if (seconds > 0) await shop.sandbox?.controls.advance(seconds, 'second')
    past = ago
  }
  try {
    if (shop.firstAdmin && !config.admin.password)
      tellFirstAdmin(shop.firstAdmin, config.dataDir, process.stdout)
    const failing = { Quinn: 'yearly', Rita: 'monthly' } as const
    for (const [name, billing] of Object.entries(failing)) {
      // Its first renewal was due yesterday.
      await goTo(Date.now() - aPeriodBefore(new Date(Date.now() - day), billing).getTime())
      await shop.sandbox?.controls.failNextRenewal((await buy(shop, person(name), billing)).subscriptionId)
    }
    await goTo(0)
    for (const [leaving, gone, billing] of [
      ['Mara', 'Oona', 'monthly'],
      ['Nils', 'Paul', 'yearly'],
    ] as const) {
      const { call, id } = await buy(shop, person(leaving), billing)
      await call(purchases.cancel, { id })
      await endAtOnce(shop, (await buy(shop, person(gone), billing)).subscriptionId)
    }
    await buy(shop, demoBuyer, 'yearly')
    for (const [index, name] of names.entries()) {
      const { call, paymentIntentId } = await buy(shop, person(name), index % 3 ? 'monthly' : 'yearly')
      await call(accessRequests.submit, {
        paymentIntentId,
        exchangeName: 'Kraken',
        tradingViewUsername: `${name.toLowerCase()}_demo`,
        apiKey: 'demo-key',
        secretKey: 'not a real secret',
      })
    }
    await shop.sandbox?.controls.webhooks.flush()
    await shop.queue.idle()
    return await copyPayments(shop.connection.url)
  } finally {
    await shop.close()
  }
}

function aPeriodBefore(date: Date, billing: BillingType) {
  const before = new Date(date)
  if (billing === 'yearly') before.setUTCFullYear(before.getUTCFullYear() - 1)
  else before.setUTCMonth(before.getUTCMonth() - 1)
  return before
}

async function endAtOnce({ sandbox }: Shop, subscriptionId: string) {
  if (!sandbox) throw new Error('The demo buys with test cards only')
  const { secretKey, api } = sandbox
  await createStripeGateway({ secretKey, webhookSecret: '', address: api }).cancelNow(subscriptionId)
}

async function buy({ config, sandbox, connection }: Shop, person: Person, billingType: BillingType) {
  let cookie = ''
  const { call } = createCaller(async (path, init) => {
    const headers = new Headers(init.headers)
    headers.set('cookie', cookie)
    const response = await fetch(new URL(path, config.publicUrl), { ...init, headers })
    const set = response.headers.getSetCookie().map((line) => line.split(';')[0])
    cookie = [cookie, ...set].filter(Boolean).join('; ')
    return response
  })
  await call(accounts.register, person)
  const { clientSecret } = await call(checkout.createSubscriptionIntent, {
    productSlug: reboundSigmaPro.slug,
    billingType,
  })
  const [paymentIntentId = ''] = clientSecret.split('_secret_')
  const paid = await fetch(`${config.publicUrl}/_sandbox/v1/payment_intents/${paymentIntentId}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox?.publishableKey}` },
    body: new URLSearchParams({ client_secret: clientSecret, payment_method: 'pm_card_visa' }),
  })
  if (!paid.ok) throw new Error(`The sandbox refused a test card: ${await paid.text()}`)
  await sandbox?.controls.settle()
  await call(checkout.confirm, { paymentIntentId })
  const { rows } = await connection.pool.query<{ id: string; subscriptionId: string }>(
    'select id, stripe_subscription_id as "subscriptionId" from purchases where payment_intent_id = $1',
    [paymentIntentId],
  )
  if (!rows[0]) throw new Error('The purchase was not booked')
  return { call, paymentIntentId, ...rows[0] }
}
