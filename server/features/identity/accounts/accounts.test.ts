import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { sessions, users } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

describe('signing up', () => {
  test('creates an account, logs in, and sends a welcome email', async () => {
    const visitor = shop.visitor()
    const user = await visitor.call(accounts.register, {
      email: ' Grace@Example.com ',
      password: 'correct horse battery',
      name: 'Grace',
    })
    expect(user).toEqual({
      id: expect.any(String),
      name: 'Grace',
      email: 'grace@example.com',
      isAdmin: false,
      role: null,
      isProven: false,
      createdAt: expect.any(String),
    })
    expect(await visitor.call(accounts.user, {})).toEqual(user)
    expect((await shop.mails()).filter((mail) => mail.to === 'grace@example.com')).toMatchObject([
      { subject: 'Welcome to Rebound Sigma', text: expect.stringContaining('/confirm-address?token=') },
    ])
  })

  test('refuses a known address, however it’s written, and keeps its password', async () => {
    const { user, password } = await shop.user()
    const stranger = shop.visitor()
    await expect(
      stranger.call(accounts.register, { email: user.email.toUpperCase(), password: 'another password', name: 'Eve' }),
    ).rejects.toMatchObject({
      status: 409,
      serverMessage: 'Could not create account. If you already have one, log in or use “Forgot password?”.',
    })
    expect(await stranger.call(accounts.user, {})).toBeNull()
    expect(await shop.visitor().call(accounts.login, { email: user.email, password })).toEqual(user)
  })

  test('creates one account from twenty simultaneous sign-ups', async () => {
    const credentials = { email: 'twenty@example.com', password: 'correct horse battery', name: 'Twenty' }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => shop.visitor().call(accounts.register, credentials)),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await shop.mails()).filter((mail) => mail.to === credentials.email)).toHaveLength(1)
  })

  test.for([
    ['password', 'Password1', 'This password is too common. Please choose another.'],
    ['password', '1234567', 'Password must be at least 8 characters long'],
    ['password', 'x'.repeat(129), 'Password must be at most 128 characters long'],
    ['email', 'not an address', 'Please enter a valid email address'],
    ['name', '   ', 'Please enter your name'],
    ['name', 'x'.repeat(101), 'Please use at most 100 characters'],
    ['name', 'a NUL: \u0000', 'Please remove the invisible characters'],
    ['name', 'half a character: \uD800', 'Please remove the invisible characters'],
  ])('refuses the %s %o with a message at its field', async ([field, value, message]) => {
    const input = { email: 'faulty@example.com', password: 'correct horse', name: 'Faulty', [field ?? '']: value }
    await expect(shop.visitor().call(accounts.register, input)).rejects.toMatchObject({
      status: 400,
      fields: { [field ?? '']: message },
    })
  })
})

describe('unknown fields', () => {
  test.for([
    ['POST', '/api/register', { email: 'f@example.com', password: 'long enough', name: 'F', isAdmin: true }],
    ['POST', '/api/register', { email: 'f@example.com', password: 'long enough', name: 'F', id: 1 }],
    ['POST', '/api/login', { email: 'f@example.com', password: 'x', userId: 1 }],
    ['PATCH', '/api/user/profile', { name: 'F', isAdmin: true }],
    ['PATCH', '/api/user/profile', { name: 'F', email: 'seller@example.com' }],
    ['PATCH', '/api/user/profile', { name: 'F', userId: '00000000-0000-4000-8000-000000000000' }],
    ['POST', '/api/auth/request-password-reset', { email: 'f@example.com', isAdmin: true }],
  ] as const)('%s %s %j gets a 400, and nothing is written', async ([method, path, body]) => {
    const person = await shop.user()
    const usersBefore = await shop.connection.db.select().from(users).orderBy(users.id)
    const response = await person.fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('Unknown field') })
    expect(await shop.connection.db.select().from(users).orderBy(users.id)).toEqual(usersBefore)
  })

  test('any bad input is refused with a message, never with a server error', async () => {
    const person = await shop.user()
    const calls = fc.constantFrom(
      ['POST', '/api/login'],
      ['POST', '/api/register'],
      ['POST', '/api/auth/request-password-reset'],
      ['POST', '/api/auth/reset-password'],
      ['PATCH', '/api/user/profile'],
      ['POST', '/api/user/delete'],
    )
    const names = ['email', 'password', 'name', 'token', 'newPassword', 'tradingViewUsername']
    const bodies = fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 3 })
    await fc.assert(
      fc.asyncProperty(calls, bodies, async ([method = '', path = ''], body) => {
        const response = await person.fetch(path, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        if (response.ok) return
        expect(response.status).toBeLessThan(500)
        expect(await response.json()).toMatchObject({ message: expect.stringMatching(/\S/) })
      }),
      { numRuns: 200 },
    )
  })
})

describe('logging in', () => {
  test('answers the same for a wrong password, an unknown address, and a guest without a password', async () => {
    const { user } = await shop.user()
    const guestEmail = 'g@example.com'
    await shop.connection.db.insert(users).values({ email: guestEmail, name: '' })
    const logIn = async (email: string) => {
      const response = await shop
        .visitor()
        .fetch('/api/login', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, password: 'not the password' }),
        })
      const headers = Object.fromEntries(response.headers)
      return { status: response.status, text: await response.text(), headers: { ...headers, date: '' } }
    }
    const answerToUser = await logIn(user.email)
    expect(answerToUser).toMatchObject({
      status: 401,
      text: '{"message":"Invalid email or password","code":"wrong-credentials"}',
    })
    expect(await logIn('nobody@example.com')).toEqual(answerToUser)
    expect(await logIn(guestEmail)).toEqual(answerToUser)
  })

  test('gives a new token each time, so that a planted token opens nothing', async () => {
    const person = await shop.user()
    const oldToken = person.cookies.get('session') ?? ''
    await person.call(accounts.login, { email: person.user.email, password: person.password })
    expect(person.cookies.get('session')).not.toBe(oldToken)

    const victim = shop.visitor()
    victim.cookies.set('session', 'planted-by-an-attacker')
    await victim.call(accounts.login, { email: person.user.email, password: person.password })
    expect(victim.cookies.get('session')).not.toBe('planted-by-an-attacker')

    for (const token of [oldToken, 'planted-by-an-attacker']) {
      const attacker = shop.visitor()
      attacker.cookies.set('session', token)
      expect(await attacker.call(accounts.user, {})).toBeNull()
    }
  })

  test('keeps no token in the database and exposes none to scripts', async () => {
    const person = await shop.user()
    const token = person.cookies.get('session') ?? ''
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const stored = await shop.connection.db.select().from(sessions)
    expect(JSON.stringify(stored)).not.toContain(token)
    const response = await person.fetch('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: person.user.email, password: person.password }),
    })
    expect(response.headers.getSetCookie().toSorted()).toEqual([
      expect.stringMatching(/^device=[\w-]{43}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
  })

  test('GET /api/login goes to /auth, whatever its query says', async () => {
    for (const query of ['', '?next=//evil.example', '?returnTo=https://evil.example', '?redirect=%0d%0aX:1']) {
      const response = await shop.visitor().fetch(`/api/login${query}`)
      expect([response.status, response.headers.get('location')]).toEqual([303, '/auth'])
    }
  })
})

describe('the profile', () => {
  test('accepts a name and TradingView username, even empty ones', async () => {
    const person = await shop.user({ name: 'Ada' })
    expect(await person.call(accounts.profile, {})).toMatchObject({ name: 'Ada', tradingViewUsername: '' })
    await person.call(accounts.updateProfile, { name: 'Countess', tradingViewUsername: 'ada_l' })
    expect(await person.call(accounts.profile, {})).toMatchObject({ name: 'Countess', tradingViewUsername: 'ada_l' })
    expect(await person.call(accounts.user, {})).toMatchObject({ name: 'Countess' })
    await person.call(accounts.updateProfile, { tradingViewUsername: '' })
    expect(await person.call(accounts.profile, {})).toMatchObject({ name: 'Countess', tradingViewUsername: '' })
    await person.call(accounts.updateProfile, { name: '' })
    expect(await person.call(accounts.user, {})).toMatchObject({ name: '' })
    await person.call(accounts.updateProfile, {})
  })
})
