import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import { recorded } from '#server/testing/tradingview-recorded.ts'

const day = 86_400_000
const pine = 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5'
const others = 'PUB;00000000000000000000000000000000'

let shop: ConnectedShop
let cookie: string
beforeAll(async () => {
  shop = await openConnectedShop()
  cookie = await shop.tradingViewStandIn.controls.cookies()
})
afterAll(() => shop.close())

async function ask(path: string, form?: Record<string, string>, headers: Record<string, string> = { cookie }) {
  const response = await fetch(new URL(path, shop.tradingViewStandIn.address), {
    headers,
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  })
  return { status: response.status, body: await response.json() }
}

const listed = async (username: string, pineId = pine) =>
  (await ask('/pine_perm/list_users/', { pine_id: pineId, username })).body.results

const change = (call: string, username: string, expiration?: Date) =>
  ask(`/pine_perm/${call}/`, {
    pine_id: pine,
    username_recip: username,
    ...(expiration ? { expiration: expiration.toISOString() } : {}),
  })

/** Names of the fields with the types of their values, where a date with microseconds counts as `date`. */
function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(typesOf)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, typesOf(each)]))
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/.test(value)) return 'date'
  return value === null ? null : typeof value
}

describe('the list', () => {
  test('has the recorded form, newest first, in pages of 20, and is followed by its cursor alone', async () => {
    const { controls } = shop.tradingViewStandIn
    for (let n = 0; n < 45; n++)
      await controls.addByHand(pine, `page_${n}`, n % 2 ? null : new Date(shop.clock.now().getTime() + day))
    const first = await ask('/pine_perm/list_users/?limit=20&order_by=-created', { pine_id: pine })
    expect(first.status).toBe(200)
    expect(Object.keys(first.body)).toEqual(Object.keys(recorded.list))
    const [dated, endless] = recorded.list.results
    const rows: { username: string; expiration?: string }[] = first.body.results
    expect(typesOf(rows.find(({ expiration }) => expiration))).toEqual(typesOf(dated))
    expect(typesOf(rows.find(({ expiration }) => !expiration))).toEqual(typesOf(endless))
    expect(rows.map(({ username }) => username).slice(0, 2)).toEqual(['page_44', 'page_43'])
    expect(first.body.next).toMatch(/^\/pine_perm\/list_users\/\?.*\bc=/)

    // `offset` and `page` are ignored.
    const again = await ask('/pine_perm/list_users/?limit=20&offset=20&page=2', { pine_id: pine })
    expect(again.body.results).toEqual(rows)

    const seen = new Set(rows.map(({ username }) => username))
    let { next } = first.body
    while (next) {
      const page = await ask(next, { pine_id: pine })
      for (const { username } of page.body.results) seen.add(username)
      next = page.body.next
    }
    expect(seen.size).toBe(46)
  })

  test('refuses pages above 30, and a cursor from before the list changed', async () => {
    for (const limit of [31, 50, 100])
      expect(await ask(`/pine_perm/list_users/?limit=${limit}`, { pine_id: pine })).toEqual({
        status: 400,
        body: recorded.badPage,
      })
    const { body } = await ask('/pine_perm/list_users/?limit=20', { pine_id: pine })
    await shop.tradingViewStandIn.controls.removeByHand(pine, 'page_0')
    expect((await ask(body.next, { pine_id: pine })).status).toBe(404)
  })
})

describe('a change', () => {
  const until = new Date(Date.now() + 30 * day)

  test('adding a new person returns 201; adding an existing one returns “exists” and keeps the date', async () => {
    expect(await change('add', 'QuietQuant', until)).toEqual({ status: 201, body: recorded.done })
    const [row] = await listed('QuietQuant')
    expect(Date.parse(row.expiration)).toBe(until.getTime())
    const later = new Date(until.getTime() + day)
    expect(await change('add', 'QuietQuant', later)).toEqual({ status: 200, body: recorded.exists })
    expect(await listed('QuietQuant')).toEqual([row])
    expect(await change('modify_user_expiration', 'QuietQuant', later)).toEqual({ status: 200, body: recorded.done })
    expect(Date.parse((await listed('QuietQuant'))[0].expiration)).toBe(later.getTime())
    expect(await change('remove', 'QuietQuant')).toEqual({ status: 200, body: recorded.done })
    expect(await change('remove', 'QuietQuant')).toEqual({ status: 200, body: recorded.notThere })
  })

  test('needs the exact spelling, while the search ignores upper and lower case', async () => {
    expect((await change('add', 'quietquant', until)).status).toBe(422)
    const { body } = await ask('/username_hint/?s=QUIETquant', undefined, {})
    expect(body).toContainEqual(expect.objectContaining({ username: 'QuietQuant' }))
    expect(body[0]).toMatchObject(
      Object.fromEntries(Object.keys(recorded.hint[0] ?? {}).map((key) => [key, expect.any(String)])),
    )
  })

  test('a renamed person keeps the row, a deleted one loses it, and an ended one is no longer listed', async () => {
    const { controls } = shop.tradingViewStandIn
    await controls.addByHand(pine, 'to_be_renamed', until)
    const [before] = await listed('to_be_renamed')
    await controls.renameUser('to_be_renamed', 'renamed_now')
    expect(await listed('to_be_renamed')).toEqual([])
    expect(await listed('renamed_now')).toEqual([{ ...before, username: 'renamed_now' }])
    await controls.deleteUser('renamed_now')
    expect(await listed('renamed_now')).toEqual([])
    await controls.addByHand(pine, 'ends_soon', new Date(shop.clock.now().getTime() + 60_000))
    await shop.advance(5, 'minute')
    expect(await listed('ends_soon')).toEqual([])
  })
})

describe('a session', () => {
  test('can be checked, and lists the account’s own scripts', async () => {
    expect((await ask('/tvcoins/details/')).status).toBe(200)
    const ids = await ask('/pine_perm/list_scripts/')
    expect(ids.body).toEqual(expect.arrayContaining(recorded.scripts))
    const named = await ask('/pubscripts-get/', { scriptIdPart: ids.body.join(','), show_hidden: 'true' })
    expect(named.body).toEqual(expect.arrayContaining(recorded.named))
  })

  test('requests without a session are refused, and so are requests for another account’s script', async () => {
    for (const path of ['/tvcoins/details/', '/pine_perm/list_scripts/'])
      expect(await ask(path, undefined, {})).toEqual({ status: 403, body: recorded.loggedOut })
    expect(await ask('/pine_perm/list_users/', { pine_id: others })).toEqual({ status: 403, body: recorded.notOwner })
    expect((await ask('/pine_perm/list_users/', { pine_id: 'PUB;nothing' })).status).toBe(404)
  })
})
