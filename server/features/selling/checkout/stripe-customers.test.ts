import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { billing } from '#contract/selling/billing.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Customer = { id: string; name: string | null; email: string; deleted?: boolean }

/** Oldest first. */
async function customersOf(userId: string): Promise<Customer[]> {
  const { rows } = await shop.connection.db.execute<{ data: Customer }>(sql`
    select o.data from sandbox.objects o
    where o.id in (select customer_id from orders where user_id = ${userId}) order by o.seq`)
  return rows.map(({ data }) => data)
}

const intentOf = ({ paymentIntentId }: { paymentIntentId: string | null }) => paymentIntentId ?? ''

test('an account that buys again keeps its Stripe customer, and its older payments change nothing', async () => {
  const buyer = await shop.buyer()
  await shop.sandbox.controls.refund(intentOf(buyer.purchase))
  await shop.settle()
  const secondPurchase = await shop.buy(buyer, { billing: 'yearly' })
  expect(secondPurchase).toMatchObject({ status: 'active', refundedAmount: 0 })
  expect(await customersOf(buyer.user.id)).toMatchObject([{ email: buyer.user.email, name: 'Ada Trader' }])

  await shop.sandbox.controls.refund(intentOf(secondPurchase), 1000)
  await shop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([
    { id: secondPurchase.id, status: 'active', refundedAmount: 1000 },
    { id: buyer.purchase.id, status: 'cancelled', refundedAmount: 3900 },
  ])
})

test('an event about one of a customer’s subscriptions isn’t applied to another one', async () => {
  const buyer = await shop.buyer()
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  await shop.sandbox.controls.refund(intentOf(buyer.purchase))
  await shop.settle()
  const secondPurchase = await shop.buy(buyer)
  await shop.advance(1, 'month')
  const { booked, wanted } = await compareBooks(shop)
  const ofBuyer = ({ email }: { email: string }) => email === buyer.user.email
  expect(booked.filter(ofBuyer)).toHaveLength(2)
  expect(booked.filter(ofBuyer)).toEqual(wanted.filter(ofBuyer))
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  expect((await buyer.call(purchases.list, {}))[0]).toMatchObject({ id: secondPurchase.id, status: 'active' })
})

test('each guest gets a separate Stripe customer, even with the address of an account', async () => {
  const owner = await shop.verifiedUser()
  await shop.begin(owner)
  const { paymentIntentId } = await shop.guest(shop.visitor(), owner.user.email)
  await shop.confirmPurchase(owner, { paymentIntentId })
  const [ownersCustomer, guestsCustomer] = await customersOf(owner.user.id)
  expect(guestsCustomer?.id).not.toBe(ownersCustomer?.id)

  await shop.sandbox.controls.refund(paymentIntentId)
  await shop.settle()
  await shop.buy(owner)
  expect(await customersOf(owner.user.id)).toHaveLength(2)
})

test('a customer the seller deleted at Stripe is replaced by a new one, with the same billing details', async () => {
  const user = await shop.user()
  await shop.begin(user)
  const address = { street: '1 Main St', postalCode: '10115', city: 'Berlin', country: 'DE', vatId: '' }
  await user.call(billing.save, { company: 'Ada Ltd', ...address })
  await shop.connection.db.execute(sql`
    update sandbox.objects set data = data || '{"deleted": true}'
    where id in (select customer_id from orders where user_id = ${user.user.id})`)
  await shop.begin(user, { billing: 'yearly' })
  expect(await customersOf(user.user.id)).toMatchObject([{ deleted: true }, { name: 'Ada Ltd' }])
  // Unpaid checkouts are reused for 22 hours. The next one keeps the new customer.
  shop.clock.advance({ hours: 22.5 })
  await shop.begin(user)
  expect(await customersOf(user.user.id)).toHaveLength(2)
})

test('a changed account name reaches the customer at Stripe', async () => {
  const buyer = await shop.buyer()
  await buyer.call(accounts.updateProfile, { name: 'Ada Lovelace' })
  await shop.queue.waitUntilIdle()
  expect(await customersOf(buyer.user.id)).toMatchObject([{ name: 'Ada Lovelace' }])
})

test('deleting an account deletes its customers; invoices remain, and the books stay correct', async () => {
  const buyer = await shop.buyer()
  const [customer] = await customersOf(buyer.user.id)
  await buyer.call(accounts.deleteMyself, { password: buyer.password })
  await shop.settle()
  expect(await customersOf(buyer.user.id)).toEqual([expect.objectContaining({ id: customer?.id, deleted: true })])
  const { rows } = await shop.connection.db.execute(sql`
    select 1 from sandbox.objects where kind = 'invoice' and data->>'customer' = ${customer?.id}`)
  expect(rows).toHaveLength(1)
  await shop.queue.runNow('reconcile')
  const { booked, wanted } = await compareBooks(shop)
  // Shop and Stripe have both deleted the person's address.
  const withoutEmail = <Booked extends object>(books: Booked[]) => books.map((row) => ({ ...row, email: '' }))
  expect(withoutEmail(booked)).toEqual(withoutEmail(wanted))
})
