import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import { recorded } from '#server/testing/tradingview-recorded.ts'

const day = 86_400_000
const ownScript = 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5'
const foreignScript = 'PUB;00000000000000000000000000000000'

let shop: ConnectedShop
let cookie: string
beforeAll(async () => {
  shop = await openConnectedShop()
  cookie = await shop.tradingViewStandIn.controls.cookies()
})
afterAll(() => shop.close())

async function send(path: string, form?: Record<string, string>, headers: Record<string, string> = { cookie }) {
  const response = await fetch(new URL(path, shop.tradingViewStandIn.address), {
    headers,
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  })
  return { status: response.status, body: await response.json() }
}

const entriesOf = async (username: string, pineId = ownScript) =>
  (await send('/pine_perm/list_users/', { pine_id: pineId, username })).body.results

const change = (call: string, username: string, expiration?: Date) =>
  send(`/pine_perm/${call}/`, {
    pine_id: ownScript,
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
    const added = 45
    const listedBefore = 1
    for (let n = 0; n < added; n++)
      await controls.addByHand(ownScript, `page_${n}`, n % 2 ? null : new Date(shop.clock.now().getTime() + day))
    const firstPage = await send('/pine_perm/list_users/?limit=20&order_by=-created', { pine_id: ownScript })
    expect(firstPage.status).toBe(200)
    expect(Object.keys(firstPage.body)).toEqual(Object.keys(recorded.list))
    const [dated, endless] = recorded.list.results
    const rows: { username: string; expiration?: string }[] = firstPage.body.results
    expect(typesOf(rows.find(({ expiration }) => expiration))).toEqual(typesOf(dated))
    expect(typesOf(rows.find(({ expiration }) => !expiration))).toEqual(typesOf(endless))
    expect(rows.map(({ username }) => username).slice(0, 2)).toEqual(['page_44', 'page_43'])
    expect(firstPage.body.next).toMatch(/^\/pine_perm\/list_users\/\?.*\bc=/)

    // `offset` and `page` are ignored.
    const withOffset = await send('/pine_perm/list_users/?limit=20&offset=20&page=2', { pine_id: ownScript })
    expect(withOffset.body.results).toEqual(rows)

    const seen = new Set(rows.map(({ username }) => username))
    let { next } = firstPage.body
    while (next) {
      const page = await send(next, { pine_id: ownScript })
      for (const { username } of page.body.results) seen.add(username)
      next = page.body.next
    }
    expect(seen.size).toBe(listedBefore + added)
  })

  test('refuses pages above 30, and a cursor from before the list changed', async () => {
    for (const limit of [31, 50, 100])
      expect(await send(`/pine_perm/list_users/?limit=${limit}`, { pine_id: ownScript })).toEqual({
        status: 400,
        body: recorded.badPage,
      })
    const { body } = await send('/pine_perm/list_users/?limit=20', { pine_id: ownScript })
    await shop.tradingViewStandIn.controls.removeByHand(ownScript, 'page_0')
    expect((await send(body.next, { pine_id: ownScript })).status).toBe(404)
  })
})

describe('changes', () => {
  const until = new Date(Date.now() + 30 * day)

  test('add a new person with a 201, and answer “exists” for a listed one, whose date stays', async () => {
    expect(await change('add', 'QuietQuant', until)).toEqual({ status: 201, body: recorded.done })
    const [row] = await entriesOf('QuietQuant')
    expect(Date.parse(row.expiration)).toBe(until.getTime())
    const later = new Date(until.getTime() + day)
    expect(await change('add', 'QuietQuant', later)).toEqual({ status: 200, body: recorded.exists })
    expect(await entriesOf('QuietQuant')).toEqual([row])
    expect(await change('modify_user_expiration', 'QuietQuant', later)).toEqual({ status: 200, body: recorded.done })
    expect(Date.parse((await entriesOf('QuietQuant'))[0].expiration)).toBe(later.getTime())
    expect(await change('remove', 'QuietQuant')).toEqual({ status: 200, body: recorded.done })
    expect(await change('remove', 'QuietQuant')).toEqual({ status: 200, body: recorded.notThere })
  })

  test('need the exact spelling, while the search ignores upper and lower case', async () => {
    expect((await change('add', 'quietquant', until)).status).toBe(422)
    const { body } = await send('/username_hint/?s=QUIETquant', undefined, {})
    expect(body).toContainEqual(expect.objectContaining({ username: 'QuietQuant' }))
    expect(Object.keys(body[0])).toEqual(expect.arrayContaining(Object.keys(recorded.hint[0] ?? {})))
    expect(body[0].username).toBeTypeOf('string')
  })

  test('keep a renamed person listed, but not a deleted or ended one', async () => {
    const { controls } = shop.tradingViewStandIn
    await controls.addByHand(ownScript, 'to_be_renamed', until)
    const [entryBefore] = await entriesOf('to_be_renamed')
    await controls.renameUser('to_be_renamed', 'renamed_now')
    expect(await entriesOf('to_be_renamed')).toEqual([])
    expect(await entriesOf('renamed_now')).toEqual([{ ...entryBefore, username: 'renamed_now' }])
    await controls.deleteUser('renamed_now')
    expect(await entriesOf('renamed_now')).toEqual([])
    await controls.addByHand(ownScript, 'ends_soon', new Date(shop.clock.now().getTime() + 60_000))
    await shop.advance(5, 'minute')
    expect(await entriesOf('ends_soon')).toEqual([])
  })
})

describe('a session', () => {
  test('can be checked, and lists the account’s own scripts', async () => {
    expect((await send('/tvcoins/details/')).status).toBe(200)
    const ids = await send('/pine_perm/list_scripts/')
    expect(ids.body).toEqual(expect.arrayContaining(recorded.scripts))
    const named = await send('/pubscripts-get/', { scriptIdPart: ids.body.join(','), show_hidden: 'true' })
    expect(named.body).toEqual(expect.arrayContaining(recorded.named))
  })

  test('is required for all requests, and gives no access to another account’s script', async () => {
    for (const path of ['/tvcoins/details/', '/pine_perm/list_scripts/'])
      expect(await send(path, undefined, {})).toEqual({ status: 403, body: recorded.loggedOut })
    expect(await send('/pine_perm/list_users/', { pine_id: foreignScript })).toEqual({
      status: 403,
      body: recorded.notOwner,
    })
    expect((await send('/pine_perm/list_users/', { pine_id: 'PUB;nothing' })).status).toBe(404)
  })
})
