import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { sessions } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { production } from '#server/testing/production.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

describe('a session', () => {
  test('ends at logout, even for a copy of its cookie', async () => {
    const person = await shop.user()
    const copy = shop.visitor()
    copy.cookies.set('session', person.cookies.get('session') ?? '')
    await person.call(accounts.logout, {})
    expect(person.cookies.has('session')).toBe(false)
    expect(await copy.call(accounts.user, {})).toBeNull()
  })

  test('works in another process on the same database, and after a restart', async () => {
    const person = await shop.user()
    await using otherProcess = await openShop({ databaseUrl: shop.connection.url })
    const otherBrowser = otherProcess.visitor()
    otherBrowser.cookies.set('session', person.cookies.get('session') ?? '')
    expect(await otherBrowser.call(accounts.user, {})).toEqual(person.user)
    await otherBrowser.call(accounts.logout, {})
    expect(await person.call(accounts.user, {})).toBeNull()
  })

  test('ends after 30 days, but lives on while it’s used', async () => {
    await using ownShop = await openShop()
    const [used, forgotten] = [await ownShop.user(), await ownShop.user()]
    ownShop.clock.advance({ days: 20 })
    expect(await used.call(accounts.user, {})).toEqual(used.user)
    ownShop.clock.advance({ days: 20 })
    expect(await used.call(accounts.user, {})).toEqual(used.user)
    expect(await forgotten.call(accounts.user, {})).toBeNull()
    await ownShop.queue.runNow('forget-expired-sessions')
    expect(await ownShop.connection.db.select().from(sessions)).toHaveLength(1)
  })

  test('ends 90 days after the login, or 12 hours for an admin, however much it’s used', async () => {
    await using ownShop = await openShop()
    const [person, admin] = [await ownShop.user(), await ownShop.admin()]
    for (let hours = 0; hours < 11; hours++) {
      ownShop.clock.advance({ hours: 1 })
      expect(await admin.call(accounts.user, {})).toEqual(admin.user)
    }
    ownShop.clock.advance({ hours: 1 })
    expect(await admin.call(accounts.user, {})).toBeNull()
    for (let days = 10; days < 90; days += 10) {
      ownShop.clock.advance({ days: 10 })
      expect(await person.call(accounts.user, {})).toEqual(person.user)
    }
    ownShop.clock.advance({ days: 10 })
    expect(await person.call(accounts.user, {})).toBeNull()
  })

  test('stays if a new login of its browser fails', async () => {
    await using ownShop = await openShop()
    const person = await ownShop.user()
    const { db } = ownShop.connection
    await db.execute(
      sql`create function fail() returns trigger language plpgsql as $$ begin raise exception 'failed'; end $$`,
    )
    await db.execute(sql`create trigger fail before insert on logins for each row execute function fail()`)
    const login = person.call(accounts.login, { email: person.user.email, password: person.password })
    await expect(login).rejects.toMatchObject({ status: 500 })
    expect(await person.call(accounts.user, {})).toEqual(person.user)
  })

  test('of an admin ends after 12 hours even if a later end is stored', async () => {
    await using ownShop = await openShop()
    const admin = await ownShop.admin()
    const farEnd = new Date(ownShop.clock.now().getTime() + 30 * 86_400_000)
    await ownShop.connection.db.update(sessions).set({ expiresAt: farEnd, rotatedAt: null })
    ownShop.clock.advance({ hours: 12 })
    expect(await admin.call(accounts.user, {})).toBeNull()
  })

  test('uses a __Host- cookie, sent over https only, when the shop has an https address', async () => {
    await using secure = await openShop({ env: production })
    const response = await fetch(`http://localhost:${secure.config.port}/api/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'correct horse battery', name: 'A' }),
    })
    expect(response.headers.getSetCookie().toSorted()).toEqual([
      expect.stringMatching(
        /^__Host-device=[\w-]{43}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(/^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
  })
})

describe('a session’s token', () => {
  const tokenOf = ({ cookies }: { cookies: Map<string, string> }) => cookies.get('session') ?? ''
  const withToken = (testShop: TestShop, token: string) => {
    const visitor = testShop.visitor()
    visitor.cookies.set('session', token)
    return visitor
  }

  test('is replaced every hour of use, once, however many requests arrive together', async () => {
    await using ownShop = await openShop()
    const person = await ownShop.user()
    const firstToken = tokenOf(person)
    ownShop.clock.advance({ minutes: 59 })
    await person.call(accounts.user, {})
    expect(tokenOf(person)).toBe(firstToken)
    ownShop.clock.advance({ minutes: 2 })
    const tabs = Array.from({ length: 10 }, () => withToken(ownShop, firstToken))
    for (const answer of await Promise.all(tabs.map((tab) => tab.call(accounts.user, {}))))
      expect(answer).toEqual(person.user)
    const newTokens = tabs.map(tokenOf).filter((token) => token !== firstToken)
    expect(newTokens).toHaveLength(1)
    const [newToken = ''] = newTokens
    expect(await withToken(ownShop, newToken).call(accounts.user, {})).toEqual(person.user)
    // The old token still works for requests that were sent before it was replaced.
    expect(await withToken(ownShop, firstToken).call(accounts.user, {})).toEqual(person.user)
    expect(await ownShop.connection.db.select().from(sessions)).toHaveLength(1)
  })

  test('still works if the answer with the new one never arrived', async () => {
    await using ownShop = await openShop()
    const person = await ownShop.user()
    const firstToken = tokenOf(person)
    for (let lostAnswers = 0; lostAnswers < 3; lostAnswers++) {
      ownShop.clock.advance({ hours: 2 })
      expect(await withToken(ownShop, firstToken).call(accounts.user, {})).toEqual(person.user)
    }
  })

  test('ends the session for everyone if a copy of a replaced one is used', async () => {
    await using ownShop = await openShop()
    const person = await ownShop.user()
    const stolen = tokenOf(person)
    ownShop.clock.advance({ hours: 2 })
    await person.call(accounts.user, {})
    ownShop.clock.advance({ minutes: 2 })
    expect(await person.call(accounts.user, {})).toEqual(person.user)
    expect(await withToken(ownShop, stolen).call(accounts.user, {})).toBeNull()
    expect(await person.call(accounts.user, {})).toBeNull()
  })

  test('that was just replaced can still log out', async () => {
    await using ownShop = await openShop()
    const person = await ownShop.user()
    const firstToken = tokenOf(person)
    ownShop.clock.advance({ hours: 2 })
    await person.call(accounts.user, {})
    await withToken(ownShop, firstToken).call(accounts.logout, {})
    expect(await person.call(accounts.user, {})).toBeNull()
  })
})
