import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import StripeSdk from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stripeSetup } from '#contract/selling/stripe-setup.ts'
import { neededPermissions } from '#server/gateways/stripe/account.ts'
import { createStripeGateway, eventTypes } from '#server/gateways/stripe.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createStripeSetup } from './stripe-setup.ts'

const publicUrl = 'https://shop.rebound-sigma.com'
const url = `${publicUrl}/api/webhooks/stripe`

function openAccount(shop: TestShop, secretKey = shop.sandbox.secretKey) {
  let offsetMs = 0
  const { api } = shop.sandbox
  const warnings: unknown[] = []
  const sdk = new StripeSdk(secretKey, api)
  const { check, setup, warn } = createStripeSetup({
    stripe: createStripeGateway({ secretKey, webhookSecret: '', address: api }),
    now: () => new Date(Date.now() + offsetMs),
    log: { warn: (line: unknown) => void warnings.push(line) },
    secretKey: 'sk_test_of_the_seller',
    publicUrl,
  })
  return {
    sdk,
    check,
    setup,
    warn,
    warnings,
    wait: (minutes: number) => void (offsetMs += minutes * 60_000),
    todos: async () => (await check()).filter(({ state }) => state === 'todo').map(({ text }) => text),
  }
}

describe('the check of a seller’s Stripe account', () => {
  let shop: TestShop
  let account: ReturnType<typeof openAccount>
  beforeAll(async () => {
    shop = await openShop()
    // Keeps the test from sending anything to the internet.
    await shop.sandbox.controls.webhooks.behave({ drop: true })
    account = openAccount(shop)
  })
  afterAll(() => shop.close())

  test('names what is missing, and one command sets everything up', async () => {
    expect(await account.todos()).toEqual([
      `No endpoint sends events to ${url}. \`npm run stripe -- setup\` creates one.`,
      'Stripe doesn’t know shop.rebound-sigma.com yet, so Apple Pay isn’t shown. `npm run stripe -- setup` adds it.',
    ])
    const { done, webhookSecret } = await account.setup()
    expect(done).toEqual([`Webhook endpoint ${url}`, 'Domain shop.rebound-sigma.com for Apple Pay and Google Pay'])
    expect(webhookSecret).toMatch(/^whsec_/)
    expect((await account.check()).map(({ about, state }) => `${about}: ${state}`)).toEqual([
      'Account: ok',
      'Key: ok',
      'Webhook: ok',
      'Wallets: ok',
      'Emails: note',
      'Settings: note',
    ])
    expect(await account.setup()).toEqual({ done: [], webhookSecret: undefined })
  })

  test('names the events that the endpoint lacks after an upgrade, and setup adds them without a new secret', async () => {
    const [endpoint] = (await account.sdk.webhookEndpoints.list()).data
    await account.sdk.webhookEndpoints.update(endpoint?.id ?? '', { enabled_events: ['invoice.paid'] })
    expect(await account.todos()).toEqual([
      expect.stringMatching(/^It doesn’t send customer\.subscription\.created, .*charge\.dispute\.closed/),
    ])
    await account.warn()
    expect(account.warnings).toEqual([expect.stringMatching(/^Stripe, Webhook: It doesn’t send customer/)])
    expect(await account.setup()).toEqual({ done: ['Events of the webhook endpoint'], webhookSecret: undefined })
    const [updated] = (await account.sdk.webhookEndpoints.list()).data
    expect(updated).toMatchObject({ id: endpoint?.id, enabled_events: eventTypes })
  })

  test('finds an endpoint with another API version, and setup replaces and disables it', async () => {
    const [current] = (await account.sdk.webhookEndpoints.list()).data
    await account.sdk.webhookEndpoints.del(current?.id ?? '')
    const old = await account.sdk.webhookEndpoints.create({ url, api_version: '2020-08-27', enabled_events: ['*'] })
    expect(await account.todos()).toEqual([
      `Its API version is 2020-08-27, but the shop expects ${StripeSdk.API_VERSION}. \`npm run stripe -- setup\` fixes it.`,
    ])
    const { webhookSecret } = await account.setup()
    expect(webhookSecret).toMatch(/^whsec_/)
    expect(await account.sdk.webhookEndpoints.retrieve(old.id)).toMatchObject({ status: 'disabled' })
    expect(await account.todos()).toEqual([])
  })

  test('gives only one message if the key was rolled', async () => {
    const { check } = openAccount(shop, 'sk_test_that_was_rolled')
    expect(await check()).toEqual([
      {
        about: 'Key',
        state: 'todo',
        text: expect.stringMatching(/^Stripe doesn’t accept the key: Invalid API Key provided: sk_test_\*/),
      },
    ])
  })

  test('names subscriptions that Stripe paused after a failed payment', async () => {
    const { controls } = shop.sandbox
    const buyer = await shop.buyer()
    const { rows } = await shop.connection.db.execute<{ id: string }>(sql`
      select stripe_subscription_id as id from purchases where user_id = ${buyer.user.id}`)
    expect(await account.todos()).toEqual([])
    await controls.pause(rows[0]?.id ?? '', 'first_payment_failure')
    expect(await account.todos()).toEqual([
      expect.stringMatching(/^1 subscription: paused because a payment failed, so nothing is collected/),
    ])
    await controls.dashboard.unpause(rows[0]?.id ?? '')
  })

  test('names events that did not arrive', async () => {
    await shop.sandbox.controls.webhooks.behave({ delaySeconds: 3600 })
    await shop.guest(shop.visitor())
    expect(await account.todos()).toEqual([])
    account.wait(15)
    expect(await account.todos()).toEqual([expect.stringMatching(/^\d+ events? from the last three days did not/)])
    await shop.connection.db.execute(sql`delete from sandbox.deliveries`)
    await shop.sandbox.controls.webhooks.behave({ drop: true })
  })
})

test('a shop with test payments shows that to its admin, along with faults of its prices', async () => {
  await using shop = await openShop()
  const admin = await shop.admin()
  const check = () => admin.call(stripeSetup.adminCheck, {})
  expect(await check()).toEqual([
    {
      about: 'Account',
      state: 'note',
      text: 'Payments go to the sandbox, so no money moves. To start selling, set your Stripe keys.',
    },
    { about: 'Prices', state: 'ok', text: 'New subscribers pay $39.00 per month and $390.00 per year.' },
  ])
  await shop.connection.db.execute(
    sql`update sandbox.objects set data = jsonb_set(data, '{unit_amount}', '4100') where data->>'lookup_key' = 'rebound-sigma-pro-monthly'`,
  )
  expect(await check()).toMatchObject([
    { state: 'note' },
    { state: 'todo', text: expect.stringContaining('should be $39.00 per month, but it is 41.00 USD per month.') },
  ])
})

test('a price or product that was archived is named, and a restart brings both back', async () => {
  await using shop = await openShop()
  const { sdk } = openAccount(shop)
  const todos = async (startedShop: TestShop) =>
    (await (await startedShop.admin()).call(stripeSetup.adminCheck, {})).filter(({ state }) => state === 'todo')
  const { data } = await sdk.prices.list({ lookup_keys: ['rebound-sigma-pro-yearly'] })
  await sdk.prices.update(data[0]?.id ?? '', { active: false })
  expect((await todos(shop)).map(({ text }) => text)).toEqual([
    'rebound-sigma-pro-yearly should be $390.00 per year, but it is archived. A restart fixes it.',
  ])
  await sdk.products.update('rebound-sigma-pro', { active: false })
  expect(await todos(shop)).toHaveLength(2)
  await using restarted = await openShop({ databaseUrl: shop.connection.url })
  expect(await todos(restarted)).toEqual([])
})

test('docs/stripe.md lists every permission a restricted key needs', () => {
  const document = readFileSync(new URL('../../../../docs/stripe.md', import.meta.url), 'utf8')
  const rows = document.matchAll(/^\| ([^|]+) \| (read|write) \|/gm)
  const listed = [...rows].map(([, resource, level]) => `${resource}: ${level}`)
  expect(listed).toEqual(expect.arrayContaining(neededPermissions))
})
