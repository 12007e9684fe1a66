import { expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { createAudit } from '#server/audit/audit.ts'
import { users } from '#server/database/schema.ts'
import { createAttempts } from '#server/security/attempts.ts'
import { createPasswordHasher } from '#server/security/password-hasher.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { createAdmins } from './admins.ts'

const adminsOf = (shop: Awaited<ReturnType<typeof openShop>>) =>
  createAdmins({
    db: shop.connection.db,
    now: shop.clock.now,
    passwordHasher: createPasswordHasher(),
    attempts: createAttempts({ db: shop.connection.db, now: shop.clock.now }),
    audit: createAudit({ db: shop.connection.db, now: shop.clock.now }),
  })

test('without settings, the first start creates an admin and shows the password; the second creates none', async () => {
  const database = await createTestDatabase()
  const env = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '', SUPPORT_EMAIL: 'help@example.com' }
  await using first = await openShop({ env, databaseUrl: database.url })
  expect(first.firstAdmin).toEqual({ email: 'help@example.com', password: expect.stringMatching(/^[\w-]{20}$/) })
  const { email = '', password = '' } = first.firstAdmin ?? {}
  expect(await first.visitor().call(accounts.login, { email, password })).toMatchObject({ isAdmin: true })
  await using second = await openShop({ env, databaseUrl: database.url })
  expect(second.firstAdmin).toBeUndefined()
})

test('the first admin can log in even if SUPPORT_EMAIL has capital letters', async () => {
  await using shop = await openShop({
    env: { ADMIN_EMAIL: '', ADMIN_PASSWORD: '', SUPPORT_EMAIL: 'Help@Shop.Example' },
  })
  const { email = '', password = '' } = shop.firstAdmin ?? {}
  expect(await shop.visitor().call(accounts.login, { email, password })).toMatchObject({ isAdmin: true })
  await expect(
    shop.connection.db.insert(users).values({ email: 'Capital@shop.example', name: '' }),
  ).rejects.toMatchObject({ cause: { constraint: 'users_email_lower_case' } })
})

test('when two first starts run at once, one creates the admin', async () => {
  await using shop = await openShop()
  await shop.connection.pool.query('truncate users cascade')
  const results = await Promise.all(
    ['one@example.com', 'two@example.com', 'three@example.com'].map((email) => adminsOf(shop).ensureFirst(email)),
  )
  expect(results.filter((credentials) => credentials !== undefined)).toHaveLength(1)
})

test('a stranger who had an account with the address cannot open the admin’s', async () => {
  await using shop = await openShop()
  const stranger = await shop.verifiedUser({ email: 'owner@example.com' })
  const passkey = createAuthenticator(shop.url)
  const registration = passkey.register(await stranger.call(factors.beginPasskey, {}))
  await stranger.call(factors.addPasskey, { name: 'Planted', response: registration })
  const { password } = await adminsOf(shop).add('owner@example.com')
  expect(await stranger.call(accounts.user, {})).toBeNull()
  const credentials = { email: 'owner@example.com', password: stranger.password }
  await expect(shop.visitor().call(accounts.login, credentials)).rejects.toMatchObject({ status: 401 })
  const response = passkey.authenticate(await stranger.call(logins.passkeyOptions, {}))
  await expect(stranger.call(logins.withPasskey, { response })).rejects.toMatchObject({ status: 401 })
  expect(await shop.visitor().call(accounts.login, { ...credentials, password })).toMatchObject({ isAdmin: true })
})

test('a reset gives a new password to an admin and nobody else', async () => {
  await using shop = await openShop()
  const admin = await shop.admin()
  const person = await shop.user()
  const { password } = await adminsOf(shop).reset(admin.user.email)
  expect(await admin.call(accounts.user, {})).toBeNull()
  await shop.visitor().call(accounts.login, { email: admin.user.email, password })
  await expect(adminsOf(shop).reset(person.user.email)).rejects.toThrow(`There is no admin ${person.user.email}`)
})
