import { eq } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import type { ApiError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { users } from '../database/schema.ts'
import { openShop } from '../testing/open-shop.ts'
import { createPasswordHasher } from './password-hasher.ts'

type LogLine = { security?: string; account: string | null; ip: string; reason?: string }

test('the security log says why a login failed; the answer does not', async () => {
  const lines: LogLine[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  const [matched, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const passwordHasher = createPasswordHasher()
  const matches: typeof passwordHasher.matches = async (...given) => {
    const isMatch = await passwordHasher.matches(...given)
    if (!isMatch) return false
    matched.resolve()
    await released.promise
    return true
  }
  await using shop = await openShop({ log, passwordHasher: { ...passwordHasher, matches } })
  const { user, password } = await shop.user()
  const guestEmail = 'guest@example.com'
  await shop.connection.db.insert(users).values({ email: guestEmail, name: '' })
  const refusalOf = (credentials: { email: string; password: string }) =>
    shop
      .visitor()
      .call(accounts.login, credentials)
      .catch((error: ApiError) => `${error.status} ${error.serverMessage}`)
  const answers = [
    await refusalOf({ email: 'nobody@example.com', password }),
    await refusalOf({ email: guestEmail, password }),
    await refusalOf({ email: user.email, password: 'wrong' }),
  ]
  const late = refusalOf({ email: user.email, password })
  await matched.promise
  await shop.connection.db.update(users).set({ passwordHash: 'changed' }).where(eq(users.id, user.id))
  released.resolve()
  answers.push(await late)
  expect(new Set(answers)).toEqual(new Set(['401 Invalid email or password']))
  expect(lines.flatMap(({ reason }) => reason ?? [])).toEqual([
    'no such account',
    'no password',
    'wrong password',
    'changed meanwhile',
  ])
})

test('the security log records successful and failed logins with their IP addresses', async () => {
  const lines: LogLine[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  await using shop = await openShop({ log, env: { TRUST_PROXY: '1' } })
  const person = await shop.user()
  const { email, id } = person.user
  const visitor = shop.visitor()
  for (let count = 0; count < 11; count++)
    await visitor.call(accounts.login, { email, password: 'wrong' }).catch(() => {})
  await person.call(accounts.login, { email, password: person.password })
  await person.call(audit.adminList, {}).catch(() => {})
  const guest = shop.visitor()
  const { paymentIntentId } = await shop.guest(guest)
  await shop.logInGuest(guest, { paymentIntentId })

  const events = lines.filter(({ security }) => security !== undefined)
  expect(events.map(({ security }) => security)).toEqual([
    ...Array<string>(10).fill('login failed'),
    'login locked',
    'login',
    'admin call refused',
    'guest login',
  ])
  expect(new Set(events.map(({ ip }) => ip))).toEqual(new Set(['127.0.0.1']))
  const ofPerson = events.filter(({ account }) => account === id)
  expect(ofPerson.map(({ security }) => security)).toEqual([
    ...Array<string>(10).fill('login failed'),
    'login',
    'admin call refused',
  ])
  expect(JSON.stringify(events)).not.toContain(email)
})
