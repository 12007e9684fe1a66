import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { stepUp } from '#contract/identity/step-up.ts'
import { appCodes } from '#server/database/schema.ts'
import { createSecrets } from '#server/security/secrets.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { resealAppCodes } from './factors.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Person = Awaited<ReturnType<TestShop['user']>>

const credentialsOf = ({ user, password }: Person) => ({ email: user.email, password })

/** A browser that has entered the right password and must enter a code. */
async function enterPassword(person: Person, testShop = shop) {
  const visitor = testShop.visitor()
  await expect(visitor.call(accounts.login, credentialsOf(person))).rejects.toMatchObject({
    status: 401,
    secondSteps: ['code'],
  })
  return visitor
}

describe('with app codes on, the password', () => {
  test('opens nothing until a code follows', async () => {
    const person = await shop.verifiedUser()
    const app = await addApp(shop, person)
    const visitor = await enterPassword(person)
    expect(await visitor.call(accounts.user, {})).toBeNull()
    await expect(visitor.call(accounts.profile, {})).rejects.toMatchObject({ status: 401 })
    const typed = app.code().replace(/(...)/, '$1 ')
    expect(await visitor.call(logins.withCode, { code: typed })).toMatchObject({ id: person.user.id })
    expect(await visitor.call(accounts.profile, {})).toMatchObject({ email: person.user.email })
  })

  test('takes each code once, also when it is sent twice at the same moment', async () => {
    const person = await shop.verifiedUser()
    const app = await addApp(shop, person)
    const browsers = [await enterPassword(person), await enterPassword(person)]
    const code = app.code()
    const outcomes = await Promise.allSettled(browsers.map((browser) => browser.call(logins.withCode, { code })))
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const third = await enterPassword(person)
    await expect(third.call(logins.withCode, { code })).rejects.toMatchObject({
      status: 403,
      serverMessage: 'Wrong code. Codes change every 30 seconds; is your clock right?',
    })
  })

  test('leaves five minutes to enter the code', async () => {
    const person = await shop.verifiedUser()
    const app = await addApp(shop, person)
    const slow = await enterPassword(person)
    shop.clock.advance({ minutes: 6 })
    await expect(slow.call(logins.withCode, { code: app.code() })).rejects.toMatchObject({
      status: 401,
      serverMessage: 'That took too long. Please log in again.',
    })
  })

  test('allows five wrong codes, then none for a quarter of an hour', async () => {
    const person = await shop.verifiedUser()
    const app = await addApp(shop, person)
    const guesser = await enterPassword(person)
    for (let tries = 0; tries < 5; tries++)
      await expect(guesser.call(logins.withCode, { code: '000000' })).rejects.toMatchObject({ status: 403 })
    await expect(guesser.call(logins.withCode, { code: app.code() })).rejects.toMatchObject({ status: 429 })
    shop.clock.advance({ minutes: 16 })
    const laterBrowser = await enterPassword(person)
    await laterBrowser.call(logins.withCode, { code: app.code() })
  })

  test('is not enough as a fresh proof of identity, but a code is', async () => {
    const person = await shop.verifiedUser()
    const app = await addApp(shop, person)
    shop.clock.advance({ minutes: 11 })
    await expect(person.call(factors.renewRecoveryCodes, {})).rejects.toMatchObject({ acceptedProofs: ['code'] })
    await expect(person.call(stepUp.withPassword, { password: person.password })).rejects.toMatchObject({ status: 403 })
    await person.call(stepUp.withCode, { code: app.code() })
    expect((await person.call(factors.renewRecoveryCodes, {})).recoveryCodes).toHaveLength(10)
  })
})

describe('recovery codes', () => {
  test('come with the first factor, ten of them, and each logs in once', async () => {
    const person = await shop.verifiedUser()
    const { recoveryCodes } = await addApp(shop, person)
    expect(new Set(recoveryCodes).size).toBe(10)
    const [code = ''] = recoveryCodes
    expect(code).toMatch(/^\w{4}-\w{4}-\w{4}-\w{4}$/)
    const browsers = [await enterPassword(person), await enterPassword(person)]
    const typed = { code: code.toUpperCase().replaceAll('-', ' ') }
    const outcomes = await Promise.allSettled(browsers.map((browser) => browser.call(logins.withCode, typed)))
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const loggedIn = outcomes[0]?.status === 'fulfilled' ? browsers[0] : browsers[1]
    expect(await loggedIn?.call(factors.show, {})).toMatchObject({ recoveryCodesLeft: 9, isRecovering: true })
    expect(await person.call(accounts.user, {})).toBeNull()
    const subjects = (await shop.mails()).filter(({ to }) => to === person.user.email).map(({ subject }) => subject)
    expect(subjects).toContain('A recovery code was used to log in')
    // Allows removing app codes after a login with a recovery code, as the phone is lost.
    await loggedIn?.call(factors.removeAppCodes, {})
    await shop.visitor().call(accounts.login, credentialsOf(person))
  })

  test('stop working once they are renewed', async () => {
    const person = await shop.verifiedUser()
    const { recoveryCodes } = await addApp(shop, person)
    await person.call(factors.renewRecoveryCodes, {})
    const visitor = await enterPassword(person)
    await expect(visitor.call(logins.withCode, { code: recoveryCodes[0] ?? '' })).rejects.toMatchObject({ status: 403 })
  })
})

test('a new factor logs out the other devices and sends the owner an email', async () => {
  const person = await shop.verifiedUser()
  const phone = shop.visitor()
  await phone.call(accounts.login, credentialsOf(person))
  await addApp(shop, person)
  expect(await phone.call(accounts.user, {})).toBeNull()
  expect(await person.call(accounts.user, {})).toEqual(person.user)
  const subjects = (await shop.mails()).map(({ to, subject }) => [to, subject])
  expect(subjects).toContainEqual([person.user.email, 'A new authenticator app was added to your account'])
})

test('a QR code that another account was shown cannot be confirmed', async () => {
  const [ada, eve] = [await shop.verifiedUser(), await shop.verifiedUser()]
  const { sealed } = await ada.call(factors.beginAppCodes, {})
  await expect(eve.call(factors.confirmAppCodes, { sealed, code: '123456' })).rejects.toMatchObject({ status: 400 })
})

test('secrets are sealed, and still work after the shop’s key was changed', async () => {
  const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  await using oldShop = await openShop({ env: { SECRETS_KEY: oldKey } })
  const { db, url: databaseUrl } = oldShop.connection
  const person = await oldShop.verifiedUser()
  const app = await addApp(oldShop, person)
  const [row] = await db.select().from(appCodes).where(eq(appCodes.userId, person.user.id))
  expect(row?.sealedSecret).not.toContain(app.secret)
  const rotatedSecrets = createSecrets(newKey, oldKey)
  expect(await resealAppCodes(db, rotatedSecrets)).toEqual({ resealed: 1 })
  expect(await resealAppCodes(db, rotatedSecrets)).toEqual({ resealed: 0 })
  await using renewedShop = await openShop({ databaseUrl, env: { SECRETS_KEY: newKey } })
  renewedShop.clock.advance({ minutes: 2 })
  const visitor = await enterPassword(person, renewedShop)
  await visitor.call(logins.withCode, { code: app.codeIn(renewedShop) })
})

test('“my data” lists the factors, without anything that could be used to log in', async () => {
  const person = await shop.verifiedUser()
  const { secret, recoveryCodes } = await addApp(shop, person)
  const data = await person.call(accounts.myData, {})
  expect(data.appCodes).toHaveLength(1)
  expect(data.recoveryCodes).toEqual(Array.from({ length: 10 }, () => ({ usedAt: null })))
  const all = JSON.stringify(data)
  for (const hidden of [secret, recoveryCodes[0] ?? '', 'sealed', 'hash']) expect(all).not.toContain(hidden)
})
