import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/accounts.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

describe('signing up', () => {
  test('makes an account, logs in and says welcome by mail', async () => {
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
      createdAt: expect.any(String),
    })
    expect(await visitor.call(accounts.user, {})).toEqual(user)
    expect((await shop.mails()).filter((mail) => mail.to === 'grace@example.com')).toMatchObject([
      { subject: 'Welcome to Rebound Sigma' },
    ])
  })

  test('refuses a known address, however it is written, and keeps its password', async () => {
    const { user, password } = await shop.user()
    const stranger = shop.visitor()
    await expect(
      stranger.call(accounts.register, {
        email: user.email.toUpperCase(),
        password: 'another password',
        name: 'Eve',
      }),
    ).rejects.toMatchObject({
      status: 409,
      serverMessage: 'Could not create account. If you already have one, log in or use "Forgot password?".',
    })
    expect(await stranger.call(accounts.user, {})).toBeNull()
    expect(await shop.visitor().call(accounts.login, { email: user.email, password })).toEqual(user)
  })
})

describe('the first admin', () => {
  test('comes from the settings', async () => {
    const admin = await shop.admin()
    expect(admin.user.isAdmin).toBe(true)
  })
})
