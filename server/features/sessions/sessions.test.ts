import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/accounts.ts'
import { sessions } from '../../database/schema.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'
import { production } from '../../testing/production.ts'

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
    await using other = await openShop({ databaseUrl: shop.connection.url })
    const there = other.visitor()
    there.cookies.set('session', person.cookies.get('session') ?? '')
    expect(await there.call(accounts.user, {})).toEqual(person.user)
    await there.call(accounts.logout, {})
    expect(await person.call(accounts.user, {})).toBeNull()
  })

  test('ends after 30 days, but lives on while it’s used', async () => {
    await using later = await openShop()
    const [used, forgotten] = [await later.user(), await later.user()]
    later.clock.advance({ days: 20 })
    expect(await used.call(accounts.user, {})).toEqual(used.user)
    later.clock.advance({ days: 20 })
    expect(await used.call(accounts.user, {})).toEqual(used.user)
    expect(await forgotten.call(accounts.user, {})).toBeNull()
    await later.queue.runNow('forget-expired-sessions')
    expect(await later.connection.db.select().from(sessions)).toHaveLength(1)
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
        /^__Host-device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })
})
