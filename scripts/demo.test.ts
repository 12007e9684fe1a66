import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { figures } from '#contract/admin/figures.ts'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { bookkeeping } from '#contract/selling/bookkeeping.ts'
import { codes } from '#contract/selling/codes.ts'
import { declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { prices } from '#contract/selling/prices.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { takeover } from '#contract/selling/takeover.ts'
import { messages } from '#contract/site/messages.ts'
import { newsletterAddresses } from '#contract/site/newsletters.ts'
import { movementKinds, paymentKinds } from '#contract/statuses.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'shop-demo-'))
let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: TestShop
let output = ''
beforeAll(async () => {
  database = await createTestDatabase()
  // The tests open the same shop, which needs the same key to read its TradingView session.
  const keys = { SECRETS_KEY: randomBytes(32).toString('hex') }
  const env = {
    ...process.env,
    ...keys,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    ADMIN_EMAIL: 'seller@example.com',
    ADMIN_PASSWORD: 'the seller of the shop',
  }
  const demo = spawn(process.execPath, ['scripts/demo.ts', '--users', '150', '--purchases', '120'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(demo, 'close')
  let unlocking: NodeJS.Timeout | undefined
  for await (const chunk of demo.stdout.setEncoding('utf8')) {
    output += chunk
    // The shop opens for the last step, in which its connector unlocks people. Earlier, it would record old movements as today's.
    if (unlocking || !output.includes('3 of 3')) continue
    shop = await openShop({ databaseUrl: database.url, env: { TRADINGVIEW: 'on', ...keys } })
    unlocking = setInterval(() => void shop.queue.runNow('tradingview-due').catch(() => {}), 500)
  }
  clearInterval(unlocking)
  const [code] = await ended
  if (code !== 0) throw new Error(`The demo ended with ${code}: ${output}`)
  // An open shop does both every few minutes: it asks about past-due purchases, and hands people who wait to the seller.
  await shop.queue.runNow('reconcile')
  await shop.queue.runNow('tradingview-due')
  await shop.queue.waitUntilIdle()
}, 480_000)
afterAll(async () => {
  await shop.close()
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

test('the year has movements of every kind, reasons, cohorts, a refund and a lost dispute, and matches Stripe', async () => {
  const admin = await shop.admin()
  const yearFigures = await admin.call(figures.adminShow, { range: '12m' })
  for (const kind of movementKinds) expect(yearFigures.movements[kind].count, kind).toBeGreaterThan(0)
  expect(yearFigures.reasons.length).toBeGreaterThan(1)
  expect(yearFigures.cohorts.length).toBeGreaterThan(9)
  expect(yearFigures.cash.length).toBeGreaterThan(9)
  for (const kind of paymentKinds)
    expect((await admin.call(figures.adminPayments, { kind })).length, kind).toBeGreaterThan(0)
  expect(yearFigures.proof).toMatchObject({ differing: 0 })
  expect(yearFigures.proof?.compared).toBeGreaterThan(50)
  const { months, atRisk } = await admin.call(overview.adminShow, {})
  expect(months.map(({ late }) => late)).toEqual(months.map(() => 0))
  expect(atRisk.disputed.count).toBeGreaterThan(0)
})

test('the year settles in francs: every payout adds up, and two countries have tax', async () => {
  const admin = await shop.admin()
  const { months } = await admin.call(bookkeeping.adminMonths, {})
  expect(months.length).toBeGreaterThan(9)
  const { rows } = await shop.connection.pool.query<{
    net: number
    paid_out: number
    taxed: string[]
    untaxed: number
  }>(
    `select (sum(net) filter (where category <> 'payout'))::int as net, (-sum(net) filter (where category = 'payout'))::int as paid_out,
       (select array_agg(distinct country order by country) from payments where tax > 0) as taxed,
       (select count(*)::int from payments where tax = 0 and country in ('CH', 'DE')) as untaxed
     from balance_transactions where currency = 'chf'`,
  )
  const sum = (field: 'net' | 'paidOut') => months.reduce((total, { settled }) => total + settled[field], 0)
  expect([sum('net'), sum('paidOut')]).toEqual([rows[0]?.net, rows[0]?.paid_out])
  expect(rows[0]).toMatchObject({ taxed: ['CH', 'DE'], untaxed: 0 })
  const listed = await admin.call(bookkeeping.adminPayouts, { limit: 200 })
  expect(listed.length).toBeGreaterThan(50)
  expect(listed.filter(({ difference }) => difference !== 0)).toEqual([])
})

test('three discount codes exist, one of them used', async () => {
  const listed = await (await shop.admin()).call(codes.adminList, {})
  expect(listed.map(({ code, state, used }) => `${code} ${state} ${used}`).toSorted()).toEqual([
    'FRIENDS running 1',
    'SUMMER stopped 0',
    'WELCOME running 0',
  ])
})

test('two subscriptions that began at Stripe can be taken over', async () => {
  const admin = await shop.admin()
  const { prices: atStripe, subscriptions } = await admin.call(takeover.adminList, {})
  expect(subscriptions.map(({ email }) => email).toSorted()).toEqual([
    'xenia.demo@example.com',
    'yusuf.demo@example.com',
  ])
  const plan = { productId: reboundSigmaPro.id, billingType: 'monthly' as const }
  for (const { id } of atStripe) await admin.call(takeover.adminSetPlan, { id, plan })
  const ids = subscriptions.map(({ id }) => id)
  expect(await admin.call(takeover.adminTakeOver, { ids, invite: false })).toMatchObject([
    { verdict: 'new' },
    { verdict: 'new' },
  ])
})

test('the seller tried another price once, and its buyer keeps it', async () => {
  const [monthly] = await (await shop.admin()).call(prices.adminList, {})
  expect(monthly?.publications.map(({ amount, state }) => `${amount} ${state}`)).toEqual([
    '3900 current',
    '4500 past',
    '3900 past',
  ])
  expect(monthly?.subscriptions).toContainEqual({ amount: 4500, count: 1 })
})

test('the demo’s books match the payment side, in every state', async () => {
  const { booked, wanted } = await compareBooks(shop)
  expect(booked).toEqual(wanted)
  expect(new Set(booked.map(({ status }) => status))).toEqual(
    new Set(['active', 'pending_cancel', 'past_due', 'cancelled']),
  )
  expect(booked.length).toBeGreaterThan(100)
})

test('a seller can refund any of the demo’s purchases and finds people who wait', async () => {
  const admin = await shop.admin()
  const listed = await admin.call(purchasesAdmin.list, { limit: 100, status: 'active' })
  const paidPurchase = listed.findLast(({ paymentIntentId }) => paymentIntentId)
  await admin.call(purchasesAdmin.refund, { id: paidPurchase?.id ?? '', amount: 500, refundedSoFar: 0 })
  const [refundedPurchase] = await admin.call(purchasesAdmin.list, { limit: 1, q: paidPurchase?.user.email ?? '' })
  expect(refundedPurchase).toMatchObject({ id: paidPurchase?.id, refundedAmount: 500 })
  // The number shrinks to three while the connector unlocks people.
  expect((await admin.call(accessAdmin.todo, { limit: 100 })).length).toBeGreaterThanOrEqual(3)
})

test('the seller finds a declaration in every state', async () => {
  const listed = await (await shop.admin()).call(declarationsAdmin.list, {})
  const descriptions = listed.map(({ kind, state, isLate, forCause, purchase }) =>
    [kind, state, isLate && 'late', forCause && 'for cause', !purchase && 'unknown'].filter(Boolean).join(' '),
  )
  expect(new Set(descriptions)).toEqual(
    new Set([
      'withdrawal open unknown',
      'withdrawal open late',
      'withdrawal done',
      'withdrawal done late',
      'cancellation open for cause',
      'cancellation open',
      'cancellation confirmed',
      'cancellation done',
    ]),
  )
})

test('the admin area has gifts, open messages and newsletter addresses in several states', async () => {
  const admin = await shop.admin()
  expect(await admin.call(purchasesAdmin.list, { q: 'lena.gift' })).toMatchObject([{ kind: 'gift' }])
  expect((await admin.call(messages.adminList, { state: 'open' })).length).toBeGreaterThan(1)
  const readers = await admin.call(newsletterAddresses.adminList, {})
  expect(new Set(readers.map(({ state }) => state)).size).toBeGreaterThan(1)
})

test('the TradingView stand-in has unlocked people, requests for the seller, and differences of last night’s reconciliation', async () => {
  const admin = await shop.admin()
  const { items } = await admin.callPage(accessAdmin.people, { limit: 200, q: 'demo' })
  expect(items.find(({ username }) => username === 'uma_charts')?.state).toMatch(/^unlock(ing|ed)$/)
  const tasks = (await admin.call(accessAdmin.todo, { limit: 200 })).filter(({ kind }) => kind !== 'stuck')
  expect(new Set(tasks.map(({ username }) => username))).toEqual(
    new Set(['ada_trade', 'TrendFollow', 'macd-mari', 'old_friend_of_mine']),
  )
  const runs = await admin.call(tradingViewAdmin.runs, {})
  expect(runs.some((run) => run.isComplete && run.missing >= 1 && run.wrong >= 1)).toBe(true)
})

test('the buyer whose password is printed can log in and open an invoice', async () => {
  const [, email = '', password = ''] = /Log in as a buyer: (\S+), password "(.+)"/.exec(output) ?? []
  const buyer = shop.visitor()
  await buyer.call(accounts.login, { email, password })
  const [purchase] = await buyer.call(purchases.list, {})
  const invoices = await buyer.call(purchases.invoices, { id: purchase?.id ?? '' })
  expect(invoices).toHaveLength(1)
})

test('no two invoices have the same number', async () => {
  const { rows } = await shop.connection.pool.query<{ count: number; numbers: number }>(
    `select count(*)::int as count, count(distinct data->>'number')::int as numbers
     from sandbox.objects where kind = 'invoice' and data->>'number' is not null`,
  )
  expect(rows[0]?.count).toBeGreaterThan(50)
  expect(rows[0]?.numbers).toBe(rows[0]?.count)
})

test('support can log in and sees the requests but not the overview', async () => {
  const [, email = '', password = ''] = /Log in as support: (\S+), password "(.+)"/.exec(output) ?? []
  const support = shop.visitor()
  await support.call(accounts.login, { email, password })
  expect(await support.call(accessAdmin.todo, { limit: 20 })).not.toEqual([])
  await expect(support.call(overview.adminShow, {})).rejects.toMatchObject({ status: 403 })
})

test('every address is at example.com, so no one gets an email', async () => {
  const { rows } = await shop.connection.pool.query<{ email: string }>(
    `select email from users union select email from newsletter_subscriptions union select email from contact_messages`,
  )
  expect(rows.map(({ email }) => email.replace(/.*@/, '')).filter((host) => host !== 'example.com')).toEqual([])
})

const runDemo = (env: Record<string, string>) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/demo.ts'], {
    env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: dataDir, ...env },
    encoding: 'utf8',
  })
  return { status, output: stderr }
}

test('the demo refuses a shop in production, and a shop that has customers', () => {
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://shop.example',
    PAYMENTS: 'sandbox',
    SECRETS_KEY: randomBytes(32).toString('hex'),
  }
  for (const [env, line] of [
    [production, /^The demo invents buyers[^\n]+never in a shop with NODE_ENV=production[^\n]+\n$/],
    [{}, /^This shop already has customers[^\n]+\n$/],
  ] as const)
    expect(runDemo(env)).toEqual({ status: 1, output: expect.stringMatching(line) })
})

test('a demo that is stopped half-way resets the clock of the test payments', async () => {
  const empty = await createTestDatabase()
  const client = new pg.Client({ connectionString: empty.url })
  await client.connect()
  const offset = async () => Number((await client.query('select clock_offset as of from sandbox.settings')).rows[0]?.of)
  await expect.poll(offset).toBe(0)
  const demo = spawn(process.execPath, ['scripts/demo.ts', '--users', '20', '--purchases', '10'], {
    env: { ...process.env, DATABASE_URL: empty.url, DATA_DIR: dataDir, PUBLIC_URL: 'http://shop.localhost:1' },
  })
  const ended = once(demo, 'exit')
  await expect.poll(offset).toBeLessThan(-300 * 86_400)
  demo.kill('SIGINT')
  expect(await ended).toEqual([1, null])
  expect(await offset()).toBe(0)
  await client.end()
  await empty.drop()
})
