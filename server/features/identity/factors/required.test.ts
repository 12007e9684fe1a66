import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { staff } from '#contract/identity/staff.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { createAudit } from '#server/audit/audit.ts'
import { users } from '#server/database/schema.ts'
import { createAttempts } from '#server/security/attempts.ts'
import { createPasswordHasher } from '#server/security/password-hasher.ts'
import { createAuthenticator } from '#server/testing/authenticator.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { production } from '#server/testing/production.ts'
import { createAdmins } from '../accounts/accounts.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: production })
})
afterAll(() => shop.close())

const adminCommands = () => {
  const { db } = shop.connection
  const { now } = shop.clock
  const attempts = createAttempts({ db, now })
  return createAdmins({ db, now, passwordHasher: createPasswordHasher(), attempts, audit: createAudit({ db, now }) })
}

describe('an admin of a public shop', () => {
  test('can only set up a second step after the first login, and everything else after that', async () => {
    const admin = await shop.admin()
    expect(await admin.call(accounts.user, {})).toMatchObject({ mustSetUp: true })
    for (const endpoint of [purchasesAdmin.list, accountsAdmin.list, accounts.profile, accounts.devices])
      await expect(admin.call(endpoint, {})).rejects.toMatchObject({
        status: 403,
        serverMessage: 'This shop asks its admins for a second step. It takes a minute.',
      })
    expect(await admin.call(factors.show, {})).toMatchObject({ isRequired: true, passkeys: [] })
    const app = await addApp(shop, admin)
    await admin.call(purchasesAdmin.list, {})
    expect(await admin.call(accounts.user, {})).not.toHaveProperty('mustSetUp')

    await expect(admin.call(factors.removeAppCodes, {})).rejects.toMatchObject({
      status: 409,
      serverMessage: 'This shop asks its admins for a second step. Set up another one first.',
    })
    const [newest] = await admin.call(audit.adminList, {})
    expect(newest).toMatchObject({ action: 'factor.added', detail: { what: 'authenticator app' } })

    const secondBrowser = shop.visitor()
    await expect(
      secondBrowser.call(accounts.login, { email: admin.user.email, password: admin.password }),
    ).rejects.toMatchObject({ secondSteps: ['code'] })
    await secondBrowser.call(logins.withCode, { code: app.code() })
    await secondBrowser.call(purchasesAdmin.list, {})

    const recovering = shop.visitor()
    await recovering.call(accounts.login, { email: admin.user.email, password: admin.password }).catch(() => undefined)
    await recovering.call(logins.withCode, { code: app.recoveryCodes[0] ?? '' })
    await expect(recovering.call(purchasesAdmin.list, {})).rejects.toMatchObject({ status: 403 })
    await addApp(shop, recovering)
    await recovering.call(purchasesAdmin.list, {})
  })

  test('with a passkey must use it after the password', async () => {
    const { email, password } = await adminCommands().add('passkey-admin@example.com')
    const admin = shop.visitor()
    await admin.call(accounts.login, { email, password })
    const passkey = createAuthenticator(production.PUBLIC_URL)
    const response = passkey.register(await admin.call(factors.beginPasskey, {}))
    await admin.call(factors.addPasskey, { name: 'Key', response })
    const secondBrowser = shop.visitor()
    await expect(secondBrowser.call(accounts.login, { email, password })).rejects.toMatchObject({
      secondSteps: ['passkey'],
    })
    const answer = passkey.authenticate(await secondBrowser.call(logins.passkeyOptions, {}))
    await secondBrowser.call(logins.withPasskey, { response: answer })
    await secondBrowser.call(purchasesAdmin.list, {})
  })

  test('keeps one of two factors, even when both are removed at the same moment', async () => {
    const { email, password } = await adminCommands().add('two-factors@example.com')
    const admin = shop.visitor()
    await admin.call(accounts.login, { email, password })
    await addApp(shop, admin)
    const passkey = createAuthenticator(production.PUBLIC_URL)
    const response = passkey.register(await admin.call(factors.beginPasskey, {}))
    await admin.call(factors.addPasskey, { name: 'Key', response })
    const { db } = shop.connection
    const selectWaiting = sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const { removals } = await db.transaction(async (tx) => {
      // Holds the user's lock until both removals wait for it.
      await tx.select().from(users).where(eq(users.email, email)).for('update')
      const removalOutcomes = Promise.allSettled([
        admin.call(factors.removeAppCodes, {}),
        admin.call(factors.removePasskey, { id: passkey.id }),
      ])
      await vi.waitFor(async () => expect((await db.execute(selectWaiting)).rows).toHaveLength(2), { timeout: 30_000 })
      // In an object, because a bare promise would be awaited here, before the lock is released.
      return { removals: removalOutcomes }
    })
    const outcomes = await removals
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('who has lost everything can log in again after a command, which is audited and emailed', async () => {
    const { email, password } = await adminCommands().add('unlucky@example.com')
    const unlucky = shop.visitor()
    await unlucky.call(accounts.login, { email, password })
    await addApp(shop, unlucky)
    const secondBrowser = shop.visitor()
    await secondBrowser.call(accounts.login, { email, password }).catch(() => undefined)
    await expect(secondBrowser.call(logins.lostDevice, {})).rejects.toMatchObject({
      status: 403,
      serverMessage: expect.stringContaining('npm run admin -- reset-two-factor'),
    })
    await adminCommands().resetTwoFactor(email)
    await secondBrowser.call(accounts.login, { email, password })
    expect(await secondBrowser.call(accounts.user, {})).toMatchObject({ mustSetUp: true })
    await addApp(shop, secondBrowser)
    expect(await secondBrowser.call(audit.adminList, {})).toContainEqual(
      expect.objectContaining({ action: 'admin.reset-two-factor', actorEmail: 'command line' }),
    )
    await shop.queue.runNow('tell-of-commands')
    await shop.queue.runNow('tell-of-commands')
    const removalMails = (await shop.mails()).filter(({ subject }) => subject === 'Your second step was removed')
    expect(removalMails.map(({ to }) => to)).toEqual([email])
    const newAdmins = (await shop.mails()).filter(
      ({ subject, text }) => subject === 'Your shop has a new admin' && text.includes(email),
    )
    expect(newAdmins.filter(({ to }) => to === 'seller@example.com')).toHaveLength(1)
  })
})

test('buyers of a public shop need no second step, and support does', async () => {
  await using ownShop = await openShop({ env: production })
  const admin = await ownShop.admin()
  await addApp(ownShop, admin)
  const buyer = await ownShop.verifiedUser()
  await buyer.call(accounts.profile, {})
  const person = await ownShop.verifiedUser()
  await admin.call(staff.adminSetRole, { id: person.user.id, role: 'support' })
  await ownShop.choosePassword(person, person.user.email, person.password)
  await expect(person.call(accountsAdmin.list, {})).rejects.toMatchObject({ status: 403 })
  await addApp(ownShop, person)
  await person.call(accountsAdmin.list, {})
})
