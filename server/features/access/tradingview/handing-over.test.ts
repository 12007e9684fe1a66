import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessRequests } from '#contract/access/access-requests.ts'
import { tradingView } from '#contract/access/tradingview.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'

let shop: ConnectedShop
let admin: Awaited<ReturnType<ConnectedShop['admin']>>
beforeAll(async () => {
  shop = await openConnectedShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  admin = await shop.admin()
  await shop.lookAlike.controls.behave({})
})

async function later(minutes: number) {
  shop.clock.advance({ minutes })
  await shop.queue.runNow('tradingview-due')
  await shop.settle()
  await shop.queue.runNow('hand-over-requests')
  await shop.settle()
  // No one stays logged in for so long.
  admin = await shop.admin()
}

const waiting = async () =>
  (await admin.call(accessRequests.adminList, { limit: 200 })).map((request) => request.tradingViewUsername)
const subjects = async (to?: string) =>
  (await shop.mails()).filter((mail) => !to || mail.to === to).map(({ subject }) => subject)
const attention = () => admin.call(tradingViewAdmin.attention, {})

describe('TradingView that does not answer', () => {
  test('is the seller’s matter after ten minutes, and what is granted by hand is verified once it does', async () => {
    await shop.lookAlike.controls.behave({ always: 'error', on: '/pine_perm/' })
    const buyer = await shop.namedBuyer('by_hand_then')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocking' })
    expect(await waiting()).toEqual([])
    await later(11)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'manual' })
    expect(await waiting()).toEqual(['by_hand_then'])
    expect(await subjects(buyer.user.email)).toContain('We’ve got your access request')

    const { indicator, strategy } = shop.lookAlike.scripts
    const [request] = await admin.call(accessRequests.adminList, {})
    await shop.lookAlike.controls.letIn(indicator, 'by_hand_then')
    await shop.lookAlike.controls.letIn(strategy, 'by_hand_then')
    await admin.call(accessRequests.adminGrant, { ids: [request?.id ?? ''] })
    await shop.lookAlike.controls.behave({})
    await later(61)
    const access = await shop.accessOf(buyer)
    expect(access).toMatchObject({ state: 'unlocked' })
    // Let in without an end by hand, it has the paid one now, and will be locked with it.
    const people = await shop.lookAlike.controls.people(indicator)
    const row = people.find(({ username }) => username === 'by_hand_then')
    expect(row?.expiration?.toISOString()).toBe(access.until)
  })

  test('is tried for three days; the seller hears of it after an hour and finds it under “needs attention”', async () => {
    await shop.lookAlike.controls.behave({ always: 'pretend', on: '/pine_perm/add' })
    await shop.namedBuyer('stuck_sam')
    await shop.settle()
    const isTold = async () => (await subjects()).filter((text) => text.includes('stuck: stuck_sam')).length
    await later(30)
    expect(await isTold()).toBe(0)
    await later(45)
    expect(await isTold()).toBe(1)
    for (let hours = 0; hours < 73; hours += 12) await later(12 * 60)
    expect(await isTold()).toBe(1)
    expect(await attention()).toContainEqual(
      expect.objectContaining({ kind: 'stuck', username: 'stuck_sam' }),
    )
    await shop.lookAlike.controls.behave({})
    const { items } = await admin.callPage(tradingViewAdmin.people, { q: 'stuck_sam' })
    for (const { id } of items) await admin.call(tradingViewAdmin.retry, { id })
    expect(await shop.listed()).toContain('stuck_sam')
    expect(await attention()).not.toContainEqual(expect.objectContaining({ username: 'stuck_sam' }))
  })

  test('an undone grant by hand is granted again by what TradingView says', async () => {
    await shop.lookAlike.controls.behave({ always: 'limit' })
    const buyer = await shop.namedBuyer('undone_una')
    await later(11)
    const [request] = await buyer.call(accessRequests.list, {})
    await admin.call(accessRequests.adminGrant, { ids: [request?.id ?? ''] })
    await shop.lookAlike.controls.behave({})
    await shop.accessOf(buyer)
    await admin.call(accessRequests.adminUndo, { ids: [request?.id ?? ''] })
    await later(61)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
    expect(await buyer.call(accessRequests.list, {})).toMatchObject([{ status: 'granted' }])
    expect(await waiting()).not.toContain('undone_una')
  })
})

test('one failure long ago is no outage: the shop looks every minute whether it has passed', async () => {
  const buyer = await shop.namedBuyer('lucky_luke')
  await shop.settle()
  await shop.connection.pool.query('update tv_connection set down_since = $1', [
    new Date(shop.clock.now().getTime() - 11 * 60_000),
  ])
  const check = () => admin.call(tradingViewAdmin.show, {})
  expect(await check()).toMatchObject({ state: 'on', downSince: expect.any(String) })
  shop.clock.advance({ minutes: 1 })
  await shop.queue.runNow('tradingview-due')
  expect(await check()).toMatchObject({ state: 'on', downSince: null, lastError: null })
  expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
})

describe('a name', () => {
  test('that TradingView finds only later is found when the buyer checks again', async () => {
    const buyer = await shop.namedBuyer('nobody_yet')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'name_not_found' })
    await buyer.call(tradingView.recheck, { purchaseId: buyer.purchase.id })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'name_not_found' })
    await shop.lookAlike.controls.addUser('nobody_yet')
    await buyer.call(tradingView.recheck, { purchaseId: buyer.purchase.id })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
    const told = (await subjects(buyer.user.email)).filter((text) => text.startsWith('We can’t find'))
    expect(told).toHaveLength(1)
  })

  test('that is changed at TradingView is proposed to buyer and seller, and never taken over by itself', async () => {
    const buyer = await shop.namedBuyer('maiden_name_mia')
    await shop.settle()
    await shop.lookAlike.controls.renameUser('maiden_name_mia', 'Married_Mia')
    const before = await shop.changes()
    await shop.queue.runNow('tradingview-reconcile')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'name_not_found', similar: ['Married_Mia'] })
    expect(await shop.changes()).toEqual(before)
    const mail = (await shop.mails()).findLast(({ to }) => to === buyer.user.email)
    expect(mail?.text).toContain('Did you mean Married_Mia?')
    const matter = (await attention()).find(({ kind }) => kind === 'renamed')
    expect(matter).toMatchObject({
      username: 'Married_Mia',
      email: buyer.user.email,
      text: 'maiden_name_mia is now Married_Mia?',
    })
    await admin.call(tradingViewAdmin.rename, { id: matter?.grantId ?? '', username: 'Married_Mia' })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', username: 'Married_Mia' })
    // It is the same row that this shop once granted, so it will be locked when it ends.
    const { items } = await admin.callPage(tradingViewAdmin.people, { q: 'married_mia' })
    expect(items.map(({ isOurs }) => isOurs)).toEqual([true, true])
    expect((await attention()).map(({ kind }) => kind)).not.toContain('renamed')
  })

  test('whose row number turns up elsewhere while TradingView still knows it is nobody’s new name', async () => {
    await shop.namedBuyer('still_here_sue')
    await shop.settle()
    await shop.lookAlike.controls.renameUser('still_here_sue', 'someone_else_now')
    await shop.lookAlike.controls.addUser('still_here_sue')
    await shop.queue.runNow('tradingview-reconcile')
    await shop.settle()
    expect((await attention()).map(({ kind }) => kind)).not.toContain('renamed')
    expect(await shop.listed()).toContain('still_here_sue')
  })
})

test('while the session is over, the seller is reminded once a day', async () => {
  await shop.lookAlike.controls.endSession()
  await expect(admin.call(tradingViewAdmin.test, {})).rejects.toMatchObject({ status: 409 })
  const told = async () =>
    (await subjects()).filter((text) => text === 'Your TradingView session has ended').length
  const first = await told()
  expect(first).toBeGreaterThan(0)
  for (const days of [1, 0, 1]) {
    shop.clock.advance({ days })
    await shop.queue.runNow('tradingview-reminder')
  }
  expect(await told()).toBe(first + 2)
  await shop.lookAlike.controls.logIn()
})

test('the metrics count calls, people by state, and how long buyers waited', async () => {
  const text = await (await admin.fetch('/metrics')).text()
  expect(text).toMatch(/^shop_tradingview_up [01]$/m)
  expect(text).toMatch(/^shop_tradingview_calls_total\{call="add",outcome="ok"\} [1-9]/m)
  expect(text).toMatch(/^shop_tradingview_grants\{state="unlocked"\} [1-9]/m)
  expect(text).toMatch(/^shop_tradingview_seconds_since_ok /m)
  expect(text).toMatch(/^shop_paid_to_unlocked_seconds_bucket\{le="10"\} [1-9]/m)
  expect(text).toMatch(/^shop_paid_to_unlocked_seconds_count [1-9]/m)
})

test('with TRADINGVIEW=off nothing is called, whoever buys, asks or looks', async () => {
  await using off = await openConnectedShop({ env: { TRADINGVIEW: 'off' } })
  const buyer = await off.namedBuyer('quiet_quentin')
  expect(await buyer.call(tradingView.checkUsername, { username: 'quiet_quentin' })).toMatchObject({
    found: null,
  })
  await buyer.call(tradingView.recheck, { purchaseId: buyer.purchase.id })
  for (const job of ['tradingview-due', 'tradingview-reconcile', 'tradingview-reminder'])
    await off.queue.runNow(job)
  await off.settle()
  const seller = await off.admin()
  expect(await seller.call(tradingViewAdmin.show, {})).toMatchObject({ isAllowed: false, state: 'off' })
  expect(await off.lookAlike.controls.calls()).toEqual([])
  const queue = await seller.call(accessRequests.adminList, {})
  expect(queue.map(({ tradingViewUsername }) => tradingViewUsername)).toEqual(['quiet_quentin'])
})
