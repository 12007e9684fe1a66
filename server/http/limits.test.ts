import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/accounts.ts'
import { catalog } from '#contract/catalog.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ rateLimits: true, env: { TRUST_PROXY: '1' } })
})
afterAll(() => shop.close())

let lastAddress = 0
const someAddress = () => `203.0.113.${(lastAddress += 1)}`

const logIn = (email: string, ip: string) =>
  shop.visitor().fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ email, password: 'not the password' }),
  })

test('one address may try twenty logins a minute, whomever it tries', async () => {
  const ip = someAddress()
  const statuses: number[] = []
  for (let count = 0; count < 25; count++)
    statuses.push((await logIn(`victim-${count}@example.com`, ip)).status)
  expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
  const refused = await logIn('one-more@example.com', ip)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toSatisfy((value: number) => value > 0 && value <= 60)
  expect(await refused.json()).toEqual({
    message: `Too many attempts. Please try again in ${seconds} seconds.`,
  })
  expect((await logIn('victim-1@example.com', someAddress())).status).toBe(401)
})

test('the addresses of one IPv6 network count as one', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 25; count++)
    statuses.push((await logIn(`six-${count}@example.com`, `2001:db8:1:2:${count.toString(16)}::1`)).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
})

test('one e-mail may be tried ten times in a quarter of an hour, from wherever and on whichever process', async () => {
  await using other = await openShop({ databaseUrl: shop.connection.url })
  const { user, password } = await other.user()
  const tries = await Promise.all(Array.from({ length: 5 }, () => logIn(user.email, someAddress())))
  expect(tries.map(({ status }) => status)).toEqual(Array<number>(5).fill(401))
  const there = (given: string) =>
    other.visitor().call(accounts.login, { email: user.email, password: given })
  for (let count = 0; count < 5; count++) await expect(there('wrong')).rejects.toMatchObject({ status: 401 })
  await expect(there(password)).rejects.toMatchObject({
    status: 429,
    serverMessage: 'Too many attempts. Please try again in 15 minutes.',
  })
  other.clock.advance({ minutes: 16 })
  expect(await there(password)).toEqual(user)
})

test('a right password is not held back by the wrong ones before', async () => {
  await using open = await openShop()
  const { user, password } = await open.user()
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 9; count++)
      await expect(
        open.visitor().call(accounts.login, { email: user.email, password: 'wrong' }),
      ).rejects.toMatchObject({ status: 401 })
    await open.visitor().call(accounts.login, { email: user.email, password })
  }
})

test('a flood of logins from everywhere leaves the shop open for everybody else', async () => {
  await using flooded = await openShop()
  const { user, password } = await flooded.user()
  const flood = Array.from({ length: 400 }, (_, index) =>
    flooded
      .visitor()
      .call(accounts.login, { email: `bot-${index}@example.com`, password: 'x' })
      .catch((error: { status: number; retryAfterSeconds?: number }) => error),
  )
  for (let count = 0; count < 20; count++)
    expect(await flooded.visitor().call(catalog.list, {})).toHaveLength(1)
  const answers = await Promise.all(flood)
  expect(new Set(answers.map((answer) => 'status' in answer && answer.status))).toEqual(new Set([401, 503]))
  expect(await flooded.visitor().call(accounts.login, { email: user.email, password })).toEqual(user)
})
