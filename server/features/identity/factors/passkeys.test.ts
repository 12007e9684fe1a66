import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { stepUp } from '#contract/identity/step-up.ts'
import { sessions, users } from '#server/database/schema.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Authenticator = ReturnType<typeof createAuthenticator>

async function addPasskey(person: Visitor, authenticator: Authenticator = createAuthenticator(shop.url)) {
  const response = authenticator.register(await person.call(factors.beginPasskey, {}))
  const { recoveryCodes } = await person.call(factors.addPasskey, { name: 'My phone', response })
  return { ...authenticator, recoveryCodes }
}

const answerOf = async (authenticator: Authenticator, visitor: Visitor) => ({
  response: authenticator.authenticate(await visitor.call(logins.passkeyOptions, {})),
})

const logInWith = async (authenticator: Authenticator) => {
  const visitor = shop.visitor()
  return visitor.call(logins.withPasskey, await answerOf(authenticator, visitor))
}

describe('a passkey', () => {
  test('is enough to log in, has a name, and comes without recovery codes if no second step is needed', async () => {
    const person = await shop.verifiedUser()
    const passkey = await addPasskey(person)
    expect(passkey.recoveryCodes).toBeNull()
    expect(await logInWith(passkey)).toMatchObject({ email: person.user.email })
    await person.call(factors.renamePasskey, { id: passkey.id, name: 'Old phone' })
    const { passkeys } = await person.call(factors.show, {})
    expect(passkeys).toMatchObject([{ name: 'Old phone', lastUsedAt: expect.any(String) }])
    const data = JSON.stringify(await person.call(accounts.myData, {}))
    expect(data).toContain('Old phone')
    for (const hidden of [passkey.id, 'publicKey', 'counter']) expect(data).not.toContain(hidden)
    await person.call(factors.removePasskey, { id: passkey.id })
    await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
  })

  test('is refused if the device did not check who holds it', async () => {
    const person = await shop.verifiedUser()
    const careless = createAuthenticator(shop.url)
    careless.phone.verifiesUser = false
    await expect(addPasskey(person, careless)).rejects.toMatchObject({ status: 400 })
    const passkey = await addPasskey(person)
    passkey.phone.verifiesUser = false
    await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
  })

  test('is refused if its counter does not grow, because somebody has a copy', async () => {
    const passkey = await addPasskey(await shop.verifiedUser())
    await logInWith(passkey)
    passkey.phone.counter -= 1
    await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
    passkey.phone.counter -= 3
    await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
    passkey.phone.counter += 3
    await logInWith(passkey)
  })

  test('whose counter stays 0, as with synced ones, is accepted every time', async () => {
    const synced = createAuthenticator(shop.url)
    synced.phone.counter = 0
    const passkey = await addPasskey(await shop.verifiedUser(), synced)
    for (let times = 0; times < 2; times++) {
      // The authenticator counts up before each answer, so it reports 0.
      passkey.phone.counter = -1
      expect(await logInWith(passkey)).toMatchObject({ isAdmin: false })
    }
  })

  test('is refused from another site', async () => {
    const person = await shop.verifiedUser()
    await expect(addPasskey(person, createAuthenticator('https://evil.example'))).rejects.toMatchObject({ status: 400 })
    const passkey = await addPasskey(person)
    passkey.phone.origin = 'https://evil.example'
    await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
  })

  test('answers each challenge once, also when the answer is sent twice at the same moment', async () => {
    const passkey = await addPasskey(await shop.verifiedUser())
    const visitor = shop.visitor()
    const answer = await answerOf(passkey, visitor)
    const outcomes = await Promise.allSettled([1, 2].map(() => shop.visitor().call(logins.withPasskey, answer)))
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(visitor.call(logins.withPasskey, answer)).rejects.toMatchObject({ status: 400 })
  })

  test('is refused if something is appended to the challenge, which would count as another one', async () => {
    const passkey = await addPasskey(await shop.verifiedUser())
    const visitor = shop.visitor()
    const { challenge, ...options } = await visitor.call(logins.passkeyOptions, {})
    const longer = Buffer.concat([Buffer.from(String(challenge), 'base64url'), Buffer.from('.more')])
    const response = passkey.authenticate({ ...options, challenge: longer.toString('base64url') })
    await expect(visitor.call(logins.withPasskey, { response })).rejects.toMatchObject({
      status: 400,
      serverMessage: 'That took too long. Please try again.',
    })
  })

  test('must answer within five minutes', async () => {
    const passkey = await addPasskey(await shop.verifiedUser())
    const visitor = shop.visitor()
    const answer = await answerOf(passkey, visitor)
    shop.clock.advance({ minutes: 6 })
    await expect(visitor.call(logins.withPasskey, answer)).rejects.toMatchObject({
      status: 400,
      serverMessage: 'That took too long. Please try again.',
    })
  })

  test('works in another process of the same shop', async () => {
    const passkey = await addPasskey(await shop.verifiedUser())
    const answer = await answerOf(passkey, shop.visitor())
    await using otherProcess = await openShop({
      databaseUrl: shop.connection.url,
      env: { PUBLIC_URL: shop.url, DATA_DIR: shop.config.dataDir },
      startsAt: shop.clock.now(),
    })
    expect(await otherProcess.visitor().call(logins.withPasskey, answer)).toMatchObject({ isAdmin: false })
  })

  test('belongs to the account that adds it first', async () => {
    const [ada, eve] = [await shop.verifiedUser(), await shop.verifiedUser()]
    const id = crypto.getRandomValues(new Uint8Array(16))
    await addPasskey(ada, createAuthenticator(shop.url, { id }))
    await expect(addPasskey(eve, createAuthenticator(shop.url, { id }))).rejects.toMatchObject({ status: 409 })
  })

  test('of a deleted account opens nothing', async () => {
    const person = await shop.verifiedUser()
    const passkey = await addPasskey(person)
    await person.call(accounts.deleteMyself, { password: person.password })
    await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
  })
})

test('a malformed passkey answer gets the same refusal as a wrong one', async () => {
  const person = await shop.verifiedUser()
  const passkey = await addPasskey(person)
  for (const id of ['\u0000', '', 7, null, 'x'.repeat(5000)]) {
    const { response } = await answerOf(passkey, shop.visitor())
    await expect(shop.visitor().call(logins.withPasskey, { response: { ...response, id } })).rejects.toMatchObject({
      status: 401,
    })
  }
  const authenticator = createAuthenticator(shop.url)
  const { response, ...registration } = authenticator.register(await person.call(factors.beginPasskey, {}))
  const oddAnswer = { ...registration, response: { ...response, transports: { not: 'a list' } } }
  expect(await person.call(factors.addPasskey, { name: 'Odd', response: oddAnswer })).toEqual({ recoveryCodes: null })
})

test('an account has twenty passkeys at most', async () => {
  const person = await shop.verifiedUser()
  for (let count = 0; count < 20; count++) await addPasskey(person)
  await expect(person.call(factors.beginPasskey, {})).rejects.toMatchObject({
    status: 409,
    serverMessage: '20 passkeys are enough. Remove one first.',
  })
})

test('the login options are the same for everyone, so that nobody learns who has a passkey', async () => {
  const person = await shop.verifiedUser()
  await addPasskey(person)
  const shapes = await Promise.all(
    [shop.visitor(), person].map(async (visitor) => {
      const { challenge, ...otherOptions } = await visitor.call(logins.passkeyOptions, {})
      return { ...otherOptions, challenge: typeof challenge }
    }),
  )
  expect(shapes[0]).toEqual(shapes[1])
  expect(shapes[0]).not.toHaveProperty('allowCredentials.0')
  const stranger = createAuthenticator(shop.url)
  const unknownPasskeyError = await logInWith(stranger).catch((error: unknown) => error)
  const removed = await addPasskey(person)
  await person.call(factors.removePasskey, { id: removed.id })
  const removedPasskeyError = await logInWith(removed).catch((error: unknown) => error)
  expect(String(unknownPasskeyError)).toBe(String(removedPasskeyError))
})

test('a passkey counts as a fresh proof only in its owner’s account', async () => {
  const [ada, eve] = [await shop.verifiedUser(), await shop.verifiedUser()]
  const [adasPasskey, evesPasskey] = [await addPasskey(ada), await addPasskey(eve)]
  shop.clock.advance({ minutes: 11 })
  await expect(ada.call(factors.beginPasskey, {})).rejects.toMatchObject({ acceptedProofs: ['passkey', 'password'] })
  await expect(ada.call(stepUp.withPasskey, await answerOf(evesPasskey, ada))).rejects.toMatchObject({ status: 403 })
  await ada.call(stepUp.withPasskey, await answerOf(adasPasskey, ada))
  await ada.call(factors.beginPasskey, {})
})

test('an account that its mailbox’s owner takes over loses the stranger’s pending change of address', async () => {
  const email = 'mailbox-owner@example.com'
  const stranger = await shop.user({ email })
  await stranger.call(credentials.changeEmail, { email: 'stranger@example.com' })
  const mail = (await shop.mails()).find(({ to }) => to === 'stranger@example.com')
  const [, id = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(mail?.text ?? '') ?? []
  const guest = shop.visitor()
  await shop.guest(guest, email)
  await shop.settle()
  await expect(shop.visitor().call(credentials.confirmEmail, { id, token })).rejects.toMatchObject({ status: 400 })
})

test('a passkey is not added in a session that ends meanwhile, as in a reset by the owner of the mailbox', async () => {
  const stranger = await shop.verifiedUser()
  const passkey = createAuthenticator(shop.url)
  const response = passkey.register(await stranger.call(factors.beginPasskey, {}))
  const { db } = shop.connection
  const { addition } = await db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, stranger.user.id)).for('update')
    const adding = stranger.call(factors.addPasskey, { name: 'Planted', response }).catch((error: unknown) => error)
    const [{ pid } = {}] = (await tx.execute(sql`select pg_backend_pid() as pid`)).rows
    const waiting = sql`select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`
    await vi.waitFor(async () => expect((await db.execute(waiting)).rows).toHaveLength(1), { timeout: 30_000 })
    await tx.delete(sessions).where(eq(sessions.userId, stranger.user.id))
    // In an object, because a bare promise would be awaited here, before the lock is released.
    return { addition: adding }
  })
  expect(await addition).toMatchObject({ status: 401 })
  await expect(logInWith(passkey)).rejects.toMatchObject({ status: 401 })
})

test('a passkey with the longest id there is can be renamed and removed', async () => {
  const person = await shop.verifiedUser()
  const passkey = await addPasskey(person, createAuthenticator(shop.url, { id: Buffer.alloc(1023, 7) }))
  await person.call(factors.renamePasskey, { id: passkey.id, name: 'Long' })
  await person.call(factors.removePasskey, { id: passkey.id })
  expect(await person.call(factors.show, {})).toMatchObject({ passkeys: [] })
})
