import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { privatePackage } from '#contract/access/package.ts'
import { audit } from '#contract/admin/activity.ts'
import { settings } from '#contract/admin/settings.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { termsInForce } from '#contract/selling/legal/in-force.ts'
import { contact } from '#contract/site/contact.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
beforeAll(async () => {
  shop = await openShop({ env: { SELLER_NAME: 'From The Environment' } })
  admin = await shop.admin()
})
afterAll(() => shop.close())

const show = () => admin.call(settings.adminShow, {})
const settingNamed = async (name: string) => (await show()).settings.find((setting) => setting.name === name)

test('shows where each setting comes from, and no secret', async () => {
  expect(await settingNamed('SELLER_NAME')).toEqual({
    name: 'SELLER_NAME',
    value: 'From The Environment',
    source: 'environment',
  })
  expect(await settingNamed('SELLER_CITY')).toEqual({ name: 'SELLER_CITY', value: '', source: 'default' })
  const shownText = JSON.stringify(await show())
  expect(shownText).not.toContain(shop.config.databaseUrl)
  expect(shownText).not.toContain(admin.password)
  expect(await settingNamed('ADMIN_PASSWORD')).toMatchObject({ value: null, source: 'environment' })
})

test('lists each problem until it is solved', async () => {
  expect((await show()).problems.map(({ remedy }) => remedy)).toContain(
    'Add your street, city, and country under Seller.',
  )
  await admin.call(settings.adminSave, {
    SELLER_STREET: 'Long Row 12',
    SELLER_CITY: '4500 Solothurn',
    SELLER_COUNTRY: 'Switzerland',
  })
  expect((await show()).problems.some(({ text }) => text.includes('imprint'))).toBe(false)
  expect(await settingNamed('SELLER_CITY')).toMatchObject({ value: '4500 Solothurn', source: 'here' })
  expect(await admin.call(audit.adminList, { q: 'settings.save' })).toMatchObject([
    { subject: 'SELLER_STREET, SELLER_CITY, SELLER_COUNTRY' },
  ])
  const visitor = await shop.user()
  const welcome = (await shop.mails()).find(({ to }) => to === visitor.user.email)
  expect(welcome?.text).toContain('Long Row 12, 4500 Solothurn')
})

test('a new support address gets what buyers write, and clearing it restores the default', async () => {
  const message = { firstName: 'Ada', lastName: 'L', email: 'ada@example.com', message: 'Hello' }
  await admin.call(settings.adminSave, { SUPPORT_EMAIL: 'office@shop.test' })
  await shop.visitor().call(contact.send, message)
  expect((await shop.mails()).at(-1)).toMatchObject({
    to: 'office@shop.test',
    headers: { from: 'Rebound Sigma <office@shop.test>' },
  })
  await admin.call(settings.adminSave, { SUPPORT_EMAIL: '' })
  await shop.visitor().call(contact.send, message)
  expect((await shop.mails()).at(-1)).toMatchObject({ to: shop.config.supportEmail })
})

test('the next buyer gets the new package links', async () => {
  const buyer = await shop.buyer()
  const indicatorUrl = 'https://www.tradingview.com/script/new/'
  await admin.call(settings.adminSaveLinks, { slug: 'rebound-sigma-pro', indicatorUrl, strategyUrl: '' })
  expect(await buyer.call(privatePackage.show, {})).toMatchObject({ indicatorUrl })
})

test('refuses what the environment fixes, what it does not know, and what is not valid', async () => {
  const expectRefusal = (input: Record<string, string>, status: number) =>
    expect(admin.call(settings.adminSave, input)).rejects.toMatchObject({ status })
  await expectRefusal({ SELLER_NAME: 'Somebody Else' }, 409)
  await expectRefusal({ STRIPE_SECRET_KEY: 'sk_test_1' }, 400)
  await expectRefusal({ SUPPORT_EMAIL: 'nobody' }, 400)
  const scripted = { slug: 'rebound-sigma-pro', indicatorUrl: '', strategyUrl: 'javascript:alert(1)' }
  await expect(admin.call(settings.adminSaveLinks, scripted)).rejects.toMatchObject({ status: 400 })
  await expectRefusal({ SELLER_CITY: 'two\nlines' }, 400)
  expect(await settingNamed('SELLER_NAME')).toMatchObject({ value: 'From The Environment' })
})

test('the type of a photo is read from its content, and a photo can be removed', async () => {
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20)])
  await admin.call(settings.adminSavePhoto, { photo: png.toString('base64') })
  expect(await show()).toMatchObject({
    photo: expect.stringMatching(/^\/maker-[0-9a-f]{8}\.png$/),
    photoSource: 'here',
  })
  const page = Buffer.from('<script>alert(1)</script>').toString('base64')
  await expect(admin.call(settings.adminSavePhoto, { photo: page })).rejects.toMatchObject({ status: 400 })
  await admin.call(settings.adminSavePhoto, { photo: '' })
  expect(await show()).toMatchObject({ photo: null })
})

test('a process that starts later has the saved settings', async () => {
  await using other = await openShop({ databaseUrl: shop.config.databaseUrl ?? '' })
  const seller = await other.admin()
  expect((await seller.call(settings.adminShow, {})).settings).toContainEqual({
    name: 'SELLER_CITY',
    value: '4500 Solothurn',
    source: 'here',
  })
})

test('the test email arrives, or the admin sees the mail server’s answer', async () => {
  expect(await admin.call(settings.adminTestMail, {})).toEqual({ to: admin.user.email })
  expect((await shop.mails()).at(-1)).toMatchObject({ to: admin.user.email, subject: 'Emails work' })
  await using shopWithoutMail = await openShop({ env: { SMTP_URL: 'smtp://127.0.0.1:1' } })
  const seller = await shopWithoutMail.admin()
  await expect(seller.call(settings.adminTestMail, {})).rejects.toMatchObject({
    status: 502,
    serverMessage: expect.stringContaining('ECONNREFUSED'),
  })
})

test('the seller decides whether buyers are asked for exchange keys, and the checklist asks once', async () => {
  const isAsked = async () => (await show()).problems.some(({ remedy }) => remedy.includes('Exchange keys'))
  expect(await isAsked()).toBe(true)
  const buyer = await shop.buyer()
  const request = { tradingViewUsername: 'no_keys', purchaseId: buyer.purchase.id }
  const send = () => buyer.call(access.submitForPurchase, request)
  await expect(send()).rejects.toMatchObject({ status: 400 })
  await admin.call(settings.adminSave, { ASK_EXCHANGE_KEYS: 'no' })
  expect(await isAsked()).toBe(false)
  await send()
  await expect(admin.call(settings.adminSave, { ASK_EXCHANGE_KEYS: 'maybe' })).rejects.toMatchObject({ status: 400 })
})

test('another law or venue makes new terms, the old ones stay readable, and the checklist asks once', async () => {
  const isAsked = async () => (await show()).problems.some(({ remedy }) => remedy.includes('Law and venue'))
  const readTerms = (version?: string) => shop.visitor().call(termsInForce.show, { version })
  expect(await isAsked()).toBe(true)
  const oldTerms = await readTerms()
  expect(JSON.stringify(oldTerms)).toContain('Swiss law applies')
  await admin.call(settings.adminSave, { TERMS_LAW: 'German law', TERMS_VENUE: 'Munich, Germany' })
  expect(await isAsked()).toBe(false)
  const newTerms = await readTerms()
  expect(newTerms.version).not.toBe(oldTerms.version)
  expect(JSON.stringify(newTerms)).toContain('German law applies')
  expect(JSON.stringify(newTerms)).toContain('The place of jurisdiction is Munich, Germany.')
  expect(await readTerms(oldTerms.version)).toEqual(oldTerms)
})

test('somebody new is added without inventing a password: they get a link to choose one', async () => {
  await admin.call(accountsAdmin.add, { email: 'gift@example.com', name: 'Gina Gift', isAdmin: false })
  const mail = (await shop.mails()).find(({ to }) => to === 'gift@example.com')
  expect(mail?.text).toMatch(/http\S+password\S+/)
})
