import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { accounts } from '#contract/identity/accounts.ts'
import type { Role } from '#contract/permissions.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { Config } from '#server/config.ts'
import { StartError } from '#server/errors.ts'
import { tellFirstAdmin } from '#server/process/first-admin.ts'
import { type Shop, startShop } from '#server/start.ts'
import { browser, buy, buyAndAsk, idOf, type Person, stripeOf, useCard } from './buying.ts'
import { copyPayments } from './payments.ts'

export const demoBuyer = { name: 'Demo Buyer', email: 'buyer@example.com', password: 'a believable buyer' }
/** Someone who helps the seller, and sees less of the admin area. */
export const demoSupport = { name: 'Demo Support', email: 'support.demo@example.com', password: 'a believable helper' }
/** Each misspelled a name that TradingView's look-alike knows: they wait for the seller, and for themselves. */
const misspelled = { Ada: 'ada_trade', Ben: 'TrendFollow', Carla: 'macd-mari' }

export const person = (name: string): Person => ({
  name: `${name} Demo`,
  email: `${name.toLowerCase()}.demo@example.com`,
  password: `${name} believes it`,
})

/** Buyers whose revenue moves in every way, with refunds and discounts. */
const storytellers = ['Sven', 'Tara', 'Tess', 'Uwe', 'Wanda', 'Yann', 'Zora']

const hour = 3_600_000
const day = 24 * hour

/** For these minutes the shop has an address of its own, despite the settings, collects tax, and emails no one. */
export const forDemo = (config: Config): Config => ({
  ...config,
  tax: { ...config.tax, mode: 'stripe' },
  port: 0,
  publicUrlIsGiven: false,
  rateLimits: false,
  mail: { ...config.mail, smtpUrl: undefined },
})

/** People who really buy: one in every state, the one you can log in as, some who wait. Returns how many got payments like theirs. */
export async function letThemBuy(config: Config): Promise<number> {
  let past = 0
  const here = { ...forDemo(config), mayCallTradingView: false }
  const shop = await startShop(here, {
    log: pino({ level: 'silent' }),
    withPages: false,
    now: () => new Date(Date.now() - past),
  })
  const { pool } = shop.connection
  const { rows } = await pool.query<{ present: string }>('select clock_offset as present from sandbox.settings')
  // Webhooks wait for `hearEverything`: one sync per purchase and day instead of one per event.
  await shop.sandbox?.controls.behave({ settlesIn: 'chf', delaySeconds: 3600 })
  const stopping = new AbortController()
  const stop = () => stopping.abort(new StartError('The demo was stopped half-way. Begin again with an empty shop.'))
  const stopped = once(stopping.signal, 'abort').then(() => stopping.signal.throwIfAborted())
  process.once('SIGINT', stop)
  async function hearEverything() {
    await shop.sandbox?.controls.webhooks.flush()
    await shop.queue.idle()
  }
  /** Only backward on an empty sandbox; forward, what falls due on the way happens. */
  async function goTo(ago: number) {
    stopping.signal.throwIfAborted()
    await hearEverything()
    const seconds = Math.round((past - ago) / 1000)
    console.log(ago > day ? `  … ${Math.round(ago / day)} days ago` : '  … today')
    if (seconds < 0) await pool.query('update sandbox.settings set clock_offset = clock_offset + $1', [seconds])
    else if (seconds > 0) {
      await shop.sandbox?.controls.advance(seconds, 'second')
      // The shop hears of the way before its own clock moves, or renewals would count as recorded months late.
      await hearEverything()
    }
    past = ago
  }
  async function fail(name: string, billing: BillingType) {
    // Same age as the failed renewals in fill.sql.
    const renewal = new Date(Date.now() - 2.4 * day)
    await goTo(Date.now() - aPeriodBefore(renewal, billing).getTime())
    const { call, id } = await buy(shop, person(name), billing)
    const { clientSecret } = await call(purchases.beginCardUpdate, { id })
    await useCard(shop, 'setup_intents', clientSecret, 'pm_card_chargeCustomerFail')
    await call(purchases.finishCardUpdate, { id, setupIntentId: idOf(clientSecret) })
  }
  async function fillYear() {
    await fail('Quinn', 'yearly')
    await moveRevenue(shop, goTo)
    await fail('Rita', 'monthly')
    await goTo(20 * day)
    const disputing = await buy(shop, person('Zora'), 'monthly')
    await goTo(6 * day)
    await shop.sandbox?.controls.openDispute(disputing.paymentIntentId)
    await shop.sandbox?.controls.settle()
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
    await giveDiscounts(shop)
    await subscribeAtStripe(shop)
    // Long enough ago that the connector has handed them to the seller.
    past = 3 * hour
    for (const [name, username] of Object.entries(misspelled)) await buyAndAsk(shop, person(name), username)
    await shop.sandbox?.controls.settle()
    await declareSome(shop)
    await hireSupport(shop)
    await pool.query(readFileSync(new URL('after-purchases.sql', import.meta.url), 'utf8'))
    console.log('  … payments and invoices of everyone')
    await hearEverything()
    const paid = await copyPayments(
      shop.connection.url,
      storytellers.map((name) => person(name).email),
    )
    // PostgreSQL plans by its statistics, which it would only update minutes after so many new rows.
    await pool.query('analyze')
    await count(shop)
    await settle(shop)
    await hearEverything()
    return paid
  }
  try {
    if (shop.firstAdmin && !config.admin.password) tellFirstAdmin(shop.firstAdmin, config.dataDir, process.stdout)
    return await Promise.race([fillYear(), stopped as Promise<never>])
  } catch (error) {
    // Left in the past, every later buyer would seem to have paid before they came.
    await pool.query('update sandbox.settings set clock_offset = $1', [rows[0]?.present])
    throw error
  } finally {
    process.off('SIGINT', stop)
    await shop.sandbox?.controls.behave({ delaySeconds: 0 })
    await shop.close()
  }
}

/** The shop compares its revenue with Stripe every night. */
export async function count({ queue }: Shop) {
  await queue.runNow('prove-revenue')
}

/** Stripe pays out what is available, and the shop reads it. */
async function settle({ sandbox, queue, connection }: Shop) {
  await sandbox?.controls.advance(1, 'second')
  await queue.runNow('read-balance')
  await connection.pool.query(readFileSync(new URL('settle.sql', import.meta.url), 'utf8'))
}

/** Bought, more, less, ended and back again; another plan; a lost dispute and a refund: each on its own day. */
async function moveRevenue(shop: Shop, goTo: (ago: number) => Promise<void>) {
  const controls = shop.sandbox?.controls
  const people: Record<string, Awaited<ReturnType<typeof buy>>> = {}
  const come = async (name: string, billing: BillingType) => {
    people[name] = await buy(shop, person(name), billing)
  }
  const subscriptionOf = (name: string) => people[name]?.subscriptionId ?? ''
  const story: [daysAgo: number, happens: () => Promise<unknown>][] = [
    [320, () => come('Sven', 'monthly')],
    [260, async () => controls?.dashboard.setQuantity(subscriptionOf('Sven'), 2)],
    [210, async () => controls?.dashboard.setQuantity(subscriptionOf('Sven'), 1)],
    // While the other price was asked.
    [190, () => come('Tara', 'monthly')],
    [170, () => endAtOnce(shop, subscriptionOf('Sven'))],
    [150, () => come('Tess', 'monthly')],
    [149, () => come('Yann', 'monthly')],
    [
      140,
      async () => {
        const dispute = await controls?.openDispute(people.Yann?.paymentIntentId ?? '')
        if (dispute) await controls?.closeDispute(dispute.id, 'lost')
      },
    ],
    [100, () => switchToYearly(shop, person('Tess'))],
    [80, () => come('Sven', 'monthly')],
    [64, () => switchToYearly(shop, person('Sven'))],
    [45, () => come('Uwe', 'yearly')],
    [40, async () => controls?.refund(people.Uwe?.paymentIntentId ?? '', 5000)],
  ]
  for (const [daysAgo, happens] of story) {
    await goTo(daysAgo * day)
    await happens()
    await controls?.settle()
    await controls?.webhooks.flush()
    await shop.queue.idle()
  }
}

async function switchToYearly(shop: Shop, { email, password }: Person) {
  const { call } = browser(shop)
  await call(accounts.login, { email, password })
  const [{ id } = { id: '' }] = await call(purchases.list, {})
  const { at, due: amount } = await call(purchases.switchOffer, { id })
  await call(purchases.switch, { id, at, amount })
}

/**
 * A declaration in every state: for the seller to decide (no such contract, too late, for good cause), waiting for its owner's
 * click or for its day, and carried out. Older ones that a seller closed are in fill.sql.
 */
async function declareSome(shop: Shop) {
  const { call } = browser(shop)
  const reviewerNamed = (first: string) => {
    const { name, email } = person(first)
    return { name, email, contract: email }
  }
  await call(declarations.withdraw, { ...reviewerNamed('Gus'), contract: 'gus.dmeo@example.com' })
  await call(declarations.withdraw, reviewerNamed('Rita'))
  await call(declarations.cancel, {
    ...reviewerNamed('Ada'),
    grounds: 'good_cause',
    reason: 'I no longer trade and my account at the exchange is closed.',
  })
  await call(declarations.cancel, { ...reviewerNamed('Ben'), grounds: 'ordinary' })
  const endsOn = new Date(Date.now() + 400 * day).toISOString().slice(0, 10)
  const waits = await buy(shop, person('Wim'), 'yearly')
  await waits.call(declarations.cancel, { ...reviewerNamed('Wim'), grounds: 'ordinary', endsOn })
  const refunded = await buy(shop, person('Vera'), 'monthly')
  await refunded.call(declarations.withdraw, reviewerNamed('Vera'))
}

async function hireSupport(shop: Shop) {
  const { id } = await browser(shop).call(accounts.register, demoSupport)
  const role: Role = 'support'
  await shop.connection.pool.query('update users set role = $2, verified_at = now() where id = $1', [id, role])
}

async function giveDiscounts(shop: Shop) {
  await shop.connection.pool.query(
    `insert into discount_codes (code, percent_off, amount_off, months, max_uses, new_only, stopped_at) values
     ('FRIENDS', null, 500, null, 50, false, null), ('WELCOME', 20, null, 0, null, true, null),
     ('SUMMER', 10, null, 3, 20, false, now())`,
  )
  await buy(shop, person('Wanda'), 'monthly', 'FRIENDS')
}

function aPeriodBefore(date: Date, billing: BillingType) {
  const before = new Date(date)
  if (billing === 'yearly') before.setUTCFullYear(before.getUTCFullYear() - 1)
  else before.setUTCMonth(before.getUTCMonth() - 1)
  return before
}

const endAtOnce = (shop: Shop, subscriptionId: string) => stripeOf(shop).subscriptions.cancelNow(subscriptionId)

/** Two who subscribed by a payment link, before there was a shop: they can be taken over. */
async function subscribeAtStripe(shop: Shop) {
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
    const begun = await stripe.newSubscriptions.create({ attempt: email, customerId, priceId })
    if ('clientSecret' in begun) await useCard(shop, 'payment_intents', begun.clientSecret, 'pm_card_visa')
  }
}
