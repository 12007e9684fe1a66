import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { codes } from '#contract/selling/codes.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { production } from '#server/testing/production.ts'
import { openSmtp } from '#server/testing/smtp.ts'
import { openStripeStandIn, type StripeStandIn } from '#server/testing/stripe-stand-in.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'shop-go-live-'))
let smtp: Awaited<ReturnType<typeof openSmtp>>
let proxy: Awaited<ReturnType<typeof openProxy>>
beforeAll(async () => {
  smtp = await openSmtp()
  proxy = await openProxy()
})
afterAll(async () => {
  await smtp.close()
  proxy.close()
  rmSync(folder, { recursive: true, force: true })
})

async function openProxy() {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const certificateCommand = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -days 2 -subj /CN=${hostname()} -addext subjectAltName=DNS:${hostname()}`
  spawnSync('openssl', certificateCommand.split(' '))
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }).listen(0)
  await once(server, 'listening')
  return { cert, url: `https://${hostname()}:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const settingsFor = (standIn: StripeStandIn) => ({
  ...production,
  PAYMENTS: '',
  PUBLIC_URL: proxy.url,
  SUPPORT_EMAIL: 'help@shop.example',
  SMTP_URL: smtp.url,
  SELLER_NAME: 'Mia Muster',
  SELLER_STREET: 'Musterweg 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
  ...standIn.env,
})

type Run = {
  databaseUrl: string
  env: Record<string, string>
  at?: StripeStandIn
  killAtOutput?: string
  answer?: string
}

/** Does not use `spawnSync`, because this process serves the stand-in for Stripe meanwhile. */
async function goLive({ databaseUrl, env, at, killAtOutput, answer }: Run) {
  const command = ['--import', './server/testing/reroute-stripe.ts', 'scripts/go-live.ts']
  const child = spawn(process.execPath, answer ? command : [...command, '--yes'], {
    env: {
      ...process.env,
      DATA_DIR: folder,
      NODE_EXTRA_CA_CERTS: proxy.cert,
      STRIPE_STAND_IN_PORT: String(at?.address.port ?? ''),
      ...env,
      DATABASE_URL: databaseUrl,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
      if (killAtOutput && output.includes(killAtOutput)) child.kill('SIGKILL')
    })
  child.stdin.end(answer ? `${answer}\n` : '')
  const [code, signal] = await once(child, 'exit')
  return { code: code ?? signal, output }
}

async function query<Row extends pg.QueryResultRow>(databaseUrl: string, text: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

async function countRows(databaseUrl: string) {
  const tables = await query<{ name: string }>(
    databaseUrl,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('audit_log', 'attempts', 'terms_texts')`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await query<{ count: number }>(databaseUrl, `select count(*)::int from ${name}`)
    counts[name] = row?.count ?? 0
  }
  return counts
}

const addFactor = (databaseUrl: string) =>
  query(
    databaseUrl,
    `insert into app_codes (user_id, sealed_secret, last_step) select id, 'sealed', 0 from users where is_admin`,
  )

async function prepareStripe(standIn: StripeStandIn) {
  const { eventTypes, apiVersion } = await import('#server/gateways/stripe.ts')
  await standIn
    .sdk()
    .webhookEndpoints.create({
      url: `${proxy.url}/api/webhooks/stripe`,
      api_version: apiVersion,
      enabled_events: eventTypes as ['*'],
    })
}

/** A shop with test purchases, a gift, a code and an open checkout. */
async function prepareTriedShop() {
  const { url, drop } = await createTestDatabase()
  const shop = await openShop({ databaseUrl: url, env: { TRADINGVIEW: 'on' } })
  const admin = await shop.admin()
  const buyer = await shop.buyer()
  const guest = await shop.guest(shop.visitor())
  await shop.settle()
  const gifted = await shop.verifiedUser()
  await admin.call(purchasesAdmin.add, {
    userId: gifted.user.id,
    productId: reboundSigmaPro.id,
    billingType: 'yearly',
    amount: 39_000,
    status: 'active',
    kind: 'gift',
  })
  await admin.call(codes.adminAdd, { code: 'SPRING', percentOff: 20, months: 0 })
  await shop.visitor().call(newsletter.subscribe, { email: 'reader@example.com' })
  const tab = shop.visitor()
  const open = await shop.begin(tab, { email: 'open-tab@example.com' })
  await shop.settle()
  await shop.close()
  await addFactor(url)
  await query(
    url,
    `insert into jobs.job (name, data, start_after)
     select 'mail', jsonb_build_object('kind', kind, 'to', 'the seller'), now() + interval '1 day'
     from unnest(array['contactMessage', 'disputeOpened']) kind`,
  )
  return { url, drop, buyer, guest, gifted, tab, open }
}

test('go-live moves a shop to Stripe’s live mode without its test data, even if it is killed on the way', async () => {
  await using standIn = await openStripeStandIn({ account: 'acct_1Live' })
  const env = settingsFor(standIn)
  const tried = await prepareTriedShop()
  const run = (overrides: Partial<Run> = {}) => goLive({ databaseUrl: tried.url, env, at: standIn, ...overrides })

  const notReady = await run({ env: { ...env, SELLER_NAME: '' } })
  expect(notReady.output).toContain('✗ Stripe: webhook: No endpoint sends events')
  expect(notReady.output).toContain('✗ Imprint: Add your name')
  expect(notReady).toMatchObject({ code: 1, output: expect.stringContaining('Not yet: 2 of 9 checks failed.') })
  await prepareStripe(standIn)
  const beforeSwitch = await countRows(tried.url)
  expect(await run({ answer: 'no' })).toMatchObject({
    code: 0,
    output: expect.stringContaining('Nothing was changed.'),
  })
  const killedRun = { code: 'SIGKILL' }
  expect(await run({ killAtOutput: 'Backed up' })).toMatchObject(killedRun)
  const afterFirstKill = await countRows(tried.url)
  expect(await run({ killAtOutput: 'The shop now belongs' })).toMatchObject(killedRun)
  // Stripe fails for a while, so that the command is killed before it creates the coupon.
  await standIn.sandbox.controls.failNext(
    ...Array.from({ length: 3 }, () => ({ on: 'POST /v1/coupons', status: 500 as const })),
  )
  expect(await run({ killAtOutput: 'The prices are at Stripe' })).toMatchObject(killedRun)
  await standIn.sandbox.controls.behave({ faults: [] })
  const afterSwitch = await countRows(tried.url)
  expect(await run()).toMatchObject({ code: 0, output: expect.stringContaining('Start the shop: it sells.') })
  expect(await countRows(tried.url)).toEqual(afterSwitch)
  // The kill came before or after the transaction of the switch, but never in its middle.
  expect([beforeSwitch, afterSwitch]).toContainEqual(afterFirstKill)

  expect(afterSwitch).toMatchObject({
    orders: 0,
    purchases: 1,
    invoices: 0,
    payments: 0,
    mrr_movements: 0,
    access: 1,
    tv_connection: 0,
    stripe_events: 0,
    discount_codes: 1,
    newsletter_subscriptions: 1,
  })
  const people = await query<{ email: string }>(tried.url, 'select email from users')
  const emails = people.map(({ email }) => email)
  expect(emails).toContain(tried.buyer.user.email)
  expect(emails).toContain(tried.gifted.user.email)
  expect(emails).not.toContain(tried.guest.email)
  const waitingMails = await query(
    tried.url,
    `select data->>'kind' as kind from jobs.job where name = 'mail' and state = 'created'`,
  )
  expect(waitingMails).toEqual([{ kind: 'contactMessage' }])
  const sentMails = await query(
    tried.url,
    `select kind from sent_mails m join users u on u.id = m.user_id where u.email = '${tried.buyer.user.email}'`,
  )
  expect(sentMails).toEqual([{ kind: 'welcome' }])
  expect(await query(tried.url, `select from pg_namespace where nspname = 'sandbox'`)).toEqual([])
  const audited = await query(tried.url, `select detail from audit_log where action = 'payments.switch'`)
  expect(audited).toEqual([
    { detail: { from: 'test payments (PAYMENTS=sandbox)', to: 'Stripe’s live mode (acct_1Live)' } },
  ])
  const lookupKeys = (await standIn.sdk().prices.list()).data.map(({ lookup_key: key }) => key)
  expect(lookupKeys).toEqual(expect.arrayContaining(['rebound-sigma-pro-monthly', 'rebound-sigma-pro-yearly']))
  const [code] = await query<{ id: string }>(tried.url, 'select id from discount_codes')
  expect(await standIn.coupons()).toEqual([code?.id])
  const backups = readdirSync(join(folder, 'backups'))
  expect(backups.length).toBeGreaterThan(0)
  expect(statSync(join(folder, 'backups', backups[0] ?? '')).uid).toBe(statSync(folder).uid)

  const openShopEnv = { ...env, ADMIN_TWO_FACTOR: 'optional', TRADINGVIEW: 'off' }
  await using shop = await openShop({ databaseUrl: tried.url, stripeAddress: standIn.address, env: openShopEnv })
  const runWhileOpen = await run()
  expect(runWhileOpen).toMatchObject({
    code: 1,
    output: expect.stringContaining('The shop is running on this database'),
  })
  // The checkout that was open before the switch belongs to the former account.
  const tab = shop.visitor()
  for (const [name, value] of tried.tab.cookies) tab.cookies.set(name, value)
  const { paymentIntentId } = tried.open
  await expect(tab.call(checkout.agree, { paymentIntentId })).rejects.toMatchObject({ status: 404 })
  await expect(tab.call(checkout.guestPurchaseLogin, { paymentIntentId })).rejects.toMatchObject({ status: 403 })
  const { clientSecret } = await tab.call(checkout.createSubscriptionIntent, {
    productSlug: reboundSigmaPro.slug,
    billingType: 'monthly',
    email: 'open-tab@example.com',
  })
  const paid = await standIn.pay(clientSecret)
  await expect.poll(() => tab.callAndCheckDone(checkout.guestPurchaseLogin, { paymentIntentId: paid })).toBe(true)
  const owner = shop.visitor()
  await owner.call(accounts.login, { email: tried.buyer.user.email, password: tried.buyer.password })
  expect(await owner.call(purchases.list, {})).toEqual([])
  await tried.drop()
})

async function prepareShopWithSale(
  standIn: StripeStandIn,
  env: Record<string, string>,
  database = createTestDatabase(),
) {
  const { url, drop } = await database
  await using shop = await openShop({ databaseUrl: url, stripeAddress: standIn.address, env })
  const tab = shop.visitor()
  const { clientSecret } = await tab.call(checkout.createSubscriptionIntent, {
    productSlug: reboundSigmaPro.slug,
    billingType: 'monthly',
    email: 'buyer@example.com',
  })
  const paymentIntentId = await standIn.pay(clientSecret)
  await expect.poll(() => tab.callAndCheckDone(checkout.guestPurchaseLogin, { paymentIntentId })).toBe(true)
  await addFactor(url)
  return { url, drop }
}

test('the same command moves a shop from test payments to Stripe’s test keys and then to live keys', async () => {
  const key = { without: ['rak_accounts_kyc_basic_read'] }
  await using testAccount = await openStripeStandIn({ mode: 'test', prefix: 'rk', key })
  await using liveAccount = await openStripeStandIn({ account: 'acct_1Seller' })
  const database = await createTestDatabase()
  const tried = await openShop({ databaseUrl: database.url })
  await tried.guest(tried.visitor())
  await tried.settle()
  await tried.close()
  const env = { ...testAccount.env, SECRETS_KEY: production.SECRETS_KEY }
  expect(await goLive({ databaseUrl: database.url, env, at: testAccount })).toMatchObject({
    code: 0,
    output: expect.stringContaining('Start the shop: no money moves yet.'),
  })
  const { url, drop } = await prepareShopWithSale(testAccount, testAccount.env, Promise.resolve(database))
  await prepareStripe(liveAccount)
  const answer = await goLive({ databaseUrl: url, env: settingsFor(liveAccount), at: liveAccount })
  expect(answer).toMatchObject({ code: 0, output: expect.stringContaining('from Stripe’s test mode to') })
  expect(await countRows(url)).toMatchObject({ purchases: 0, orders: 0, invoices: 0, payments: 0, users: 1 })
  await drop()
})

test('a shop leaves a live account only without ongoing subscriptions, keeps its books, and can’t return to test mode', async () => {
  await using former = await openStripeStandIn({ account: 'acct_1Former' })
  await using next = await openStripeStandIn({ prefix: 'rk', account: 'acct_1Next' })
  const { url, drop } = await prepareShopWithSale(former, { ...settingsFor(former), ADMIN_TWO_FACTOR: 'optional' })
  await prepareStripe(next)
  const run = (env: Record<string, string>, at = next) => goLive({ databaseUrl: url, env, at })

  const refused = await run(settingsFor(next))
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('still has 1 ongoing subscriptions') })
  expect(refused.output).toMatch(/sub_\w+ {2}buyer@example\.com/)
  await query(url, `update purchases set status = 'cancelled', ended_at = now(), ended_because = 'cancelled'`)
  const moved = await run(settingsFor(next))
  expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('to Stripe’s live mode (acct_1Next)') })
  expect(
    await query(url, 'select former_account as at from purchases union all select former_account from invoices'),
  ).toEqual([{ at: 'acct_1Former' }, { at: 'acct_1Former' }])
  expect((await next.sdk().prices.list()).data).toHaveLength(2)

  const refusalText = 'put the live keys back, or use another database.'
  expect((await run(production)).output).toContain(refusalText)
  await drop()
})
