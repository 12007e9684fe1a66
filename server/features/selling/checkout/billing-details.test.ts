import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { eq, sql } from 'drizzle-orm'
import StripeSdk from 'stripe'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { figures } from '#contract/admin/figures.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { billing } from '#contract/selling/billing.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { billingDetails, orders, users } from '#server/database/schema.ts'
import { paths } from '#server/paths.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

const secondProduct = 'second-sigma'
let shop: TestShop
beforeAll(async () => {
  const source = readFileSync(join(paths.products, `${reboundSigmaPro.slug}.md`), 'utf8')
  const productFiles = { [`${secondProduct}.md`]: source.replace('name: Rebound Sigma Pro', 'name: Second Sigma') }
  shop = await openShop({ productFiles, env: { TAX: 'stripe' } })
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

type Place = { country: string; postalCode?: string; vatId?: string }
type Buyer = Awaited<ReturnType<TestShop['user']>>

const begin = (visitor: Visitor, place?: Place, productSlug: string = reboundSigmaPro.slug, email?: string) =>
  visitor.call(checkout.createSubscriptionIntent, {
    productSlug,
    billingType: 'monthly',
    ...(place ? { place } : {}),
    ...(email ? { email } : {}),
  })

async function pay({ clientSecret }: { clientSecret: string }) {
  const [paymentIntentId = ''] = clientSecret.split('_secret_')
  await shop.pay({ clientSecret, paymentIntentId })
  await shop.settle()
  return paymentIntentId
}

async function buyFrom(place: Place) {
  const buyer = await shop.user()
  await pay(await begin(buyer, place))
  return buyer
}

async function renewAndLogIn({ call, user, password }: Buyer) {
  await shop.advance(1, 'month')
  await call(accounts.login, { email: user.email, password })
}

/** Rows of the buyer in the bookkeeper's CSV, oldest first. */
async function bookedPaymentsOf(email: string) {
  const admin = await shop.admin()
  const year = shop.clock.now().getUTCFullYear()
  const rows: Record<string, string>[] = []
  for (const period of [String(year - 1), String(year)]) {
    const file = await admin.send(figures.adminExportPayments, { period })
    rows.push(...parse<Record<string, string>>(await file.text(), { columns: true, bom: true }))
  }
  return rows.filter((row) => row.Email === email)
}

async function customerAtStripe(email: string) {
  const { rows } = await shop.connection.db.execute<{ id: string; country: string }>(sql`
    select id, data->'address'->>'country' as country from sandbox.objects
    where kind = 'customer' and data->>'email' = ${email}`)
  return rows[0] ?? { id: '', country: '' }
}

const germanCompany = { country: 'DE', vatId: 'DE123456789' }
const noDetails = { company: '', street: '', postalCode: '', city: '', country: '', vatId: '' }

test('a company that adds its name keeps the VAT ID of its checkout, and renews with reverse charge', async () => {
  const buyer = await buyFrom(germanCompany)
  const details = await buyer.call(billing.details, {})
  const { street, postalCode, city, vatId } = details
  await buyer.call(billing.save, { company: 'Ada GmbH', street, postalCode, city, country: 'DE', vatId })
  await renewAndLogIn(buyer)
  const reverseCharged = { 'Tax (USD)': '0.00', 'VAT ID': 'DE123456789' }
  expect(await bookedPaymentsOf(buyer.user.email)).toMatchObject([reverseCharged, reverseCharged])
  expect(details).toEqual({ ...noDetails, ...germanCompany, hasSubscription: true })
})

test('an abandoned checkout of a second product does not change the tax of the running subscription', async () => {
  const buyer = await buyFrom(germanCompany)
  await begin(buyer, { country: 'AT' }, secondProduct).catch(() => undefined)
  await renewAndLogIn(buyer)
  expect(await bookedPaymentsOf(buyer.user.email)).toMatchObject([{ 'Tax (USD)': '0.00' }, { 'Tax (USD)': '0.00' }])
  expect(await customerAtStripe(buyer.user.email)).toMatchObject({ country: 'DE' })
})

test('an empty VAT ID that the buyer leaves empty does not remove the one that the seller added at Stripe', async () => {
  const buyer = await buyFrom({ country: 'DE' })
  const { id } = await customerAtStripe(buyer.user.email)
  const sdk = new StripeSdk(shop.sandbox.secretKey, shop.sandbox.api)
  await sdk.customers.createTaxId(id, { type: 'eu_vat', value: 'DE123456789' })
  await buyer.call(billing.save, { ...noDetails, country: 'DE', company: 'Ada GmbH' })
  await renewAndLogIn(buyer)
  expect(await bookedPaymentsOf(buyer.user.email)).toMatchObject([{ 'Tax (USD)': '6.23' }, { 'Tax (USD)': '0.00' }])
})

test('a guest’s place and VAT ID are in the billing details of the account that the payment makes', async () => {
  const guest = shop.visitor()
  const email = 'company@example.com'
  const paymentIntentId = await pay(await begin(guest, germanCompany, reboundSigmaPro.slug, email))
  await shop.logInGuest(guest, { paymentIntentId })
  expect(await guest.call(billing.details, {})).toMatchObject(germanCompany)
})

test('a VAT ID that the buyer removes in the form is removed, and the renewal includes tax', async () => {
  const buyer = await buyFrom(germanCompany)
  await buyer.call(billing.save, { ...noDetails, country: 'DE' })
  await renewAndLogIn(buyer)
  expect(await bookedPaymentsOf(buyer.user.email)).toMatchObject([{ 'Tax (USD)': '0.00' }, { 'Tax (USD)': '6.23' }])
})

test('while a subscription runs, a checkout is taxed for the billing details, which the buyer can change', async () => {
  const buyer = await buyFrom(germanCompany)
  expect(await buyer.call(billing.details, {})).toMatchObject({ hasSubscription: true })
  for (const place of [{ country: 'AT' }, { country: 'DE' }, { country: 'DE', vatId: 'ATU12345678' }])
    await expect(begin(buyer, place, secondProduct)).rejects.toMatchObject({
      status: 400,
      fields: { country: expect.stringContaining('Invoices > Billing details') },
    })
  expect((await begin(buyer, germanCompany, secondProduct)).tax).toMatchObject({ isReverseCharge: true })
  expect((await begin(buyer, undefined, secondProduct)).tax).toMatchObject({ isReverseCharge: true })
  await buyer.call(billing.save, { ...noDetails, country: 'AT' })
  const second = await begin(buyer, undefined, secondProduct)
  expect(second.tax).toMatchObject({ percent: 20 })
  await pay(second)
  await renewAndLogIn(buyer)
  const taxes = (await bookedPaymentsOf(buyer.user.email)).map((row) => Number(row['Tax (USD)']))
  expect(taxes.toSorted((a, b) => a - b)).toEqual([0, 6.5, 6.5, 6.5])
})

test('the place of an unpaid checkout is in the buyer’s data, but not in the billing details', async () => {
  const buyer = await shop.user()
  await begin(buyer, germanCompany)
  expect(await buyer.call(billing.details, {})).toEqual({ ...noDetails, hasSubscription: false })
  expect(await buyer.call(accounts.myData, {})).toMatchObject({ orders: [germanCompany] })
})

test('billing details saved while a checkout is open are not replaced by its payment', async () => {
  const buyer = await shop.user()
  const begun = await begin(buyer, germanCompany)
  shop.clock.advance({ minutes: 1 })
  const details = { ...noDetails, country: 'AT', city: 'Wien' }
  await buyer.call(billing.save, details)
  await pay(begun)
  expect(await buyer.call(billing.details, {})).toMatchObject(details)
  await renewAndLogIn(buyer)
  expect(await bookedPaymentsOf(buyer.user.email)).toMatchObject([{ 'Tax (USD)': '0.00' }, { 'Tax (USD)': '6.50' }])
})

test('a guest’s order fills empty billing details of an existing account, but never replaces them', async () => {
  const owner = await shop.verifiedUser()
  await pay(await begin(shop.visitor(), { country: 'AT' }, reboundSigmaPro.slug, owner.user.email))
  expect(await owner.call(billing.details, {})).toMatchObject({ country: 'AT', hasSubscription: false })
  await pay(await begin(shop.visitor(), germanCompany, secondProduct, owner.user.email))
  expect(await owner.call(billing.details, {})).toMatchObject({ country: 'AT', vatId: '' })
})

test('a guest’s second order never replaces the place of the first, which the subscription is taxed for', async () => {
  const [guest, email] = [shop.visitor(), 'two-guests@example.com']
  const paymentIntentId = await pay(await begin(guest, germanCompany, reboundSigmaPro.slug, email))
  await shop.logInGuest(guest, { paymentIntentId })
  await pay(await begin(shop.visitor(), { country: 'AT' }, secondProduct, email))
  const [account] = await shop.connection.db
    .select({ country: billingDetails.country, vatId: billingDetails.vatId })
    .from(billingDetails)
    .innerJoin(users, eq(users.id, billingDetails.userId))
    .where(eq(users.email, email))
  expect(account).toEqual(germanCompany)
})

test('a checkout beside a running subscription works even if Stripe’s customer has lost its address', async () => {
  const buyer = await buyFrom(germanCompany)
  const sdk = new StripeSdk(shop.sandbox.secretKey, shop.sandbox.api)
  await sdk.customers.update((await customerAtStripe(buyer.user.email)).id, {
    address: { country: '', postal_code: '' },
  })
  expect((await begin(buyer, undefined, secondProduct)).tax).toMatchObject({ isReverseCharge: true })
})

test('deleting the account deletes the VAT ID from its orders', async () => {
  const buyer = await buyFrom(germanCompany)
  await buyer.call(accounts.deleteMyself, { password: buyer.password })
  const isOfBuyer = eq(orders.userId, buyer.user.id)
  expect(await shop.connection.db.select().from(orders).where(isOfBuyer)).toMatchObject([{ vatId: null }])
})
