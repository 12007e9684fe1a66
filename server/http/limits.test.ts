import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { createAttempts } from '../security/attempts.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import { production } from '../testing/production.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ rateLimits: true, env: { TRUST_PROXY: '1' } })
})
afterAll(() => shop.close())

let lastAddress = 0
const newAddress = () => `203.0.113.${(lastAddress += 1)}`

const post = (target: TestShop, ip: string, path: string, body: object) =>
  target
    .visitor()
    .fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify(body),
    })

const logIn = (email: string, ip: string, target = shop) =>
  post(target, ip, '/api/login', { email, password: 'not the password' })

test('one address may try twenty logins a minute, whichever account it tries', async () => {
  const ip = newAddress()
  const statuses: number[] = []
  for (let count = 0; count < 25; count++) statuses.push((await logIn(`victim-${count}@example.com`, ip)).status)
  expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
  const refused = await logIn('one-more@example.com', ip)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toSatisfy((value: number) => value > 0 && value <= 60)
  expect(await refused.json()).toEqual({
    code: 'too-many',
    message: `Too many attempts. Please try again in ${seconds} seconds.`,
  })
  expect((await logIn('victim-1@example.com', newAddress())).status).toBe(401)
})

test('one address may guess ten discount codes a minute', async () => {
  const ip = newAddress()
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) {
    const order = { productSlug: reboundSigmaPro.slug, billingType: 'monthly', code: `GUESS${count}` }
    const { status } = await post(shop, ip, '/api/checkout/code', order)
    statuses.push(status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(409), 429, 429])
})

test('the addresses of one IPv6 network count as one', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 25; count++)
    statuses.push((await logIn(`six-${count}@example.com`, `2001:db8:1:2:${count.toString(16)}::1`)).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
})

test('the networks of one IPv6 /48 together get five times as much, and no more', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 110; count++)
    statuses.push((await logIn(`site-${count}@example.com`, `2001:db8:2:${count.toString(16)}::1`)).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  expect((await logIn('site-1@example.com', '2001:db8:3:1::1')).status).toBe(401)
})

test('one email may be tried ten times in fifteen minutes, from anywhere and on any process', async () => {
  await using secondProcess = await openShop({ databaseUrl: shop.connection.url })
  const { user, password } = await secondProcess.user()
  const tries = await Promise.all(Array.from({ length: 5 }, () => logIn(user.email, newAddress())))
  expect(tries.map(({ status }) => status)).toEqual(Array<number>(5).fill(401))
  const logInElsewhere = (typedPassword: string) =>
    secondProcess.visitor().call(accounts.login, { email: user.email, password: typedPassword })
  for (let count = 0; count < 5; count++) await expect(logInElsewhere('wrong')).rejects.toMatchObject({ status: 401 })
  await expect(logInElsewhere(password)).rejects.toMatchObject({
    status: 429,
    serverMessage: 'Too many attempts. Please try again in 15 minutes.',
  })
  secondProcess.clock.advance({ minutes: 16 })
  expect(await logInElsewhere(password)).toEqual(user)
})

test('one address gets its tries for all processes together', async () => {
  const env = { TRUST_PROXY: '1', SECRETS_KEY: production.SECRETS_KEY }
  await using firstProcess = await openShop({ rateLimits: true, env })
  await using secondProcess = await openShop({ rateLimits: true, env, databaseUrl: firstProcess.connection.url })
  const statuses: number[] = []
  for (let count = 0; count < 24; count++) {
    const process = count % 2 === 0 ? firstProcess : secondProcess
    const { status } = await logIn(`together-${count}@example.com`, '203.0.113.77', process)
    statuses.push(status)
  }
  expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(4).fill(429)])
})

describe('whether an address belongs to a customer', () => {
  const register = async (target: TestShop, ip: string, email: string) => {
    const account = { email, password: 'correct horse battery', name: 'Ada' }
    return (await post(target, ip, '/api/register', account)).status
  }
  const checkOut = async (target: TestShop, ip: string, email: string) => {
    const order = { email, productSlug: reboundSigmaPro.slug, billingType: 'monthly' }
    return (await post(target, ip, '/api/create-subscription-intent', order)).status
  }

  test('can be asked for 200 addresses an hour from one network, by sign-up and checkout combined', async () => {
    const env = { TRUST_PROXY: '1', SECRETS_KEY: production.SECRETS_KEY }
    await using firstProcess = await openShop({ rateLimits: true, env })
    await using secondProcess = await openShop({ rateLimits: true, env, databaseUrl: firstProcess.connection.url })
    const from = (host: number) => `2001:db8:7:7::${host.toString(16)}`
    // Earlier requests from the same network.
    const attempts = createAttempts({ db: firstProcess.connection.db, now: firstProcess.clock.now })
    for (let number = 0; number < 180; number++)
      await attempts.countAddressLookup(from(1), `crowd-${number}@example.com`)
    const lookUp = (number: number) => {
      const process = number % 2 === 0 ? firstProcess : secondProcess
      const ask = number % 3 === 0 ? register : checkOut
      return ask(process, from(number + 1), `customer-${number}@example.com`)
    }
    const statuses = await Promise.all(Array.from({ length: 24 }, (_, number) => lookUp(number)))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array<number>(20).fill(200), ...Array<number>(4).fill(429)])
    // An address that was asked for before does not count again.
    const knownNumber = statuses.indexOf(200)
    expect(await checkOut(secondProcess, from(99), `customer-${knownNumber}@example.com`)).toBe(200)
    expect(await checkOut(secondProcess, from(99), 'one-more@example.com')).toBe(429)
    const otherNetwork = '2001:db8:7:8::1'
    expect(await checkOut(secondProcess, otherNetwork, 'one-more@example.com')).toBe(200)
    for (const process of [firstProcess, secondProcess]) process.clock.advance({ minutes: 61 })
    expect(await register(firstProcess, from(1), 'one-more@example.com')).toBe(200)
  })

  test('can be asked by one network many times in one moment, and other calls still find a connection', async () => {
    const { db, pool } = shop.connection
    const attempts = createAttempts({ db, now: shop.clock.now })
    const lookups = Array.from({ length: 204 }, (_, number) =>
      attempts.countAddressLookup('203.0.113.200', `crowd-${number}@example.com`),
    )
    expect(pool.waitingCount).toBe(0)
    const answers = await Promise.allSettled(lookups)
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(4)
  })
})

test('calls with a session are counted by account: a stranger behind the same address uses up nothing', async () => {
  await using isolatedShop = await openShop({ rateLimits: true })
  const buyer = await isolatedShop.buyer()
  const name = { purchaseId: buyer.purchase.id, username: 'a_trader' }
  for (let count = 0; count < 25; count++)
    await expect(isolatedShop.visitor().call(access.changeUsername, name)).rejects.toMatchObject({ status: 401 })
  await buyer.call(access.changeUsername, name)
})

test('a network that sends more than 300 requests a minute is refused', async () => {
  const ask = (ip: string) => shop.visitor().fetch('/api/nothing', { headers: { 'x-forwarded-for': ip } })
  const flooding = newAddress()
  for (let count = 0; count < 300; count++) await ask(flooding)
  expect((await ask(flooding)).status).toBe(429)
})

describe('a person with an account', () => {
  const wrong = { password: 'wrong' }
  const tooMany = { status: 429 }

  test('can log in from a browser that the account knows, however often others have tried', async () => {
    await using isolatedShop = await openShop()
    const owner = await isolatedShop.verifiedUser()
    const { email } = owner.user
    const stranger = isolatedShop.visitor()
    for (let count = 0; count < 10; count++)
      await expect(stranger.call(accounts.login, { email, ...wrong })).rejects.toMatchObject({ status: 401 })
    await expect(stranger.call(accounts.login, { email, ...wrong })).rejects.toMatchObject(tooMany)
    await owner.call(accounts.logout, {})
    expect(await owner.call(accounts.login, { email, password: owner.password })).toEqual(owner.user)
    // Others stay locked out, and this browser gets only ten tries.
    await expect(stranger.call(accounts.login, { email, password: owner.password })).rejects.toMatchObject(tooMany)
    for (let count = 0; count < 10; count++)
      await expect(owner.call(accounts.login, { email, ...wrong })).rejects.toMatchObject({ status: 401 })
    await expect(owner.call(accounts.login, { email, password: owner.password })).rejects.toMatchObject(tooMany)
  })

  test('who signed up with somebody else’s address can’t make the shop email it from many browsers', async () => {
    await using isolatedShop = await openShop()
    const { user, password } = await isolatedShop.user()
    for (let browser = 0; browser < 4; browser++) {
      const visitor = isolatedShop.visitor()
      await visitor.call(accounts.login, { email: user.email, password })
      await visitor.call(accounts.requestPasswordReset, { email: user.email }).catch(() => {})
    }
    const resets = (await isolatedShop.mails()).filter(({ subject }) => subject === 'Reset your password')
    expect(resets).toHaveLength(3)
  })

  test('can log in again after the command that resets an admin', async () => {
    await using isolatedShop = await openShop()
    const admin = await isolatedShop.admin()
    const { email } = admin.user
    const elsewhere = isolatedShop.visitor()
    for (let count = 0; count < 10; count++) await elsewhere.call(accounts.login, { email, ...wrong }).catch(() => {})
    await expect(elsewhere.call(accounts.login, { email, password: admin.password })).rejects.toMatchObject(tooMany)
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/admin.ts', 'reset', email], {
      env: { ...process.env, DATABASE_URL: isolatedShop.connection.url },
    })
    const password = stdout.trim().split(' ').at(-1) ?? ''
    expect(await elsewhere.call(accounts.login, { email, password })).toMatchObject({ email })
  })
})

test('a correct password is not held back by earlier wrong ones', async () => {
  await using isolatedShop = await openShop()
  const { user, password } = await isolatedShop.user()
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 9; count++)
      await expect(
        isolatedShop.visitor().call(accounts.login, { email: user.email, password: 'wrong' }),
      ).rejects.toMatchObject({ status: 401 })
    await isolatedShop.visitor().call(accounts.login, { email: user.email, password })
  }
})

test('a flood of logins from everywhere leaves the shop open for everyone else', async () => {
  await using flooded = await openShop({ passwordCost: { memoryCost: 19_456, timeCost: 2, parallelism: 1 } })
  const { user, password } = await flooded.user()
  const flood = Array.from({ length: 160 }, (_, index) =>
    flooded
      .visitor()
      .call(accounts.login, { email: `bot-${index}@example.com`, password: 'x' })
      .catch((error: { status: number; retryAfterSeconds?: number }) => error),
  )
  for (let count = 0; count < 20; count++) expect(await flooded.visitor().call(catalog.list, {})).toHaveLength(1)
  const answers = await Promise.all(flood)
  expect(new Set(answers.map((answer) => 'status' in answer && answer.status))).toEqual(new Set([401, 503]))
  expect(await flooded.visitor().call(accounts.login, { email: user.email, password })).toEqual(user)
})
