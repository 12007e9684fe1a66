import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { credentials } from '#contract/identity/credentials.ts'
import { passwordTokens, sessions, users } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const mailsTo = async (email: string, subject: string) =>
  (await shop.mails()).filter((mail) => mail.to === email && mail.subject === subject)

async function linksTo(email: string, subject = 'Reset your password') {
  return (await mailsTo(email, subject)).map(
    ({ text }) => /https?:\/\/\S+\/reset-password\?token=\S+/.exec(text)?.[0] ?? '',
  )
}

async function tokenFor(email: string) {
  await shop.visitor().call(accounts.requestPasswordReset, { email })
  return tokenIn((await linksTo(email)).at(-1) ?? '')
}

const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? ''
const expired = { status: 400, serverMessage: 'Failed to reset password. The link may have expired.' }

describe('a reset', () => {
  test('sets the password, logs out every device, and sends an email', async () => {
    const person = await shop.verifiedUser()
    const token = await tokenFor(person.user.email)
    await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'sezame' })
    expect(await person.call(accounts.user, {})).toBeNull()
    const { email } = person.user
    await expect(shop.visitor().call(accounts.login, { email, password: person.password })).rejects.toMatchObject({
      status: 401,
    })
    expect(await shop.visitor().call(accounts.login, { email, password: 'sezame' })).toEqual(person.user)
    expect(await mailsTo(email, 'Your password was changed')).toHaveLength(1)
  })

  test('that sets the first password logs this browser in, ends every other session, and sends no warning', async () => {
    const guest = shop.visitor()
    const email = `first-${crypto.randomUUID()}@example.com`
    await shop.logInGuest(guest, await shop.guest(guest, email))
    const receipt = (await shop.mails()).find(({ to }) => to === email)
    const token = /first=1&token=(\S+)/.exec(receipt?.text ?? '')?.[1] ?? ''
    const elsewhere = shop.visitor()
    await elsewhere.call(accounts.resetPassword, { token, newPassword: 'open sesame' })
    expect(await elsewhere.call(accounts.user, {})).toMatchObject({ email, isProven: true })
    expect(await guest.call(accounts.user, {})).toBeNull()
    expect(await mailsTo(email, 'Your password was changed')).toHaveLength(0)
    const resetToken = await tokenFor(email)
    await elsewhere.call(accounts.resetPassword, { token: resetToken, newPassword: 'closed sesame' })
    expect(await elsewhere.call(accounts.user, {})).toBeNull()
  })

  test('also locks out someone who is just logging in with the old password', async () => {
    const { user, password } = await shop.user()
    const { user: personWithNewPassword } = await shop.user({ password: 'a new one' })
    const { db } = shop.connection
    let login: Promise<unknown> = Promise.resolve()
    await db.transaction(async (tx) => {
      const newHash = sql`(select password_hash from users where id = ${personWithNewPassword.id})`
      await tx.update(users).set({ passwordHash: newHash }).where(eq(users.id, user.id))
      await tx.delete(sessions).where(eq(sessions.userId, user.id))
      login = shop.visitor().call(accounts.login, { email: user.email, password })
      // Uses another connection, because `pg_stat_activity` does not change within a transaction.
      const [{ pid } = {}] = (await tx.execute(sql`select pg_backend_pid() as pid`)).rows
      const waiting = sql`select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`
      await Promise.race([
        login,
        vi.waitFor(async () => expect((await db.execute(waiting)).rows).not.toHaveLength(0), { timeout: 30_000 }),
      ])
    })
    await expect(login).rejects.toMatchObject({ status: 401, serverMessage: 'Invalid email or password' })
    expect(await db.select().from(sessions).where(eq(sessions.userId, user.id))).toEqual([])
  })

  test('works once out of twenty simultaneous tries', async () => {
    const { user } = await shop.user()
    const token = await tokenFor(user.email)
    const passwords = Array.from({ length: 20 }, (_, index) => `new password ${index}`)
    const answers = await Promise.allSettled(
      passwords.map((newPassword) => shop.visitor().call(accounts.resetPassword, { token, newPassword })),
    )
    const winners = passwords.filter((_, index) => answers[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    await shop.visitor().call(accounts.login, { email: user.email, password: winners[0] ?? '' })
    await expect(
      shop.visitor().call(accounts.resetPassword, { token, newPassword: 'once more' }),
    ).rejects.toMatchObject(expired)
    expect(await mailsTo(user.email, 'Your password was changed')).toHaveLength(1)
  })

  test('cancels a change of address that a thief has requested', async () => {
    const person = await shop.user()
    const { email } = person.user
    await person.call(credentials.changeEmail, { email: `thief-${email}` })
    const [mail] = await mailsTo(`thief-${email}`, 'Confirm your new email address')
    const [, id = '', token = ''] = /id=(\S+?)&token=(\S+)/.exec(mail?.text ?? '') ?? []
    await shop.visitor().call(accounts.resetPassword, { token: await tokenFor(email), newPassword: 'sezame' })
    await expect(shop.visitor().call(credentials.confirmEmail, { id, token })).rejects.toMatchObject({
      status: 400,
      serverMessage: 'This link no longer works.',
    })
  })

  test('invalidates older links', async () => {
    const { user } = await shop.user()
    const [older, newer] = [await tokenFor(user.email), await tokenFor(user.email)]
    await shop.visitor().call(accounts.resetPassword, { token: newer, newPassword: 'sezame' })
    await expect(
      shop.visitor().call(accounts.resetPassword, { token: older, newPassword: 'again!' }),
    ).rejects.toMatchObject(expired)
  })

  test('is not used up by looking at its link or by a refused password', async () => {
    const { user } = await shop.user()
    const token = await tokenFor(user.email)
    for (const path of [`/reset-password?token=${token}`, `/api/auth/reset-password?token=${token}`]) {
      await shop.visitor().fetch(path)
      await shop.visitor().fetch(path, { method: 'HEAD' })
    }
    for (const newPassword of ['short', '123456', 'macgyver'])
      await expect(shop.visitor().call(accounts.resetPassword, { token, newPassword })).rejects.toMatchObject({
        status: 400,
        fields: { newPassword: expect.any(String) },
      })
    await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'sezame' })
  })

  test('works for 60 minutes', async () => {
    await using ownShop = await openShop()
    const [early, late] = [await ownShop.user(), await ownShop.user()]
    for (const { user } of [early, late])
      await ownShop.visitor().call(accounts.requestPasswordReset, { email: user.email })
    const mails = await ownShop.mails()
    const tokenOf = (email: string) => {
      const mail = mails.findLast(({ to, subject }) => to === email && subject === 'Reset your password')
      return /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
    }
    ownShop.clock.advance({ minutes: 59 })
    await ownShop.visitor().call(accounts.resetPassword, { token: tokenOf(early.user.email), newPassword: 'sezame' })
    ownShop.clock.advance({ minutes: 2 })
    await expect(
      ownShop.visitor().call(accounts.resetPassword, { token: tokenOf(late.user.email), newPassword: 'sezame' }),
    ).rejects.toMatchObject(expired)
  })

  test('unlocks an account locked by too many attempts', async () => {
    const { user } = await shop.verifiedUser()
    const attempt = (password: string) => shop.visitor().call(accounts.login, { email: user.email, password })
    for (let count = 0; count < 10; count++) await expect(attempt('wrong')).rejects.toMatchObject({ status: 401 })
    await expect(attempt('wrong')).rejects.toMatchObject({ status: 429 })
    const token = await tokenFor(user.email)
    await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'sezame' })
    expect(await attempt('sezame')).toEqual(user)
  })
})

describe('the emailed link', () => {
  test('leads to PUBLIC_URL, whatever Host and X-Forwarded-Host say', async () => {
    const { user } = await shop.user()
    const { port } = shop.config
    const { request } = await import('node:http')
    await new Promise<void>((done, failed) => {
      const poisoned = request(
        {
          port,
          host: 'localhost',
          path: '/api/auth/request-password-reset',
          method: 'POST',
          headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'content-type': 'application/json' },
        },
        (response) => response.resume().on('end', done),
      )
      poisoned.on('error', failed).end(JSON.stringify({ email: user.email }))
    })
    const [link = ''] = await linksTo(user.email)
    expect(new URL(link).origin).toBe(shop.url)
    expect(JSON.stringify(await mailsTo(user.email, 'Reset your password'))).not.toContain('evil.example')
  })

  test('has a 32-byte secret that isn’t in the database', async () => {
    const { user } = await shop.user()
    const token = await tokenFor(user.email)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const { rows } = await shop.connection.pool.query('select data::text from jobs.job')
    const stored = JSON.stringify([await shop.connection.db.select().from(passwordTokens), rows])
    expect(stored).not.toContain(token)
  })
})

describe('asking for a reset', () => {
  test('gets the same answer for known and unknown addresses', async () => {
    const { user } = await shop.user()
    const answers = await Promise.all(
      [user.email, 'nobody@example.com'].map((email) => shop.visitor().call(accounts.requestPasswordReset, { email })),
    )
    expect(answers[0]).toEqual({
      message: 'If an account exists with this email, you will receive a password reset link.',
    })
    expect(answers[1]).toEqual(answers[0])
    expect(await mailsTo('nobody@example.com', 'Reset your password')).toEqual([])
  })

  test('a hundred times for one address sends three emails, with the same answers whether known or not', async () => {
    const { user } = await shop.user()
    const ask = (email: string) =>
      shop
        .visitor()
        .call(accounts.requestPasswordReset, { email })
        .then(
          () => 200,
          (error: { status: number }) => error.status,
        )
    // Sends ten at a time, because a hundred at once may wait so long for the same row that the answer is 503.
    const askHundredTimes = async (email: string) => {
      const statuses: number[] = []
      for (let wave = 0; wave < 10; wave++)
        statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(email)))))
      return statuses
    }
    const hundredSuccesses = Array<number>(100).fill(200)
    expect(await askHundredTimes(user.email)).toEqual(hundredSuccesses)
    expect(await askHundredTimes('flooded@example.com')).toEqual(hundredSuccesses)
    expect(await linksTo(user.email)).toHaveLength(3)
  })

  test('sends another link once the first ones have expired, so that a stranger can’t use up the owner’s requests', async () => {
    await using ownShop = await openShop()
    const { user } = await ownShop.user()
    const ask = () => ownShop.visitor().call(accounts.requestPasswordReset, { email: user.email })
    const countLinks = async () =>
      (await ownShop.mails()).filter(({ to, subject }) => to === user.email && subject === 'Reset your password').length
    for (let count = 0; count < 5; count++) await ask()
    expect(await countLinks()).toBe(3)
    ownShop.clock.advance({ minutes: 61 })
    await ask()
    expect(await countLinks()).toBe(4)
  })

  test('chooses a first password within 7 days and logs in with it', async () => {
    await using ownShop = await openShop()
    const { email } = await ownShop.guest(ownShop.visitor())
    await ownShop.settle()
    const mail = (await ownShop.mails()).find(({ to, subject }) => to === email && subject.startsWith('Your receipt'))
    const token = tokenIn(/http\S+first=1&token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    ownShop.clock.advance({ days: 6 })
    await ownShop.visitor().call(accounts.resetPassword, { token, newPassword: 'sezame' })
    expect(await ownShop.visitor().call(accounts.login, { email, password: 'sezame' })).toMatchObject({
      email,
      isAdmin: false,
    })
  })

  test('asks for another link in the profile, and chooses a password instead of resetting one', async () => {
    const visitor = shop.visitor()
    const { email, paymentIntentId } = await shop.guest(visitor)
    await shop.logInGuest(visitor, { paymentIntentId })
    expect(await visitor.call(accounts.profile, {})).toMatchObject({ email, hasPassword: false })
    await visitor.call(accounts.requestPasswordReset, { email })
    const [mail] = await mailsTo(email, 'Choose your password')
    expect(mail?.text).toMatch(/\/reset-password\?first=1&token=/)
    expect(await mailsTo(email, 'Reset your password')).toEqual([])
    const token = tokenIn(/http\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await visitor.call(accounts.resetPassword, { token, newPassword: 'sezame' })
    await visitor.call(accounts.login, { email, password: 'sezame' })
    expect(await visitor.call(accounts.profile, {})).toMatchObject({ hasPassword: true })
  })
})
