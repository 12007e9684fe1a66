import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import type { Role } from '#contract/permissions.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { Config } from '#server/config.ts'
import { StartError } from '#server/errors.ts'
import { tellFirstAdmin } from '#server/process/first-admin.ts'
import { type Shop, startShop } from '#server/start.ts'
import { withClient } from '../command.ts'
import { buy, buyAndAskForAccess, createBrowserCaller, idOf, type Person, stripeOf, useCard } from './buying.ts'
import { copyPayments } from './payments.ts'

export const demoBuyer = { name: 'Demo Buyer', email: 'buyer@example.com', password: 'a believable buyer' }
export const demoSupport = { name: 'Demo Support', email: 'support.demo@example.com', password: 'a believable helper' }
/** Almost the names of users on TradingView's stand-in, so these buyers wait until the username is corrected. */
const misspelledUsernames = { Ada: 'ada_trade', Ben: 'TrendFollow', Carla: 'macd-mari' }

export const person = (name: string): Person => ({
  name: `${name} Demo`,
  email: `${name.toLowerCase()}.demo@example.com`,
  password: `${name} believes it`,
})

/** Buyers with switches, refunds, disputes or discounts. Their purchases are no models for the invented ones. */
const buyersWithHistory = ['Sven', 'Tara', 'Tess', 'Uwe', 'Wanda', 'Yann', 'Zora']

const hourMs = 3_600_000

export const withDemoSettings = (config: Config): Config => ({
  ...config,
  tax: { ...config.tax, mode: 'stripe' },
  port: 0,
  publicUrlIsGiven: false,
  rateLimits: false,
  mail: { ...config.mail, smtpUrl: undefined },
})

/** Returns the number of invented purchases that got payments like the real ones. */
export async function buyAsDemoPeople(config: Config): Promise<number> {
  let behindMs = 0
  const demoConfig = { ...withDemoSettings(config), mayCallTradingView: false }
  const shop = await startShop(demoConfig, {
    log: pino({ level: 'silent' }),
    withPages: false,
    now: () => new Date(Date.now() - behindMs),
  })
  const { pool } = shop.connection
  const { rows } = await pool.query<{ present: string }>('select clock_offset as present from sandbox.settings')
  // Webhooks wait for `deliverWebhooks`, which makes one sync per purchase and day instead of one per event.
  await shop.sandbox?.controls.behave({ settlesIn: 'chf', delaySeconds: 3600 })
  const stopping = new AbortController()
  const stop = () => stopping.abort(new StartError('The demo was stopped half-way. Begin again with an empty shop.'))
  const stopped = once(stopping.signal, 'abort').then(() => stopping.signal.throwIfAborted())
  process.once('SIGINT', stop)
  async function deliverWebhooks() {
    await shop.sandbox?.controls.webhooks.flush()
    await shop.queue.waitUntilIdle()
  }
  /** Moves the clocks. Backward works only while the sandbox is empty; forward, everything that falls due happens. */
  async function goTo(agoMs: number) {
    stopping.signal.throwIfAborted()
    await deliverWebhooks()
    const seconds = Math.round((behindMs - agoMs) / 1000)
    console.log(agoMs > dayMs ? `  … ${Math.round(agoMs / dayMs)} days ago` : '  … today')
    if (seconds < 0) await pool.query('update sandbox.settings set clock_offset = clock_offset + $1', [seconds])
    else if (seconds > 0) {
      await shop.sandbox?.controls.advance(seconds, 'second')
      // Webhooks arrive before the shop's own clock moves, or renewals would count as recorded months late.
      await deliverWebhooks()
    }
    behindMs = agoMs
  }
  async function buyWithFailedRenewal(name: string, billing: BillingType) {
    // Same age as the failed renewals in fill.sql.
    const renewsAt = new Date(Date.now() - 2.4 * dayMs)
    await goTo(Date.now() - startOfPeriodBefore(renewsAt, billing).getTime())
    const { call, id } = await buy(shop, person(name), billing)
    const { clientSecret } = await call(purchases.beginCardUpdate, { id })
    await useCard(shop, 'setup_intents', clientSecret, 'pm_card_chargeCustomerFail')
    await call(purchases.finishCardUpdate, { id, setupIntentId: idOf(clientSecret) })
  }
  async function buyAndCancel(buyer: Person, billing: BillingType) {
    const { call, id } = await buy(shop, buyer, billing)
    await call(purchases.cancel, { id })
  }
  async function buyAndEnd(buyer: Person, billing: BillingType) {
    const { subscriptionId } = await buy(shop, buyer, billing)
    await endImmediately(shop, subscriptionId)
  }
  async function fillYear() {
    await buyWithFailedRenewal('Quinn', 'yearly')
    await buyWithRevenueChanges(shop, goTo)
    await buyWithFailedRenewal('Rita', 'monthly')
    await goTo(20 * dayMs)
    const disputed = await buy(shop, person('Zora'), 'monthly')
    await goTo(6 * dayMs)
    await shop.sandbox?.controls.openDispute(disputed.paymentIntentId)
    await shop.sandbox?.controls.settle()
    await goTo(0)
    await buyAndCancel(person('Mara'), 'monthly')
    await buyAndEnd(person('Oona'), 'monthly')
    await buyAndCancel(person('Nils'), 'yearly')
    await buyAndEnd(person('Paul'), 'yearly')
    await buy(shop, demoBuyer, 'yearly')
    await createDiscountCodes(shop)
    await subscribeByPaymentLink(shop)
    // These people ask three hours ago, so that their requests already wait for the seller.
    behindMs = 3 * hourMs
    for (const [name, username] of Object.entries(misspelledUsernames))
      await buyAndAskForAccess(shop, person(name), username)
    await shop.sandbox?.controls.settle()
    await createDeclarations(shop)
    await registerSupport(shop)
    await pool.query(readFileSync(new URL('after-purchases.sql', import.meta.url), 'utf8'))
    console.log('  … payments and invoices of everyone')
    await deliverWebhooks()
    const copiedCount = await copyPayments(
      shop.connection.url,
      buyersWithHistory.map((name) => person(name).email),
    )
    await compareRevenue(shop)
    await payOut(shop)
    await deliverWebhooks()
    return copiedCount
  }
  try {
    if (shop.firstAdmin && !config.admin.password) tellFirstAdmin(shop.firstAdmin, config.dataDir, process.stdout)
    return await Promise.race([fillYear(), stopped as Promise<never>])
  } catch (error) {
    // If the sandbox's clock stayed in the past, later buyers would seem to pay before they sign up.
    await pool.query('update sandbox.settings set clock_offset = $1', [rows[0]?.present])
    throw error
  } finally {
    process.off('SIGINT', stop)
    await shop.sandbox?.controls.behave({ delaySeconds: 0 })
    await shop.close()
  }
}

export async function compareRevenue({ queue }: Shop) {
  await queue.runNow('prove-revenue')
}

/** The SQL adds the balance of invented payments, after the shop has read Stripe's. */
async function payOut({ sandbox, queue, connection }: Shop) {
  await sandbox?.controls.advance(1, 'second')
  await queue.runNow('read-balance')
  const sql = readFileSync(new URL('settle.sql', import.meta.url), 'utf8')
  await withClient(connection.url, (client) => client.query(sql))
}

async function buyWithRevenueChanges(shop: Shop, goTo: (agoMs: number) => Promise<void>) {
  const controls = shop.sandbox?.controls
  const people: Record<string, Awaited<ReturnType<typeof buy>>> = {}
  const subscribe = async (name: string, billing: BillingType) => {
    people[name] = await buy(shop, person(name), billing)
  }
  const subscriptionOf = (name: string) => people[name]?.subscriptionId ?? ''
  const events: [daysAgo: number, run: () => Promise<unknown>][] = [
    [320, () => subscribe('Sven', 'monthly')],
    [260, async () => controls?.dashboard.setQuantity(subscriptionOf('Sven'), 2)],
    [210, async () => controls?.dashboard.setQuantity(subscriptionOf('Sven'), 1)],
    // Bought in the two weeks of the other price; see fill.sql.
    [190, () => subscribe('Tara', 'monthly')],
    [170, () => endImmediately(shop, subscriptionOf('Sven'))],
    [150, () => subscribe('Tess', 'monthly')],
    [149, () => subscribe('Yann', 'monthly')],
    [
      140,
      async () => {
        const dispute = await controls?.openDispute(people.Yann?.paymentIntentId ?? '')
        if (dispute) await controls?.closeDispute(dispute.id, 'lost')
      },
    ],
    [100, () => switchToYearly(shop, person('Tess'))],
    [80, () => subscribe('Sven', 'monthly')],
    [64, () => switchToYearly(shop, person('Sven'))],
    [45, () => subscribe('Uwe', 'yearly')],
    [40, async () => controls?.refund(people.Uwe?.paymentIntentId ?? '', 5000)],
  ]
  for (const [daysAgo, run] of events) {
    await goTo(daysAgo * dayMs)
    await run()
    await controls?.settle()
    await controls?.webhooks.flush()
    await shop.queue.waitUntilIdle()
  }
}

async function switchToYearly(shop: Shop, { email, password }: Person) {
  const { call } = createBrowserCaller(shop)
  await call(accounts.login, { email, password })
  const [{ id } = { id: '' }] = await call(purchases.list, {})
  const { at, due: amount } = await call(purchases.switchOffer, { id })
  await call(purchases.switch, { id, at, amount })
}

/** Adds to the older declarations of fill.sql, which the seller closed. */
async function createDeclarations(shop: Shop) {
  const { call } = createBrowserCaller(shop)
  const declarantNamed = (first: string) => {
    const { name, email } = person(first)
    return { name, email, contract: email }
  }
  await call(declarations.withdraw, { ...declarantNamed('Gus'), contract: 'gus.dmeo@example.com' })
  await call(declarations.withdraw, declarantNamed('Rita'))
  await call(declarations.cancel, {
    ...declarantNamed('Ada'),
    grounds: 'good_cause',
    reason: 'I no longer trade and my account at the exchange is closed.',
  })
  await call(declarations.cancel, { ...declarantNamed('Ben'), grounds: 'ordinary' })
  const endsOn = new Date(Date.now() + 400 * dayMs).toISOString().slice(0, 10)
  const waiting = await buy(shop, person('Wim'), 'yearly')
  await waiting.call(declarations.cancel, { ...declarantNamed('Wim'), grounds: 'ordinary', endsOn })
  const refunded = await buy(shop, person('Vera'), 'monthly')
  await refunded.call(declarations.withdraw, declarantNamed('Vera'))
}

async function registerSupport(shop: Shop) {
  const { id } = await createBrowserCaller(shop).call(accounts.register, demoSupport)
  const role: Role = 'support'
  await shop.connection.pool.query('update users set role = $2, verified_at = now() where id = $1', [id, role])
}

async function createDiscountCodes(shop: Shop) {
  await shop.connection.pool.query(
    `insert into discount_codes (code, percent_off, amount_off, months, max_uses, new_only, stopped_at) values
     ('FRIENDS', null, 500, null, 50, false, null), ('WELCOME', 20, null, 0, null, true, null),
     ('SUMMER', 10, null, 3, 20, false, now())`,
  )
  await buy(shop, person('Wanda'), 'monthly', 'FRIENDS')
}

function startOfPeriodBefore(end: Date, billing: BillingType) {
  const start = new Date(end)
  if (billing === 'yearly') start.setUTCFullYear(start.getUTCFullYear() - 1)
  else start.setUTCMonth(start.getUTCMonth() - 1)
  return start
}

const endImmediately = (shop: Shop, subscriptionId: string) => stripeOf(shop).subscriptions.cancelNow(subscriptionId)

/** The seller can take these subscriptions over. */
async function subscribeByPaymentLink(shop: Shop) {
  const stripe = stripeOf(shop)
  const priceId = await stripe.prices.ensure({
    lookupKey: 'payment-link',
    product: { id: 'payment-link', name: 'Rebound Sigma (payment link)' },
    amount: 2900,
    interval: 'month',
    intervalCount: 1,
  })
  for (const { name, email } of [person('Xenia'), person('Yusuf')]) {
    const customerId = await stripe.customers.create({ attempt: email, name, email })
    const created = await stripe.newSubscriptions.create({ attempt: email, customerId, priceId })
    if ('clientSecret' in created) await useCard(shop, 'payment_intents', created.clientSecret, 'pm_card_visa')
  }
}
