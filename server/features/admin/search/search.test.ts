import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { search } from '#contract/admin/search.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { contractNumber } from '#contract/selling/legal/consumer-law.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { purchases, users } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
let buyer: Awaited<ReturnType<TestShop['buyer']>>
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
  await shop.buyer()
  buyer = await shop.buyer()
  await buyer.call(accounts.updateProfile, { name: 'Zora Quill', tradingViewUsername: 'Quill_Trades' })
})
afterAll(() => shop.close())

const find = async (q: string) => (await admin.call(search.adminFind, { q })).people.map(({ email }) => email)

test('a customer is found by name, email, and TradingView username, in any case', async () => {
  for (const q of ['zora', 'QUILL', buyer.user.email.toUpperCase(), 'quill_trades', 'QUILL_TR', buyer.user.id])
    expect([q, await find(q)]).toEqual([q, [buyer.user.email]])
})

test('a customer is found by the id or number of a payment, subscription, contract or invoice', async () => {
  const [row] = await shop.connection.db.select().from(purchases).where(eq(purchases.id, buyer.purchase.id))
  const { documents } = await admin.call(customers.adminPayments, { id: buyer.user.id })
  const [invoice] = documents
  const { rows } = await shop.connection.pool.query<{ customer: string }>(
    `select data->>'customer' as customer from sandbox.objects where kind = 'charge' and data->>'payment_intent' = $1`,
    [row?.paymentIntentId],
  )
  const references = [
    buyer.purchase.id,
    contractNumber(buyer.purchase.id),
    row?.paymentIntentId,
    row?.stripeSubscriptionId,
    rows[0]?.customer,
    invoice?.id,
    invoice?.number,
    invoice?.number?.toLowerCase(),
  ]
  for (const q of references) expect([q, await find(q ?? '')]).toEqual([q, [buyer.user.email]])
})

test('a customer is found by the payment of a renewal', async () => {
  await shop.advance(1, 'month')
  admin = await shop.admin()
  const { rows } = await shop.connection.pool.query<{ id: string }>(
    `select data->>'payment_intent' as id from sandbox.objects
     where kind = 'charge' and data->>'customer' = (
       select data->>'customer' from sandbox.objects where kind = 'charge' and data->>'payment_intent' = $1)
     order by seq desc limit 1`,
    [buyer.purchase.paymentIntentId],
  )
  expect(rows[0]?.id).not.toBe(buyer.purchase.paymentIntentId)
  expect(await find(rows[0]?.id ?? '')).toEqual([buyer.user.email])
})

test('a search without a match finds nobody', async () => {
  for (const q of ['nobody at all', 'pi_none', 'in_none', 'ABCD1234-0001', 'RS-00000000', "%'; drop", '%%%'])
    expect([q, await find(q)]).toEqual([q, []])
})

test('all words must match, in any order and across name, email and username', async () => {
  for (const q of ['Quill Zora', 'zora trades', `  ora   ${buyer.user.email.slice(0, 8)} quill `])
    expect([q, await find(q)]).toEqual([q, [buyer.user.email]])
  expect(await find('zora nobody')).toEqual([])
  expect(await admin.call(search.adminFind, { q: 'zo' })).toMatchObject({ hasMore: false, people: [{}] })
  const listed = await admin.call(accountsAdmin.list, { q: 'trades zora' })
  expect(listed.map(({ email }) => email)).toEqual([buyer.user.email])
  const { purchase } = buyer
  for (const q of ['quill_trades', contractNumber(purchase.id), 'QUILL zora'])
    expect((await admin.call(purchasesAdmin.list, { q })).map(({ id }) => id)).toEqual([purchase.id])
})

test('the search shows twenty people, with the exact username first; the list of users has more', async () => {
  const { db } = shop.connection
  const exactMatch = { name: 'Khan Number0', email: 'khan0@many.test', tradingViewUsername: 'Khan' }
  const others = Array.from({ length: 20 }, (_, n) => ({ name: `Khan Other${n}`, email: `other${n}@many.test` }))
  await db.insert(users).values([exactMatch, ...others.slice(0, 19)])
  const found = await admin.call(search.adminFind, { q: 'khan' })
  expect([found.people.length, found.hasMore]).toEqual([20, false])
  expect(found.people[0]).toMatchObject({ tradingViewUsername: 'Khan' })
  await db.insert(users).values(others.slice(19))
  const more = await admin.call(search.adminFind, { q: 'khan' })
  expect([more.people.length, more.hasMore]).toEqual([20, true])
  expect(more.people[0]).toMatchObject({ tradingViewUsername: 'Khan' })
  expect(await admin.call(accountsAdmin.list, { q: 'khan' })).toHaveLength(21)
})

test('a deleted person is not found', async () => {
  const deletedPerson = await shop.user({ name: 'Gone Entirely' })
  await admin.call(accountsAdmin.delete, { id: deletedPerson.user.id })
  expect(await find('entirely')).toEqual([])
  expect(await find(deletedPerson.user.id)).toEqual([])
})
