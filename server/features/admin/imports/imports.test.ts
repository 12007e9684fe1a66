import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { type ImportLine, imports } from '#contract/admin/imports.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { paths } from '#server/paths.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop({ startsAt: new Date('2027-03-01T10:00:00Z') })
  admin = await shop.admin()
})
afterAll(() => shop.close())

let count = 0
const lineFor = (email: string, changes: Partial<ImportLine> = {}): ImportLine => ({
  line: ++count,
  email,
  name: 'Ada Lovelace',
  plan: 'yearly',
  paidUntil: '2027-06-30',
  ...changes,
})
const invitedWithAccess = { invite: true, hasAccess: true }
const purchasesOf = (email: string) => admin.call(purchasesAdmin.list, { q: email })
const verdictsOf = (results: { verdict: string }[]) => results.map(({ verdict }) => verdict)

test('each line that can’t be imported is named, and a check changes nothing', async () => {
  const taken = lineFor('owner@example.com', { tradingViewUsername: 'taken_name' })
  await admin.call(imports.adminImport, { lines: [taken], ...invitedWithAccess })
  const lines = [
    lineFor('new@example.com'),
    lineFor('not an address'),
    lineFor('a@example.com', { plan: 'weekly' }),
    lineFor('a@example.com', { paidUntil: '31.12.2027' }),
    lineFor('a@example.com', { paidUntil: '2027-02-31' }),
    lineFor('a@example.com', { paidUntil: '2027-02-28' }),
    lineFor('a@example.com', { tradingViewUsername: 'me@example.com' }),
    lineFor('a@example.com', { tradingViewUsername: 'TAKEN_name' }),
    lineFor('a@example.com', { name: 'see www.example.com' }),
    lineFor('OWNER@example.com'),
  ]
  const results = await admin.call(imports.adminCheck, { lines })
  expect(results.map(({ message }) => message)).toEqual([
    '',
    '“not an address” isn’t an email address. Please correct it in the file.',
    '“weekly” isn’t a plan. Write monthly or yearly.',
    '“31.12.2027” isn’t a day. Write it like 2026-12-31.',
    '“2027-02-31” isn’t a day. Write it like 2026-12-31.',
    '“Paid until” is in the past. Give a later day, or remove this line.',
    '“me@example.com” isn’t a TradingView username. Correct it or leave it empty.',
    'This TradingView account already belongs to another customer.',
    'This name has a link, an address, a phone number or over 100 characters. Shorten it or leave it empty.',
    'Has a subscription already',
  ])
  expect(results.map(({ line }) => line)).toEqual(lines.map(({ line }) => line))
  expect(await admin.call(accountsAdmin.list, { q: 'new@example.com' })).toEqual([])
  // Running it gives the same verdicts: the good line is booked, the others are left alone.
  const run = await admin.call(imports.adminImport, { lines, ...invitedWithAccess })
  expect(verdictsOf(run)).toEqual(verdictsOf(results))
  expect(await admin.call(accountsAdmin.list, { q: 'a@example.com' })).toEqual([])
})

test('an imported subscriber gets an account, a purchase until the paid day, and the access they had', async () => {
  const email = 'grace@example.com'
  const lines = [lineFor(email, { name: 'Grace', tradingViewUsername: 'https://www.tradingview.com/u/Grace_H/' })]
  expect(verdictsOf(await admin.call(imports.adminImport, { lines, ...invitedWithAccess }))).toEqual(['new'])
  expect(await purchasesOf(email)).toMatchObject([
    {
      status: 'active',
      kind: 'paid_elsewhere',
      billingType: 'yearly',
      amount: 39_000,
      endsAt: '2027-06-30T23:59:00.000Z',
      tradingViewUsername: 'Grace_H',
      user: { name: 'Grace' },
    },
  ])
  expect(await admin.call(accessAdmin.people, { q: 'grace_h' })).toMatchObject([{ user: { email }, state: 'unlocked' }])
  const mail = (await shop.mails()).find(({ to }) => to === email)
  const token = /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'a password of her own' })
})

test('an interrupted import can be repeated, even concurrently, and books each line once', async () => {
  const lines = Array.from({ length: 6 }, (_, index) => lineFor(`again-${index}@example.com`))
  await admin.call(imports.adminImport, { lines: lines.slice(0, 2), ...invitedWithAccess })
  const importAll = () => admin.call(imports.adminImport, { lines, ...invitedWithAccess })
  const results = await Promise.all([importAll(), importAll()])
  const newVerdicts = results.flatMap(verdictsOf).filter((verdict) => verdict === 'new')
  expect(newVerdicts).toHaveLength(4)
  for (const { email = '' } of lines) {
    expect(await purchasesOf(email)).toHaveLength(1)
    expect((await shop.mails()).filter(({ to }) => to === email)).toHaveLength(1)
  }
})

test('an import can skip the emails, and leave the access to be unlocked by the seller', async () => {
  const email = 'quiet@example.com'
  const lines = [lineFor(email, { tradingViewUsername: 'quiet_one' })]
  await admin.call(imports.adminImport, { lines, invite: false, hasAccess: false })
  expect((await shop.mails()).filter(({ to }) => to === email)).toEqual([])
  expect(await admin.call(accessAdmin.todo, { kind: 'unlock' })).toMatchObject([{ username: 'quiet_one' }])
})

test('an account with an unproven address does not get the purchase imported for that address', async () => {
  const squatter = await shop.user({ email: 'victim@example.com', name: 'Not Me' })
  await admin.call(imports.adminImport, { lines: [lineFor('victim@example.com')], ...invitedWithAccess })
  // The import has reset the account, which ended its session.
  await expect(squatter.call(purchases.list, {})).rejects.toMatchObject({ status: 401 })
  expect(await purchasesOf('victim@example.com')).toMatchObject([{ user: { name: 'Ada Lovelace' } }])
})

test('a plan named like a property of Object.prototype is refused', async () => {
  for (const plan of ['constructor', '__proto__', 'toString']) {
    const results = await admin.call(imports.adminCheck, { lines: [lineFor('plan@example.com', { plan })] })
    expect(results).toMatchObject([{ verdict: 'fault', message: `“${plan}” isn’t a plan. Write monthly or yearly.` }])
  }
})

test('in a shop with two products, each line is booked for the product that it names', async () => {
  const file = readFileSync(join(paths.products, 'rebound-sigma-pro.md'), 'utf8')
  const secondProduct = file
    .replace('name: Rebound Sigma Pro', 'name: Trend Compass')
    .replace('order: 100', 'order: 200')
  const productFiles = { 'trend-compass.md': secondProduct }
  await using ownShop = await openShop({ productFiles, startsAt: new Date('2027-03-01T10:00:00Z') })
  const seller = await ownShop.admin()
  const lines = [
    lineFor('ada@example.com', { product: 'rebound-sigma-pro', tradingViewUsername: 'ada_t' }),
    lineFor('ada@example.com', { product: ' trend compass', tradingViewUsername: 'ada_t' }),
    lineFor('ada@example.com', { product: 'Sigma Lite' }),
    lineFor('ada@example.com'),
  ]
  expect(await seller.call(imports.adminImport, { lines, ...invitedWithAccess })).toMatchObject([
    { verdict: 'new' },
    { verdict: 'new' },
    { verdict: 'fault', message: '“Sigma Lite” isn’t a product. Write rebound-sigma-pro or trend-compass.' },
    { verdict: 'fault', message: 'The product is missing. Write rebound-sigma-pro or trend-compass.' },
  ])
  const booked = await seller.call(purchasesAdmin.list, { q: 'ada@example.com' })
  expect(booked.map(({ product }) => product.slug).toSorted()).toEqual(['rebound-sigma-pro', 'trend-compass'])
})
