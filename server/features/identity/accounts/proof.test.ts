import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
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

test('who has just signed up is not proven, and is asked to confirm the address before adding a passkey', async () => {
  const person = await shop.user()
  expect(person.user.isProven).toBe(false)
  await expect(person.call(factors.beginPasskey, {})).rejects.toMatchObject({
    status: 403,
    unproven: true,
    serverMessage: 'Confirm your address first. We’ll email you a link.',
  })
})

test('the link of the welcome email confirms the address in the browser that signed up, and keeps everything', async () => {
  const person = await shop.user()
  const token = await linkTo(person.user.email, 'confirm-address')
  expect(await person.call(accounts.confirmAddress, { token })).toEqual({ choosePassword: false })
  expect(await person.call(accounts.user, {})).toMatchObject({ isProven: true, name: 'Ada Trader' })
  await person.call(accounts.login, { email: person.user.email, password: person.password })
  // A second click is no surprise.
  expect(await shop.visitor().call(accounts.confirmAddress, { token })).toEqual({ choosePassword: false })
})

test('another link is sent on request, until the address is confirmed', async () => {
  const person = await shop.user()
  const { email } = person.user
  const first = await linkTo(email, 'confirm-address')
  await person.call(accounts.sendConfirmation, {})
  const second = await linkTo(email, 'confirm-address')
  expect(second).not.toBe(first)
  await person.call(accounts.confirmAddress, { token: second })
  await person.call(accounts.sendConfirmation, {})
  expect(await linkTo(email, 'confirm-address')).toBe(second)
})

test('opened anywhere else, the link asks for a new password, and what a stranger set is gone', async () => {
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
  const seen = await owner.call(accounts.login, { email, password: 'the owner chose this' })
  expect(seen).toMatchObject({ isProven: true, name: '' })
})
