import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '#contract/index.ts'
import { plainForms } from '#contract/plain-forms.ts'
import { addApp } from '../testing/authenticator-app.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const post = (path: string, headers: Record<string, string>) =>
  shop
    .visitor()
    .fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: 'email=ada%40example.com',
    })

test('only the calls of the public forms read a form', async () => {
  const forms = new Set(plainForms.map(({ endpoint }) => endpoint.path))
  for (const endpoint of Object.values(contract).flatMap((group) => Object.values(group))) {
    if (endpoint.method !== 'POST' || endpoint.access !== 'public' || forms.has(endpoint.path)) continue
    const { status } = await post(endpoint.path, { 'sec-fetch-site': 'same-origin' })
    expect([endpoint.path, status]).toEqual([endpoint.path, 415])
  }
})

test('a form counts only when it comes from a page of the shop', async () => {
  const path = contract.newsletter.subscribe.path
  const from = async (headers: Record<string, string>) => (await post(path, headers)).status
  expect(await from({})).toBe(403)
  expect(await from({ origin: 'https://evil.example' })).toBe(403)
  expect(await from({ origin: shop.url, 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await from({ origin: shop.url, 'sec-fetch-site': 'same-site' })).toBe(403)
  expect(await from({ 'sec-fetch-site': 'none' })).toBe(403)
  expect(await from({ origin: shop.url })).toBe(200)
  expect(await from({ origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(200)
})

test('a login by form that needs a code goes on to the page that asks for it', async () => {
  const person = await shop.verifiedUser()
  const app = await addApp(shop, person)
  const visitor = shop.visitor()
  const send = async (path: string, fields: Record<string, string>) => {
    const { status, headers } = await visitor.fetch(path, {
      method: 'POST',
      headers: { origin: shop.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      redirect: 'manual',
    })
    return [status, headers.get('location')]
  }
  const { email } = person.user
  const { accounts, logins } = contract
  expect(await send(accounts.login.path, { email, password: person.password })).toEqual([303, '/auth/code'])
  expect(await visitor.call(accounts.user, {})).toBeNull()
  expect(await send(logins.withCode.path, { code: app.code() })).toEqual([303, '/dashboard'])
  expect(await visitor.call(accounts.user, {})).toMatchObject({ email })
})

test('a form has the same validation and limits as other calls', async () => {
  await using strict = await openShop({ rateLimits: true })
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) {
    const { status } = await strict
      .visitor()
      .fetch(contract.newsletter.subscribe.path, {
        method: 'POST',
        headers: { origin: strict.url, 'content-type': 'application/x-www-form-urlencoded' },
        body: count === 0 ? 'email=nobody' : `email=ada${count}%40example.com`,
      })
    statuses.push(status)
  }
  expect(statuses).toEqual([400, ...Array<number>(9).fill(200), 429, 429])
})
