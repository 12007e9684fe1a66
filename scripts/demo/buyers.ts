import { pino } from 'pino'
import { accessRequests } from '#contract/access-requests.ts'
import { accounts } from '#contract/accounts.ts'
import { createCaller } from '#contract/call.ts'
import { checkout } from '#contract/checkout.ts'
import { reboundSigmaPro } from '#contract/price-list.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { Config } from '#server/config.ts'
import { tellFirstAdmin } from '#server/process/first-admin.ts'
import { type Shop, startShop } from '#server/start.ts'

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

/** A dozen who really buy, with test cards, so that there are payments to refund and invoices to open. */
export async function letThemBuy(config: Config) {
  const here = { ...config, port: 0, rateLimits: false, mail: { ...config.mail, smtpUrl: undefined } }
  const shop = await startShop(here, { log: pino({ level: 'silent' }), withPages: false })
  try {
    if (shop.firstAdmin && !config.admin.password)
      tellFirstAdmin(shop.firstAdmin, config.dataDir, process.stdout)
    await buy(shop, demoBuyer, 'yearly')
    for (const [index, name] of names.entries()) {
      const person = {
        name: `${name} Demo`,
        email: `${name.toLowerCase()}.demo@example.com`,
        password: `${name} believes it`,
      }
      const { call, paymentIntentId } = await buy(shop, person, index % 3 ? 'monthly' : 'yearly')
      await call(accessRequests.submit, {
        paymentIntentId,
        exchangeName: 'Kraken',
        tradingViewUsername: `${name.toLowerCase()}_demo`,
        apiKey: 'demo-key',
        secretKey: 'not a real secret',
      })
    }
  } finally {
    await shop.close()
  }
}

async function buy({ config, sandbox }: Shop, person: typeof demoBuyer, billingType: BillingType) {
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
  await call(checkout.confirm, { paymentIntentId })
  return { call, paymentIntentId }
}
