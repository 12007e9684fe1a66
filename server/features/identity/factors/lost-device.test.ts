import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { logins } from '#contract/identity/logins.ts'
import { staff } from '#contract/identity/staff.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

/** A buyer with app codes who has entered the password but has lost the phone. */
async function buyerWithoutPhone() {
  const person = await shop.verifiedUser()
  const app = await addApp(shop, person)
  const visitor = shop.visitor()
  const credentials = { email: person.user.email, password: person.password }
  await visitor.call(accounts.login, credentials).catch(() => undefined)
  return { person, app, visitor, credentials }
}

async function linkIn(email: string, subject: string) {
  const mails = (await shop.mails()).filter((mail) => mail.to === email && mail.subject === subject)
  expect(mails.length, `${subject} to ${email}`).toBeLessThanOrEqual(1)
  const [, id = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(mails[0]?.text ?? '') ?? []
  return { id, token }
}
const requestedSubject = 'You asked to remove your second step'
const readySubject = 'Remove your second step now'

describe('a buyer without device and codes', () => {
  test('gets a link by email after 72 hours, which removes the second step once', async () => {
    const { person, visitor, credentials } = await buyerWithoutPhone()
    await visitor.call(logins.lostDevice, {})
    await expect(visitor.call(logins.lostDevice, {})).rejects.toMatchObject({ status: 409 })
    expect(await linkIn(credentials.email, requestedSubject)).toMatchObject({ id: expect.stringMatching(/^.{36}$/) })
    shop.clock.advance({ hours: 71 })
    await shop.queue.runNow('send-factor-resets')
    expect(await linkIn(credentials.email, readySubject)).toEqual({ id: '', token: '' })
    shop.clock.advance({ hours: 2 })
    await shop.queue.runNow('send-factor-resets')
    await shop.queue.runNow('send-factor-resets')
    const link = await linkIn(credentials.email, readySubject)
    await shop.visitor().call(logins.finishReset, link)
    expect(await person.call(accounts.user, {})).toBeNull()
    await shop.visitor().call(accounts.login, credentials)
    await expect(shop.visitor().call(logins.finishReset, link)).rejects.toMatchObject({ status: 400 })
  })

  test('can stop a reset that they did not request, with the link in the email', async () => {
    const { visitor, credentials } = await buyerWithoutPhone()
    await visitor.call(logins.lostDevice, {})
    await shop.visitor().call(logins.stopReset, await linkIn(credentials.email, requestedSubject))
    shop.clock.advance({ hours: 73 })
    await shop.queue.runNow('send-factor-resets')
    expect(await linkIn(credentials.email, readySubject)).toEqual({ id: '', token: '' })
  })

  test('stops the reset by logging in with a code after finding the phone', async () => {
    const { app, visitor, credentials } = await buyerWithoutPhone()
    await visitor.call(logins.lostDevice, {})
    await visitor.call(logins.withCode, { code: app.code() })
    shop.clock.advance({ hours: 73 })
    await shop.queue.runNow('send-factor-resets')
    expect(await linkIn(credentials.email, readySubject)).toEqual({ id: '', token: '' })
  })

  test('who has become staff meanwhile keeps the new factors, which the link does not remove', async () => {
    const { person, visitor, credentials } = await buyerWithoutPhone()
    await visitor.call(logins.lostDevice, {})
    shop.clock.advance({ hours: 73 })
    await shop.queue.runNow('send-factor-resets')
    const link = await linkIn(credentials.email, readySubject)
    await (await shop.admin()).call(staff.adminSetRole, { id: person.user.id, role: 'support' })
    await shop.choosePassword(person, credentials.email, credentials.password)
    const app = await addApp(shop, person)
    await expect(shop.visitor().call(logins.finishReset, link)).rejects.toMatchObject({ status: 400 })
    await visitor.call(accounts.login, credentials).catch(() => undefined)
    await visitor.call(logins.withCode, { code: app.code() })
  })

  test('must know the password first', async () => {
    await expect(shop.visitor().call(logins.lostDevice, {})).rejects.toMatchObject({ status: 401 })
  })
})

test('a link made for one purpose does nothing else', async () => {
  const { visitor, credentials } = await buyerWithoutPhone()
  await visitor.call(logins.lostDevice, {})
  const link = await linkIn(credentials.email, requestedSubject)
  shop.clock.advance({ hours: 73 })
  await shop.queue.runNow('send-factor-resets')
  await expect(shop.visitor().call(logins.finishReset, link)).rejects.toMatchObject({ status: 400 })
})

test('a password reset never removes a factor', async () => {
  const { person, credentials } = await buyerWithoutPhone()
  await shop.visitor().call(accounts.requestPasswordReset, { email: credentials.email })
  const mails = (await shop.mails()).filter(
    ({ to, subject }) => to === credentials.email && subject === 'Reset your password',
  )
  const token = /token=(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
  await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'an entirely new one' })
  await expect(
    shop.visitor().call(accounts.login, { email: person.user.email, password: 'an entirely new one' }),
  ).rejects.toMatchObject({ secondSteps: ['code'] })
})
