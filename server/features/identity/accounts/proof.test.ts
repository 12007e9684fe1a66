import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { knownDevices } from '#server/database/schema.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

async function linkTo(email: string, page: string) {
  const link = new RegExp(`/${page}\\?(?:first=1&)?token=(\\S+)`)
  const sent = (await shop.mails()).findLast(({ to, text }) => to === email && link.test(text))
  return link.exec(sent?.text ?? '')?.[1] ?? ''
}

test('a new account is not proven, and must confirm its address before it adds a passkey', async () => {
  const person = await shop.user()
  expect(person.user.isProven).toBe(false)
  await expect(person.call(factors.beginPasskey, {})).rejects.toMatchObject({
    status: 403,
    code: 'unproven',
    serverMessage: 'Confirm your address first. We’ll email you a link.',
  })
})

test('the link of the welcome email confirms the address in the browser that signed up, and keeps everything', async () => {
  const person = await shop.user()
  const token = await linkTo(person.user.email, 'confirm-address')
  expect(await person.call(accounts.confirmAddress, { token })).toEqual({ choosePassword: false })
  expect(await person.call(accounts.user, {})).toMatchObject({ isProven: true, name: 'Ada Trader' })
  await person.call(accounts.login, { email: person.user.email, password: person.password })
  // A second click on the link succeeds as well.
  expect(await shop.visitor().call(accounts.confirmAddress, { token })).toEqual({ choosePassword: false })
})

test('another link is sent on request, until the address is confirmed', async () => {
  const person = await shop.user()
  const { email } = person.user
  const firstLink = await linkTo(email, 'confirm-address')
  await person.call(accounts.sendConfirmation, {})
  const secondLink = await linkTo(email, 'confirm-address')
  expect(secondLink).not.toBe(firstLink)
  await person.call(accounts.confirmAddress, { token: secondLink })
  await person.call(accounts.sendConfirmation, {})
  expect(await linkTo(email, 'confirm-address')).toBe(secondLink)
})

test('opened in another browser, the link asks for a new password, and what a stranger had set is gone', async () => {
  const stranger = await shop.user({ name: 'A stranger' })
  const { email } = stranger.user
  const token = await linkTo(email, 'confirm-address')
  const owner = shop.visitor()
  expect(await owner.call(accounts.confirmAddress, { token })).toEqual({ choosePassword: true })
  expect(await stranger.call(accounts.user, {})).toMatchObject({ isProven: false })
  await owner.call(accounts.resetPassword, { token, newPassword: 'the owner chose this' })
  expect(await stranger.call(accounts.user, {})).toBeNull()
  await expect(stranger.call(accounts.login, { email, password: stranger.password })).rejects.toMatchObject({
    status: 401,
  })
  const loggedIn = await owner.call(accounts.login, { email, password: 'the owner chose this' })
  expect(loggedIn).toMatchObject({ isProven: true, name: '' })
})

test('a reset by the owner of the mailbox leaves no known device of a stranger', async () => {
  const stranger = await shop.user()
  const { email } = stranger.user
  const owner = shop.visitor()
  await owner.call(accounts.requestPasswordReset, { email })
  const token = await linkTo(email, 'reset-password')
  await owner.call(accounts.resetPassword, { token, newPassword: 'the owner chose this' })
  const { db } = shop.connection
  expect(await db.$count(knownDevices, eq(knownDevices.userId, stranger.user.id))).toBe(0)
})

async function addPasskey(person: Awaited<ReturnType<TestShop['user']>>) {
  const passkey = createAuthenticator(shop.url)
  const registration = passkey.register(await person.call(factors.beginPasskey, {}))
  await person.call(factors.addPasskey, { name: 'Planted', response: registration })
  return async function logInWithPasskey() {
    const visitor = shop.visitor()
    const response = passkey.authenticate(await visitor.call(logins.passkeyOptions, {}))
    return visitor.call(logins.withPasskey, { response })
  }
}

test('after the seller corrects an address, the stranger with the mistyped mailbox can’t log in', async () => {
  const stranger = await shop.verifiedUser()
  const logInWithPasskey = await addPasskey(stranger)
  const email = `right-${stranger.user.email}`
  await (await shop.admin()).call(customers.adminCorrectEmail, { id: stranger.user.id, email })
  await expect(logInWithPasskey()).rejects.toMatchObject({ status: 401 })
  await expect(shop.visitor().call(accounts.login, { email, password: stranger.password })).rejects.toMatchObject({
    status: 401,
  })
})

test('after an undo by a mailbox that had never proven the account, the stranger who used its address can’t log in', async () => {
  const stranger = await shop.user()
  const { email } = stranger.user
  const strangersEmail = `stranger-${email}`
  await stranger.call(credentials.changeEmail, { email: strangersEmail })
  const linkIn = async (to: string, action: string) => {
    const link = new RegExp(`action=${action}&id=(\\S+?)&token=(\\S+)`)
    const sent = (await shop.mails()).findLast((mail) => mail.to === to && link.test(mail.text))
    const [, id = '', token = ''] = link.exec(sent?.text ?? '') ?? []
    return { id, token }
  }
  await stranger.call(credentials.confirmEmail, await linkIn(strangersEmail, 'confirm-email'))
  const logInWithPasskey = await addPasskey(stranger)
  const owner = shop.visitor()
  await owner.call(credentials.undoEmail, await linkIn(email, 'undo-email'))
  const token = await linkTo(email, 'reset-password')
  await owner.call(accounts.resetPassword, { token, newPassword: 'the owner chose this' })
  await expect(logInWithPasskey()).rejects.toMatchObject({ status: 401 })
  const loggedIn = await owner.call(accounts.login, { email, password: 'the owner chose this' })
  expect(loggedIn).toMatchObject({ isProven: true, name: '' })
})
