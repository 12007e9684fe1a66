import { eq } from 'drizzle-orm'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { audit } from '#contract/admin/activity.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { purchases as purchaseRows, users } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { openSmtp } from '#server/testing/smtp.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const secondAdmin = { email: 'second@example.com', password: 'the second admin' }

/** Searches every table, jobs included, and every email but the farewell. Leaves out the Stripe sandbox's tables. */
async function tracesOf(word: string, testShop = shop) {
  await testShop.queue.waitUntilIdle()
  const { pool } = testShop.connection
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`,
  )
  expect(tables.length).toBeGreaterThan(20)
  const contents = await Promise.all(tables.map(({ name }) => pool.query(`select * from ${name}`)))
  const mails = (await testShop.mails()).filter(({ subject }) => subject !== farewell)
  const everything = JSON.stringify([contents.map(({ rows }) => rows), mails])
  const pattern = new RegExp(`.{0,60}(${word}).{0,20}`, 'gi')
  return [...everything.matchAll(pattern)].map(([trace]) => trace)
}

const farewell = 'Your account was deleted'

const mailsTo = async (email: string) =>
  (await shop.mails()).filter(({ to }) => to === email).map(({ subject }) => subject)

async function statusAtStripe(purchaseId: string) {
  const [row] = await shop.connection.db.select().from(purchaseRows).where(eq(purchaseRows.id, purchaseId))
  const stripe = new Stripe(shop.sandbox.secretKey, shop.sandbox.api)
  return (await stripe.subscriptions.retrieve(row?.stripeSubscriptionId ?? '')).status
}

describe('deleting a user', () => {
  test('whose address resembles another one removes no one else’s emails', async () => {
    const stranger = await shop.verifiedUser({ email: 't@shop.example' })
    const bystander = await shop.user({ email: 'best@shop.example' })
    const subjectsBefore = await mailsTo(bystander.user.email)
    await stranger.call(accounts.deleteMyself, { password: stranger.password })
    expect(await mailsTo(bystander.user.email)).toEqual(subjectsBefore)
    expect(subjectsBefore).toHaveLength(1)
  })

  test('with an unproven address does not remove the emails to that address', async () => {
    const email = 'only-typed@example.com'
    const stranger = await shop.user({ email })
    const subjectsBefore = await mailsTo(email)
    await stranger.call(accounts.deleteMyself, { password: stranger.password })
    expect(await mailsTo(email)).toEqual([...subjectsBefore, farewell])
  })

  test('anonymizes the person, keeps the books, stops billing at Stripe, and ends every session', async () => {
    const buyer = await shop.buyer()
    await buyer.call(accounts.updateProfile, { name: 'Traceable Name', tradingViewUsername: 'traceable_tv' })
    await buyer.call(access.submitForPurchase, {
      purchaseId: buyer.purchase.id,
      exchangeName: 'Traceable Exchange',
      tradingViewUsername: 'traceable_tv',
      apiKey: 'k',
      secretKey: 's',
      additionalInfo: 'Traceable words',
    })
    const admin = await shop.admin()
    const [request] = await admin.call(accessAdmin.todo, {})
    await admin.call(accessAdmin.decline, {
      ids: [request?.id ?? ''],
      reason: 'TradingView has no user traceable_tv',
      subscription: 'keep',
    })
    const traces = `traceable|${buyer.user.email}`
    expect((await tracesOf(traces)).length).toBeGreaterThan(5)
    await admin.call(accountsAdmin.delete, { id: buyer.user.id })

    await expect(buyer.call(purchases.list, {})).rejects.toMatchObject({ status: 401 })
    await expect(
      shop.visitor().call(accounts.login, { email: buyer.user.email, password: buyer.password }),
    ).rejects.toMatchObject({ status: 401 })
    expect(await tracesOf(traces)).toEqual([])

    const books = await admin.call(purchasesAdmin.list, { q: `deleted-${buyer.user.id}` })
    expect(books).toMatchObject([
      { id: buyer.purchase.id, amount: 3900, status: 'cancelled', user: { name: 'Deleted user' } },
    ])
    expect(await statusAtStripe(buyer.purchase.id)).toBe('canceled')
    expect(await admin.call(accountsAdmin.list, { q: buyer.user.email })).toEqual([])
    expect(await admin.call(audit.adminList, { q: buyer.user.email })).toEqual([])
    expect(await admin.call(audit.adminList, { q: buyer.user.id })).toMatchObject([
      { action: 'user.delete', subject: expect.stringContaining(buyer.user.id) },
      { action: 'access.declined', actorEmail: admin.user.email },
    ])
  })

  test('sends one last email, after which the address is stored nowhere', async () => {
    const buyer = await shop.buyer()
    const admin = await shop.admin()
    await admin.call(accountsAdmin.delete, { id: buyer.user.id })
    expect(await mailsTo(buyer.user.email)).toEqual([farewell])
    expect(await tracesOf(buyer.user.email)).toEqual([])
  })

  test('again and again with a victim’s address sends them at most three emails of each kind a day', async () => {
    const email = 'victim@example.com'
    for (let round = 0; round < 5; round++) {
      const { call, password } = await shop.user({ email })
      await call(accounts.deleteMyself, { password })
    }
    const subjects = (await mailsTo(email)).toSorted()
    expect(subjects).toEqual([...Array(3).fill('Welcome to Rebound Sigma'), ...Array(3).fill(farewell)])
  })

  test('leaves nothing behind even if the mail server refuses the last email', async () => {
    const smtp = await openSmtp({ refuse: () => 550 })
    await using ownShop = await openShop({ env: { SMTP_URL: smtp.url } })
    const person = await ownShop.user()
    await ownShop.connection.db.update(users).set({ verifiedAt: new Date() }).where(eq(users.id, person.user.id))
    await ownShop.queue.waitUntilIdle()
    expect(await ownShop.queue.failed.list({ limit: 10 })).toMatchObject({ items: [{ name: 'mail' }] })
    await person.call(accounts.deleteMyself, { password: person.password })
    expect(await tracesOf(person.user.email, ownShop)).toEqual([])
    await smtp.close()
  })

  test('frees the address, and a new account with it starts empty', async () => {
    const { user } = await shop.user({ email: 'again@example.com' })
    const admin = await shop.admin()
    await admin.call(accountsAdmin.delete, { id: user.id })
    const newAccount = await shop.user({ email: 'again@example.com' })
    expect(newAccount.user.id).not.toBe(user.id)
    await expect(admin.call(accountsAdmin.delete, { id: user.id })).rejects.toMatchObject({ status: 404 })
  })

  test('refuses yourself and unknown users', async () => {
    const admin = await shop.admin()
    await expect(admin.call(accountsAdmin.delete, { id: admin.user.id })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'You cannot delete yourself',
    })
    await expect(
      admin.call(accountsAdmin.delete, { id: '00000000-0000-4000-8000-000000000000' }),
    ).rejects.toMatchObject({ status: 404, serverMessage: 'User not found' })
  })

  test('is refused while a payment is being processed, and works once the payment is recorded', async () => {
    const person = await shop.user()
    const begun = await shop.begin(person)
    await shop.pay(begun)
    const admin = await shop.admin()
    const refused = { status: 409, serverMessage: 'A payment is still being processed. Please try again in a minute.' }
    await expect(admin.call(accountsAdmin.delete, { id: person.user.id })).rejects.toMatchObject(refused)
    await expect(person.call(accounts.deleteMyself, { password: person.password })).rejects.toMatchObject(refused)

    await shop.confirmPurchase(person, begun)
    const [purchase] = await person.call(purchases.list, {})
    expect(purchase).toMatchObject({ status: 'active' })
    await person.call(accounts.deleteMyself, { password: person.password })
    expect(await statusAtStripe(purchase?.id ?? '')).toBe('canceled')
  })

  test('leaves one admin when two delete each other at the same moment', async () => {
    await using ownShop = await openShop()
    const first = await ownShop.admin()
    await first.call(accountsAdmin.add, { ...secondAdmin, name: 'Second', isAdmin: true })
    const visitor = ownShop.visitor()
    const { id } = await visitor.call(accounts.login, secondAdmin)
    const answers = await Promise.allSettled([
      first.call(accountsAdmin.delete, { id }),
      visitor.call(accountsAdmin.delete, { id: first.user.id }),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const admins = await ownShop.connection.db.select().from(users).where(eq(users.isAdmin, true))
    expect(admins).toHaveLength(1)
  })
})

describe('deleting your own account', () => {
  test('asks for the password first', async () => {
    const person = await shop.user()
    await expect(person.call(accounts.deleteMyself, { password: 'wrong' })).rejects.toMatchObject({
      status: 403,
      fields: { password: 'Wrong password' },
    })
    expect(await person.call(accounts.user, {})).toEqual(person.user)
    await person.call(accounts.deleteMyself, { password: person.password })
    expect(person.cookies.has('session')).toBe(false)
    expect(await person.call(accounts.user, {})).toBeNull()
  })

  test('can’t be brute-forced', async () => {
    const person = await shop.user()
    for (let count = 0; count < 10; count++)
      await expect(person.call(accounts.deleteMyself, { password: 'wrong' })).rejects.toMatchObject({ status: 403 })
    await expect(person.call(accounts.deleteMyself, { password: person.password })).rejects.toMatchObject({
      status: 429,
    })
  })

  test('is refused for the last admin', async () => {
    await using ownShop = await openShop()
    const admin = await ownShop.admin()
    await expect(admin.call(accounts.deleteMyself, { password: admin.password })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'The last admin cannot be deleted',
    })
  })
})

describe('my data', () => {
  test('is a file with everything in the account and no secrets', async () => {
    const buyer = await shop.buyer()
    const admin = await shop.admin()
    await admin.call(purchasesAdmin.refund, { id: buyer.purchase.id, amount: 1000, refundedSoFar: 0 })
    const response = await buyer.fetch('/api/user/data')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="my-data.json"')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      account: { id: buyer.user.id, email: buyer.user.email },
      devices: [{ ip: expect.any(String) }],
      knownBrowsers: [{ firstSeenAt: expect.any(String) }, {}],
      orders: [{ amountInCents: 3900, email: buyer.user.email }],
      adminActions: [{ action: 'purchase.refund', by: 'the shop', ip: null, isAboutYou: true, at: expect.any(String) }],
      purchases: [
        {
          id: buyer.purchase.id,
          amountInCents: 3900,
          status: 'active',
          payments: [{ amountInCents: 3900, refunds: [{ amountInCents: 1000, status: 'succeeded' }] }],
        },
      ],
      accessRequests: [],
    })
    expect(text).not.toMatch(/hash|argon2|sealed|token/i)
    expect(text).not.toContain(admin.user.email)
  })
})
