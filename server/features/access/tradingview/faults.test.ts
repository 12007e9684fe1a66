import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'

let shop: ConnectedShop
let admin: Awaited<ReturnType<ConnectedShop['admin']>>
beforeAll(async () => {
  shop = await openConnectedShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  admin = await shop.admin()
  await shop.tradingViewStandIn.controls.behave({})
})

const indicator = 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5'
const strategy = 'PUB;9b8a7c6d5e4f40318273645566778899'

/** Advances the clock, by default past the longest retry pause, and runs what is due. */
async function runLater(minutes = 61) {
  shop.clock.advance({ minutes })
  await shop.queue.runNow('tradingview-due')
  await shop.settle()
}

const reconcile = async () => {
  await shop.queue.runNow('tradingview-reconcile')
  await shop.settle()
  const [run] = await admin.call(tradingViewAdmin.runs, {})
  return run
}

const todo = () => admin.call(accessAdmin.todo, { limit: 200 })
const show = () => admin.call(tradingViewAdmin.show, {})
const countCalls = async () => (await shop.tradingViewStandIn.controls.calls()).length

describe('a temporary failure', () => {
  test.for(['limit', 'error', 'drop', 'pretend', 'broken', 'odd', 'html'] as const)('is retried: %s', async (fault) => {
    const username = `fault_${fault}`
    await shop.tradingViewStandIn.controls.behave({ next: [fault, fault], on: '/pine_perm/' })
    const buyer = await shop.namedBuyer(username)
    await shop.settle()
    await runLater()
    await runLater()
    expect(await shop.listed(indicator)).toContain(username)
    expect(await shop.listed(strategy)).toContain(username)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  })
})

test('if TradingView says “exists”, the end date is read, and one that the seller set by hand is corrected', async () => {
  const buyer = await shop.namedBuyer('by_hand_before')
  await shop.settle()
  await shop.tradingViewStandIn.controls.addByHand(
    indicator,
    'by_hand_before',
    new Date(shop.clock.now().getTime() + 3_600_000),
  )
  await buyer.call(access.recheck, { purchaseId: buyer.purchase.id })
  await shop.settle()
  const people = await shop.tradingViewStandIn.controls.people(indicator)
  const entry = people.find(({ username }) => username === 'by_hand_before')
  const paidUntil = Date.parse(buyer.purchase.currentPeriodEnd ?? '')
  expect(entry?.expiration?.getTime()).toBeGreaterThan(paidUntil)
})

test('access from before the purchase is neither shortened nor removed when the buyer leaves', async () => {
  await shop.tradingViewStandIn.controls.addByHand(indicator, 'friend_since_2019')
  const buyer = await shop.namedBuyer('friend_since_2019')
  expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  expect(await todo()).toContainEqual(expect.objectContaining({ kind: 'had_access', username: 'friend_since_2019' }))
  await admin.call(purchasesAdmin.cancel, { id: buyer.purchase.id })
  expect(await shop.listed(indicator)).toContain('friend_since_2019')
  expect(await shop.listed(strategy)).not.toContain('friend_since_2019')
  const changesOfFriend = (await shop.changes()).filter(
    ({ username, pine_id: pineId }) => username === 'friend_since_2019' && pineId === indicator,
  )
  expect(changesOfFriend).toEqual([])
})

describe('a session that ends', () => {
  test('stops every call, emails the seller and hands over the requests; a new session catches up', async () => {
    await shop.tradingViewStandIn.controls.endSession()
    const buyer = await shop.namedBuyer('patient_paula')
    await shop.settle()
    expect(await show()).toMatchObject({ state: 'expired' })
    expect((await shop.mails()).map(({ subject }) => subject)).toContain('Your TradingView session has ended')
    const callCount = await countCalls()
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'asked' })
    expect(await countCalls()).toBe(callCount)
    expect((await todo()).map(({ username }) => username)).toContain('patient_paula')

    // Connecting to the sandbox needs no accepted risks.
    const host = 'sandbox'
    const connectionWithWrongCookies = admin.call(tradingViewAdmin.connect, {
      cookies: 'sessionid=a; sessionid_sign=b',
      host,
      accepts: false,
    })
    await expect(connectionWithWrongCookies).rejects.toMatchObject({ status: 409 })
    await shop.tradingViewStandIn.controls.logIn()
    const cookies = await shop.tradingViewStandIn.controls.cookies()
    await admin.call(tradingViewAdmin.connect, { cookies, host, accepts: false })
    await runLater(0.1)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
    expect((await todo()).map(({ username }) => username)).not.toContain('patient_paula')
  })

  test('is not renewed without accepted risks, with a foreign host, with line breaks or with a missing cookie', async () => {
    const connect = (cookies: string, host: string) =>
      admin.call(tradingViewAdmin.connect, { cookies, host, accepts: true })
    const good = await shop.tradingViewStandIn.controls.cookies()
    for (const host of [
      'localhost',
      '169.254.169.254',
      'www.tradingview.com.evil.example',
      'evil.tradingview.com',
      'www.tradingview.com:8080',
      'www.tradingview.com/@evil',
    ])
      await expect(connect(good, host)).rejects.toMatchObject({ status: 400 })
    const withoutAccepting = { cookies: good, host: 'www.tradingview.com', accepts: false }
    await expect(admin.call(tradingViewAdmin.connect, withoutAccepting)).rejects.toMatchObject({
      status: 400,
      serverMessage: 'Please read and accept the risks first.',
    })
    await expect(connect('sessionid=a', 'sandbox')).rejects.toMatchObject({ status: 400 })
    await expect(connect('sessionid=a;\nsessionid_sign=b', 'sandbox')).rejects.toMatchObject({ status: 400 })
    expect(await show()).toMatchObject({ host: 'sandbox', state: 'on' })
  })
})

describe('the connector stops for', () => {
  const wasMailed = async (subject: string) => (await shop.mails()).some((mail) => mail.subject === subject)

  test('a server whose address TradingView blocks', async () => {
    await shop.tradingViewStandIn.controls.behave({ always: 'blocked', on: '/pine_perm/' })
    const buyer = await shop.namedBuyer('behind_the_wall')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'asked' })
    expect(await show()).toMatchObject({ state: 'blocked' })
    expect(await wasMailed('TradingView is blocking your server')).toBe(true)
    await shop.tradingViewStandIn.controls.behave({})
    await admin.call(tradingViewAdmin.test, {})
    await runLater(1)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  })

  test('three unreadable answers in a row', async () => {
    await shop.tradingViewStandIn.controls.behave({ always: 'odd', on: '/pine_perm/' })
    const buyer = await shop.namedBuyer('lost_in_translation')
    await shop.settle()
    await runLater(1)
    expect(await show()).toMatchObject({ state: 'paused' })
    expect(await wasMailed('TradingView has changed how it answers')).toBe(true)
    await shop.tradingViewStandIn.controls.behave({})
    await admin.call(tradingViewAdmin.resume, {})
    await runLater(1)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  })

  test('a script that belongs to another account, but goes on with the rest', async () => {
    await shop.tradingViewStandIn.controls.behave({ next: ['owner'], on: '/pine_perm/' })
    await shop.namedBuyer('half_open')
    await shop.settle()
    const scripts = await admin.call(tradingViewAdmin.scripts, {})
    const pineId = scripts.find(({ problem }) => problem)?.pineId ?? ''
    expect(await shop.listed(pineId)).not.toContain('half_open')
    expect(await shop.listed(pineId === indicator ? strategy : indicator)).toContain('half_open')
    await admin.call(tradingViewAdmin.chooseScript, { pineId, productId: reboundSigmaPro.id })
    await reconcile()
    expect(await shop.listed(pineId)).toContain('half_open')
  })
})

describe('the nightly comparison', () => {
  test('adds missing people, corrects wrong dates and only reports foreign entries', async () => {
    await shop.namedBuyer('night_owl')
    await shop.namedBuyer('early_bird')
    await shop.settle()
    await shop.tradingViewStandIn.controls.removeByHand(indicator, 'night_owl')
    await shop.tradingViewStandIn.controls.addByHand(indicator, 'early_bird', null)
    await shop.tradingViewStandIn.controls.addByHand(indicator, 'total_stranger')
    // Advances a day, because at most one email per day is sent.
    shop.clock.advance({ days: 1 })
    admin = await shop.admin()
    await reconcile()
    const runs = await admin.call(tradingViewAdmin.runs, {})
    expect(runs.slice(0, 2)).toContainEqual(expect.objectContaining({ isComplete: true, missing: 1, wrong: 1 }))
    expect(await shop.listed(indicator)).toEqual(expect.arrayContaining(['night_owl', 'early_bird', 'total_stranger']))
    const people = await shop.tradingViewStandIn.controls.people(indicator)
    expect(people.find(({ username }) => username === 'early_bird')?.expiration).not.toBeNull()
    const { items } = await admin.callPage(tradingViewAdmin.foreignEntries, { q: 'total_stranger' })
    expect(items).toMatchObject([{ username: 'total_stranger', until: null }])
    const mail = (await shop.mails()).findLast(({ text }) => text.includes('Expired, still there'))
    expect(mail?.text).toMatch(/Missing: 1\s+Wrong date: 1\s+Expired, still there: 0/)
  })

  test('changes nothing if the session ends while it reads a list', async () => {
    for (let n = 0; n < 45; n++) await shop.tradingViewStandIn.controls.addByHand(indicator, `walker_${n}`)
    const changesBefore = await shop.changes()
    // The first two calls succeed, the third gets an HTML page instead of the list.
    await shop.tradingViewStandIn.controls.behave({
      next: ['none', 'none', 'robot', 'robot'],
      on: '/pine_perm/list_users',
    })
    await shop.tradingViewStandIn.controls.removeByHand(indicator, 'night_owl')
    const run = await reconcile()
    expect(run).toMatchObject({ isComplete: false, missing: 0, foreign: 0 })
    expect(await shop.changes()).toEqual(changesBefore)
    await admin.call(tradingViewAdmin.test, {})
    await shop.tradingViewStandIn.controls.behave({})
    await reconcile()
    expect(await shop.listed(indicator)).toContain('night_owl')
  })

  test('reads a thousand people in fifty pages, and changes nothing after reading only a part', async () => {
    await shop.connection.pool.query(
      `insert into sandbox.tradingview_users select 'thousand_' || n from generate_series(1, 1000) n`,
    )
    await shop.connection.pool.query(
      `insert into sandbox.tradingview_access (pine_id, username) select $1, 'thousand_' || n from generate_series(1, 1000) n`,
      [strategy],
    )
    const changesBefore = await shop.changes()
    await shop.tradingViewStandIn.controls.removeByHand(strategy, 'night_owl')
    const next = [...Array.from({ length: 40 }, () => 'none' as const), 'error' as const]
    await shop.tradingViewStandIn.controls.behave({ next, on: '/pine_perm/list_users' })
    expect(await reconcile()).toMatchObject({ isComplete: false, missing: 0 })
    expect(await shop.changes()).toEqual(changesBefore)
    await reconcile()
    const run = (await admin.call(tradingViewAdmin.runs, {})).find(({ people }) => people >= 1000)
    expect(run).toMatchObject({ isComplete: true, missing: 1, foreign: 1000 })
    expect(run?.pages).toBeGreaterThanOrEqual(50)
    const newChanges = (await shop.changes()).slice(changesBefore.length)
    expect(newChanges).toMatchObject([{ call: 'add', username: 'night_owl' }])
    await shop.connection.pool.query(`delete from sandbox.tradingview_users where username like 'thousand_%'`)
  })

  test('stops a mass removal until an admin confirms it', async () => {
    // More than 10% of the list may not be locked without a confirmation.
    const names = Array.from({ length: 14 }, (_, n) => `leaver_${String(n).padStart(2, '0')}_x`)
    await shop.connection.pool.query(
      `insert into users (email, name) select name || '@example.com', name from unnest($1::text[]) name`,
      [names],
    )
    await shop.connection.pool.query(
      `insert into tv_people (script_id, username_key, username, user_id, is_ours)
       select s.id, u.name, u.name, u.id, true from tv_scripts s, users u where u.name = any($1)`,
      [names],
    )
    for (const name of names) await shop.tradingViewStandIn.controls.addByHand(indicator, name)
    await reconcile()
    expect(await show()).toMatchObject({ blockedRemovals: 14 })
    expect(await shop.listed(indicator)).toEqual(expect.arrayContaining(names))
    await admin.call(tradingViewAdmin.reconcile, { mayRemove: true })
    await reconcile()
    expect((await shop.listed(indicator)).filter((name) => names.includes(name))).toEqual([])
  })
})

describe('a connector that is paused or restricted', () => {
  test('calls nothing while paused, and catches up after it resumes', async () => {
    await admin.call(tradingViewAdmin.pause, {})
    const callCount = await countCalls()
    const buyer = await shop.namedBuyer('while_paused')
    await runLater(1)
    await reconcile()
    expect(await countCalls()).toBe(callCount)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'asked' })
    await admin.call(tradingViewAdmin.resume, {})
    await runLater(1)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  })

  test('changes nothing in the mode “dry”, and never locks in the mode “grant”', async () => {
    const leaver = await shop.namedBuyer('may_not_leave')
    await shop.settle()
    await admin.call(tradingViewAdmin.settings, { mode: 'grant' })
    await admin.call(purchasesAdmin.cancel, { id: leaver.purchase.id })
    expect(await shop.listed(indicator)).toContain('may_not_leave')
    await admin.call(tradingViewAdmin.settings, { mode: 'dry' })
    const changesBefore = await shop.changes()
    await shop.namedBuyer('dry_swimmer')
    await shop.settle()
    expect(await shop.changes()).toEqual(changesBefore)
    await admin.call(tradingViewAdmin.settings, { mode: 'full' })
    await reconcile()
    await shop.settle()
    expect(await shop.listed(indicator)).toContain('dry_swimmer')
    expect(await shop.listed(indicator)).not.toContain('may_not_leave')
  })
})
