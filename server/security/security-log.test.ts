import { pino } from 'pino'
import { expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { openShop } from '../testing/open-shop.ts'

test('the security log records successful and failed logins with their IP addresses', async () => {
  const lines: { security?: string; account: string | null; ip: string }[] = []
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
