import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { logins } from '#contract/identity/logins.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { sessions, users } from '#server/database/schema.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { seller } from '#server/testing/people.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const linksTo = async (email: string) =>
  (await shop.mails())
    .filter((mail) => mail.to === email && mail.subject === 'Your login link')
    .map(({ text }) => /auth\/link\?token=(\S+)/.exec(text)?.[1] ?? '')

async function linkFor(email: string) {
  await shop.visitor().call(logins.requestLink, { email })
  return (await linksTo(email)).at(-1) ?? ''
}

const invalidLink = { status: 400, code: 'link-invalid' }

test('a guest without a password logs in by an emailed link, once, and keeps the purchase', async () => {
  const guest = await shop.guest(shop.visitor())
  await shop.settle()
  const token = await linkFor(guest.email)
  const phone = shop.visitor()
  expect(await phone.call(logins.withLink, { token })).toMatchObject({ email: guest.email, isProven: true })
  expect(await phone.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  const [session] = await shop.connection.db
    .select({ provenBy: sessions.provenBy })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(users.email, guest.email))
  expect(session?.provenBy).toBe('link')
  await expect(shop.visitor().call(logins.withLink, { token })).rejects.toMatchObject(invalidLink)
})

test('a login link leads back to the page that asked for it, never to another site', async () => {
  const { user } = await shop.verifiedUser()
  const returnPath = '/checkout?product=rebound-sigma-pro&billing=yearly'
  await shop.visitor().call(logins.requestLink, { email: user.email, returnPath })
  expect((await linksTo(user.email)).at(-1)).toContain(`&return=${encodeURIComponent(returnPath)}`)
  for (const elsewhere of ['https://example.com', '//example.com', '/\\example.com', '/\t/example.com'])
    await expect(
      shop.visitor().call(logins.requestLink, { email: user.email, returnPath: elsewhere }),
    ).rejects.toMatchObject({ status: 400 })
})

test('a login link works for 15 minutes, sets no password, and a password link logs nobody in', async () => {
  const { user } = await shop.verifiedUser()
  const token = await linkFor(user.email)
  await expect(shop.visitor().call(accounts.resetPassword, { token, newPassword: 'sezame' })).rejects.toMatchObject(
    invalidLink,
  )
  await shop.visitor().call(accounts.requestPasswordReset, { email: user.email })
  const reset = /reset-password\?token=(\S+)/.exec((await shop.mails()).at(-1)?.text ?? '')?.[1] ?? ''
  await expect(shop.visitor().call(logins.withLink, { token: reset })).rejects.toMatchObject(invalidLink)
  shop.clock.advance({ minutes: 16 })
  await expect(shop.visitor().call(logins.withLink, { token })).rejects.toMatchObject(invalidLink)
})

test('the password still works afterward, and app codes are still asked for', async () => {
  const person = await shop.verifiedUser()
  const { email } = person.user
  await shop.visitor().call(logins.withLink, { token: await linkFor(email) })
  expect(await shop.visitor().call(accounts.login, { email, password: person.password })).toMatchObject({ email })
  const app = await addApp(shop, person)
  const browser = shop.visitor()
  await expect(browser.call(logins.withLink, { token: await linkFor(email) })).rejects.toMatchObject({
    status: 401,
    code: 'second-step-needed',
    secondSteps: ['code'],
  })
  expect(await browser.call(accounts.user, {})).toBeNull()
  expect(await browser.call(logins.withCode, { code: app.code() })).toMatchObject({ email })
})

test('a stranger who signed up with the address loses the account once its owner logs in by email', async () => {
  const stranger = await shop.user()
  const { email } = stranger.user
  const owner = shop.visitor()
  await owner.call(logins.withLink, { token: await linkFor(email) })
  expect(await stranger.call(accounts.user, {})).toBeNull()
  await expect(shop.visitor().call(accounts.login, { email, password: stranger.password })).rejects.toMatchObject({
    status: 401,
  })
  expect(await owner.call(accounts.user, {})).toMatchObject({ email, name: '' })
})

test('staff get no login link, and nobody gets more than three an hour', async () => {
  await linkFor(seller.email)
  expect(await linksTo(seller.email)).toEqual([])
  const { user } = await shop.verifiedUser()
  for (let time = 0; time < 5; time++) await linkFor(user.email)
  expect(await linksTo(user.email)).toHaveLength(3)
})
