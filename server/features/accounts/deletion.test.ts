import { eq } from 'drizzle-orm'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessRequests } from '#contract/access-requests.ts'
import { accounts } from '#contract/accounts.ts'
import { audit } from '#contract/audit.ts'
import { purchases } from '#contract/purchases.ts'
import { purchases as purchaseRows, users } from '../../database/schema.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const second = { email: 'second@example.com', password: 'the second admin' }

/** Every row of every table, to search for traces. */
async function wholeDatabase() {
  const { pool } = shop.connection
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const contents = await Promise.all(
    tables
      .filter(({ name }) => !['audit_log', 'stripe_events'].includes(name))
      .map(({ name }) => pool.query(`select * from "${name}"`)),
  )
  return JSON.stringify(contents.map(({ rows }) => rows))
}

async function statusAtStripe(purchaseId: string) {
  const [row] = await shop.connection.db.select().from(purchaseRows).where(eq(purchaseRows.id, purchaseId))
  const stripe = new Stripe(shop.sandbox.secretKey, shop.sandbox.api)
  return (await stripe.subscriptions.retrieve(row?.stripeSubscriptionId ?? '')).status
}

describe('deleting a user', () => {
  test('anonymizes the person, keeps the books, stops billing at Stripe, and ends every session', async () => {
    const buyer = await shop.buyer()
    await buyer.call(accounts.updateProfile, { name: 'Traceable Name', tradingViewUsername: 'traceable_tv' })
    await buyer.call(accessRequests.submitForPurchase, {
      purchaseId: buyer.purchase.id,
      exchangeName: 'Traceable Exchange',
      tradingViewUsername: 'traceable_tv',
      apiKey: 'k',
      secretKey: 's',
      additionalInfo: 'Traceable words',
    })
    const admin = await shop.admin()
    await admin.call(accounts.adminDelete, { id: buyer.user.id })

    await expect(buyer.call(purchases.list, {})).rejects.toMatchObject({ status: 401 })
    await expect(
      shop.visitor().call(accounts.login, { email: buyer.user.email, password: buyer.password }),
    ).rejects.toMatchObject({ status: 401 })
    expect(await wholeDatabase()).not.toMatch(new RegExp(`traceable|${buyer.user.email}`, 'i'))

    const books = await admin.call(purchases.adminList, { q: `deleted-${buyer.user.id}` })
    expect(books).toMatchObject([
      { id: buyer.purchase.id, amount: 3900, status: 'cancelled', user: { name: 'Deleted user' } },
    ])
    expect(await statusAtStripe(buyer.purchase.id)).toBe('canceled')
    expect(await admin.call(accounts.adminList, { q: buyer.user.email })).toEqual([])
    expect(await admin.call(audit.adminList, { q: buyer.user.email })).toMatchObject([
      { action: 'user.delete', subject: buyer.user.email, actorEmail: admin.user.email },
    ])
  })

  test('frees the address: whoever signs up with it starts fresh', async () => {
    const { user } = await shop.user({ email: 'again@example.com' })
    const admin = await shop.admin()
    await admin.call(accounts.adminDelete, { id: user.id })
    const again = await shop.user({ email: 'again@example.com' })
    expect(again.user.id).not.toBe(user.id)
    await expect(admin.call(accounts.adminDelete, { id: user.id })).rejects.toMatchObject({ status: 404 })
  })

  test('refuses yourself and unknown users', async () => {
    const admin = await shop.admin()
    await expect(admin.call(accounts.adminDelete, { id: admin.user.id })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'You cannot delete yourself',
    })
    await expect(
      admin.call(accounts.adminDelete, { id: '00000000-0000-4000-8000-000000000000' }),
    ).rejects.toMatchObject({ status: 404, serverMessage: 'User not found' })
  })

  test('leaves one admin when two delete each other at the same moment', async () => {
    await using other = await openShop()
    const first = await other.admin()
    await first.call(accounts.adminAdd, { ...second, name: 'Second', isAdmin: true })
    const visitor = other.visitor()
    const { id } = await visitor.call(accounts.login, second)
    const answers = await Promise.allSettled([
      first.call(accounts.adminDelete, { id }),
      visitor.call(accounts.adminDelete, { id: first.user.id }),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const admins = await other.connection.db.select().from(users).where(eq(users.isAdmin, true))
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
      await expect(person.call(accounts.deleteMyself, { password: 'wrong' })).rejects.toMatchObject({
        status: 403,
      })
    await expect(person.call(accounts.deleteMyself, { password: person.password })).rejects.toMatchObject({
      status: 429,
    })
  })

  test('is refused for the last admin', async () => {
    await using other = await openShop()
    const admin = await other.admin()
    await expect(admin.call(accounts.deleteMyself, { password: admin.password })).rejects.toMatchObject({
      status: 409,
      serverMessage: 'The last admin cannot be deleted',
    })
  })
})

describe('my data', () => {
  test('is a file with everything in the account and no secrets', async () => {
    const buyer = await shop.buyer()
    const response = await buyer.fetch('/api/user/data')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="my-data.json"')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      account: { id: buyer.user.id, email: buyer.user.email },
      devices: [{ ip: expect.any(String) }],
      purchases: [{ id: buyer.purchase.id, amountInCents: 3900, status: 'active' }],
      accessRequests: [],
    })
    expect(text).not.toMatch(/hash|argon2|sealed|token/i)
  })
})
