import { desc, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { settings } from '#contract/admin/settings.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { billing, taxLine } from '#contract/selling/billing.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { termsInForce } from '#contract/selling/legal/in-force.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { takeover } from '#contract/selling/takeover.ts'
import { orders } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { subscribeAtStripe } from '#server/testing/subscribe-at-stripe.ts'
import type { Visitor } from '#server/testing/visitor.ts'

const seller = {
  SELLER_NAME: 'Sigma GmbH',
  SELLER_STREET: 'Hauptgasse 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
  SELLER_VAT_ID: 'CHE-123.456.789 MWST',
}
let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { TAX: 'stripe', ...seller } })
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

const order = { productSlug: reboundSigmaPro.slug, billingType: 'monthly' as const }
const begin = (visitor: Visitor, place: { country: string; postalCode?: string; vatId?: string }) =>
  visitor.call(checkout.createSubscriptionIntent, { ...order, place })

async function invoicePageOf(buyer: Pick<Visitor, 'call'>, document = '') {
  const { viewUrl } = await buyer.call(purchases.document, { document })
  return (await fetch(new URL(viewUrl ?? '', shop.url))).text()
}

async function buyFrom(place: Parameters<typeof begin>[1]) {
  const buyer = await shop.user()
  const { clientSecret, tax } = await begin(buyer, place)
  const [paymentIntentId = ''] = clientSecret.split('_secret_')
  await shop.pay({ clientSecret, paymentIntentId })
  await shop.settle()
  const [purchase] = await buyer.call(purchases.list, {})
  const id = purchase?.id ?? ''
  const [invoice] = await buyer.call(purchases.invoices, { id })
  const page = await invoicePageOf(buyer, invoice?.id)
  return { ...buyer, id, tax, page, purchase }
}

test.for([
  ['DE', 19, 623],
  ['AT', 20, 650],
  ['FR', 20, 650],
  ['IT', 22, 703],
  ['CH', 8.1, 292],
] as const)('a buyer in %s pays the same $39.00, of which %d %% is tax', async ([country, percent, amount]) => {
  const { tax, purchase } = await buyFrom({ country })
  expect(tax).toMatchObject({ percent, amount, isReverseCharge: false })
  expect(purchase).toMatchObject({ amount: 3900, status: 'active' })
})

test('summary, receipt and invoice show the included tax, and the invoice has the seller’s details', async () => {
  const { tax, page, user } = await buyFrom({ country: 'DE' })
  expect(tax && taxLine(tax)).toBe('incl. 19 % VAT ($6.23)')
  const receipt = (await shop.mails()).find(({ to, subject }) => to === user.email && /receipt/.test(subject))
  expect(receipt?.text).toContain('Tax: incl. 19 % VAT ($6.23)')
  for (const part of [
    'Net</th><td>$32.77',
    'VAT 19 %</th><td>$6.23',
    'Total</th><td>$39.00',
    'Sigma GmbH, Hauptgasse 1, 4500 Solothurn, Switzerland',
    'VAT ID: CHE-123.456.789 MWST',
  ])
    expect(page).toContain(part)
})

test('a company with a VAT ID in the EU pays no tax, and a wrong VAT ID is refused at its field', async () => {
  const { tax, page } = await buyFrom({ country: 'DE', vatId: 'de123456789' })
  expect(tax).toMatchObject({ percent: 0, amount: 0, isReverseCharge: true })
  expect(page).toContain('VAT (reverse charge)')
  expect(page).toContain('DE123456789')
  await expect(begin(await shop.user(), { country: 'DE', vatId: 'ZZ12' })).rejects.toMatchObject({
    status: 400,
    fields: { vatId: expect.any(String) },
  })
})

test('a buyer in New York pays no tax, and a postal code is required only where the tax depends on it', async () => {
  const { tax, page } = await buyFrom({ country: 'US', postalCode: '10001' })
  expect(tax).toBeUndefined()
  expect(page).not.toContain('VAT 0 %')
  const user = await shop.user()
  await expect(begin(user, { country: 'US' })).rejects.toMatchObject({
    fields: { postalCode: 'Please enter your postal code' },
  })
  await expect(user.call(checkout.createSubscriptionIntent, order)).rejects.toMatchObject({
    fields: { country: 'Please choose your country' },
  })
})

test('each tax has its local name', async () => {
  const { tax } = await buyFrom({ country: 'AU' })
  expect(tax && taxLine(tax)).toBe('incl. 10 % GST ($3.55)')
  const canadianTaxes = [
    { name: 'GST', percent: 5, amount: 170 },
    { name: 'QST', percent: 9.975, amount: 338 },
  ]
  expect(taxLine({ percent: 14.975, amount: 508, isReverseCharge: false, parts: canadianTaxes })).toBe(
    'incl. 5 % GST ($1.70) and 9.975 % QST ($3.38)',
  )
})

test('a postal code that does not exist is refused at its field, in checkout and in billing details', async () => {
  const refusal = { status: 400, fields: { postalCode: 'Please check the postal code' } }
  const user = await shop.user()
  await expect(begin(user, { country: 'US', postalCode: '00000' })).rejects.toMatchObject(refusal)
  const buyer = await buyFrom({ country: 'US', postalCode: '10001' })
  const details = { company: '', street: '', postalCode: '00000', city: '', country: 'US', vatId: '' }
  await expect(buyer.call(billing.save, details)).rejects.toMatchObject(refusal)
  expect(await buyer.call(billing.details, {})).toMatchObject({ postalCode: '10001' })
})

test('the buyer of a taxed subscription can’t delete their country or postal code', async () => {
  const withoutPlace = { company: '', street: '', postalCode: '', city: 'Wien', country: '', vatId: '' }
  const buyer = await buyFrom({ country: 'AT' })
  await expect(buyer.call(billing.save, withoutPlace)).rejects.toMatchObject({
    status: 400,
    fields: { country: 'The tax on your subscription depends on the country' },
  })
  await expect(buyer.call(billing.save, { ...withoutPlace, country: 'US' })).rejects.toMatchObject({
    fields: { postalCode: 'The tax on your subscription depends on the postal code' },
  })
  await (await shop.user()).call(billing.save, withoutPlace)
})

test('a subscription that Stripe charges without tax, because it lost the place, is listed for the seller', async () => {
  const buyer = await buyFrom({ country: 'AT' })
  const { rows } = await shop.connection.db.execute<{ id: string }>(sql`
    select id from sandbox.objects where kind = 'customer' and data->>'email' = ${buyer.user.email}`)
  await shop.sandbox.controls.dashboard.removeAddress(rows[0]?.id ?? '')
  await shop.advance(1, 'month')
  const admin = await shop.admin()
  expect(await admin.call(overview.adminNeeds, {})).toContainEqual({ kind: 'untaxed', count: 1, dueAt: null })
  expect(await admin.call(purchasesAdmin.list, { need: 'untaxed' })).toMatchObject([{ id: buyer.id }])

  // A switch is refused, because it would charge a year without tax.
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const refused = {
    status: 409,
    message: expect.stringContaining('The tax on your subscription depends on where you are'),
  }
  const { id } = buyer
  await expect(buyer.call(purchases.switchOffer, { id })).rejects.toMatchObject(refused)
  const at = shop.clock.now().toISOString()
  await expect(buyer.call(purchases.switch, { id, at, amount: 35_100 })).rejects.toMatchObject(refused)
})

test('a subscription taken over is taxed from its next invoice on, once its buyer’s place is known', async () => {
  const admin = await shop.admin()
  const untaxed = await subscribeAtStripe(shop.sandbox, { email: 'nowhere@example.com' })
  const placed = await subscribeAtStripe(shop.sandbox, { email: 'placed@example.com', priceId: untaxed.priceId })
  const [customer] = (await placed.sdk.customers.list({ email: 'placed@example.com' })).data
  await placed.sdk.customers.update(customer?.id ?? '', { address: { country: 'AT' } })
  await shop.settle()
  const plan = { productId: reboundSigmaPro.id, billingType: 'monthly' as const }
  await admin.call(takeover.adminSetPlan, { id: untaxed.priceId, plan })
  const takeovers = await admin.call(takeover.adminTakeOver, { ids: [untaxed.id, placed.id], invite: true })
  await shop.settle()
  expect(takeovers.map(({ message }) => message)).toEqual([
    'Taken over, but charged without tax: Stripe doesn’t know where the customer is.',
    'Taken over',
  ])
  const isTaxed = async (id: string) => (await placed.sdk.subscriptions.retrieve(id)).automatic_tax.enabled
  expect([await isTaxed(untaxed.id), await isTaxed(placed.id)]).toEqual([false, true])
  const listed = await admin.call(purchasesAdmin.list, { need: 'untaxed', q: 'nowhere@example.com' })
  expect(listed).toHaveLength(1)

  const mail = (await shop.mails()).findLast(({ to }) => to === 'nowhere@example.com')
  const token = /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  const buyer = shop.visitor()
  await buyer.call(accounts.resetPassword, { token, newPassword: 'a password of her own' })
  await buyer.call(accounts.login, { email: 'nowhere@example.com', password: 'a password of her own' })
  const id = listed[0]?.id ?? ''
  await expect(buyer.call(purchases.switchOffer, { id })).rejects.toMatchObject({ code: 'card-needed' })
  await buyer.call(billing.save, { company: '', street: '', postalCode: '', city: '', country: 'DE', vatId: '' })
  await shop.settle()
  expect(await isTaxed(untaxed.id)).toBe(true)
  expect(await admin.call(purchasesAdmin.list, { need: 'untaxed', q: 'nowhere@example.com' })).toEqual([])
})

test('a buyer who comes back keeps street and city on the invoice', async () => {
  const buyer = await buyFrom({ country: 'AT' })
  const address = { street: 'Ring 1', postalCode: '1010', city: 'Wien', country: 'AT' }
  await buyer.call(billing.save, { ...address, company: '', vatId: '' })
  await shop.sandbox.controls.refund(buyer.purchase?.paymentIntentId ?? '')
  await shop.settle()
  await begin(buyer, { country: 'AT' })
  const { rows } = await shop.connection.db.execute<{ address: object }>(sql`
    select data->'address' as address from sandbox.objects
    where kind = 'customer' and data->>'email' = ${buyer.user.email}`)
  expect(rows).toMatchObject([{ address: { line1: 'Ring 1', postal_code: '1010', city: 'Wien' } }])
})

test('a buyer who removes their VAT ID at the checkout pays the tax', async () => {
  const buyer = await shop.user()
  expect((await begin(buyer, { country: 'DE', vatId: 'ATU12345678' })).tax).toMatchObject({ isReverseCharge: true })
  expect((await begin(buyer, { country: 'DE' })).tax).toMatchObject({ isReverseCharge: false, amount: 623 })
})

test('a buyer who corrects their country is taxed for the new one', async () => {
  const buyer = await shop.user()
  const first = await begin(buyer, { country: 'DE' })
  expect(await begin(buyer, { country: 'DE' })).toEqual(first)
  const second = await begin(buyer, { country: 'AT' })
  expect(second.clientSecret).not.toBe(first.clientSecret)
  expect(second.tax).toMatchObject({ percent: 20 })
})

test('a changed text of the terms gets a new version, and every version stays readable', async () => {
  const admin = await shop.admin()
  const firstTerms = await admin.call(termsInForce.show, {})
  await admin.call(settings.adminSave, { SUPPORT_EMAIL: 'other-questions@sigma.example' })
  const changedTerms = await shop.visitor().call(termsInForce.show, {})
  expect(changedTerms.version).not.toBe(firstTerms.version)
  expect(JSON.stringify(changedTerms.sections)).toContain('other-questions@sigma.example')
  expect(await shop.visitor().call(termsInForce.show, { version: firstTerms.version })).toEqual(firstTerms)
  await admin.call(settings.adminSave, { SUPPORT_EMAIL: '' })
  expect(await shop.visitor().call(termsInForce.show, {})).toEqual(firstTerms)
  await expect(shop.visitor().call(termsInForce.show, { version: 'unknown' })).rejects.toMatchObject({ status: 404 })
})

test('the order keeps the agreed terms and the buyer’s place, and both are in the buyer’s data', async () => {
  const buyer = await shop.user()
  const { clientSecret } = await begin(buyer, { country: 'CA', postalCode: 'K1A 0B1' })
  const [paymentIntentId = ''] = clientSecret.split('_secret_')
  const terms = await buyer.call(termsInForce.show, {})
  const stranger = await shop.user()
  await expect(stranger.call(checkout.agree, { paymentIntentId })).rejects.toMatchObject({ status: 404 })
  await buyer.call(checkout.agree, { paymentIntentId })
  await shop.pay({ clientSecret, paymentIntentId })
  await shop.settle()
  const record = { termsVersion: terms.version, country: 'CA', postalCode: 'K1A 0B1', vatId: null, cardCountry: 'US' }
  expect(await buyer.call(accounts.myData, {})).toMatchObject({ orders: [record] })
  const receipt = (await shop.mails()).find(({ to, subject }) => to === buyer.user.email && /receipt/.test(subject))
  for (const part of [
    `Terms of Service (version ${terms.version})`.toUpperCase(),
    'RIGHT OF WITHDRAWAL',
    'You have the right to withdraw from this contract within 14 days',
    'MODEL WITHDRAWAL FORM',
    'I/We (*) hereby give notice',
    'Sigma GmbH, Hauptgasse 1',
  ])
    expect(receipt?.text).toContain(part)

  await buyer.call(accounts.deleteMyself, { password: buyer.password })
  const [storedOrder] = await shop.connection.db.select().from(orders).orderBy(desc(orders.createdAt)).limit(1)
  expect(storedOrder).toMatchObject({ ...record, postalCode: null })
})

test('a buyer’s company, address and VAT ID are on the next invoice, and are deleted with the account', async () => {
  const buyer = await buyFrom({ country: 'AT' })
  const details = {
    company: 'Ada & Co',
    street: 'Ring 1',
    postalCode: '1010',
    city: 'Wien',
    country: 'AT',
    vatId: 'ATU12345678',
  }
  await buyer.call(billing.save, details)
  expect(await buyer.call(billing.details, {})).toMatchObject(details)
  await expect(buyer.call(billing.save, { ...details, vatId: 'AT!' })).rejects.toMatchObject({ status: 400 })
  await shop.advance(1, 'month')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const [invoice] = await buyer.call(purchases.invoices, { id: buyer.id })
  const page = await invoicePageOf(buyer, invoice?.id)
  for (const part of ['Ada &amp; Co', 'Ring 1, 1010 Wien, AT', 'ATU12345678', 'reverse charge'])
    expect(page).toContain(part)
  expect(await buyer.call(accounts.myData, {})).toMatchObject({ billingDetails: { company: 'Ada & Co' } })
  await buyer.call(accounts.deleteMyself, { password: buyer.password })
  expect(await shop.connection.db.$count(orders)).toBeGreaterThan(0)
})

test('every refund gets one credit note with its share of the tax', async () => {
  const buyer = await buyFrom({ country: 'DE' })
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.refund, { id: buyer.id, amount: 1000, refundedSoFar: 0 })
  await shop.settle()
  await admin.call(purchasesAdmin.refund, { id: buyer.id, refundedSoFar: 1000 })
  await shop.settle()
  const documents = await buyer.call(purchases.invoices, { id: buyer.id })
  const notes = documents.filter(({ kind }) => kind === 'credit_note')
  expect(notes.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([1000, 2900])
  expect(documents.filter(({ kind }) => kind === 'invoice')).toHaveLength(1)
  const { pdfUrl } = await buyer.call(purchases.document, { document: notes[0]?.id ?? '' })
  const pdf = await fetch(new URL(pdfUrl ?? '', shop.url))
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  const text = Buffer.from(await pdf.arrayBuffer()).toString('latin1')
  expect(text).toContain('(Credit note)')
  expect(text).toContain('VAT 19 %')
})
