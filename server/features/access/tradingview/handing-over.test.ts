import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { overview } from '#contract/admin/overview.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
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

async function runLater(minutes: number) {
  shop.clock.advance({ minutes })
  await shop.queue.runNow('tradingview-due')
  await shop.settle()
  // Logs in again, because admin sessions end after 12 hours.
  admin = await shop.admin()
}

const todo = () => admin.call(accessAdmin.todo, { limit: 200 })
const waitingUsernames = async () => {
  const tasksToUnlock = (await todo()).filter(({ kind }) => kind === 'unlock')
  return tasksToUnlock.map(({ username }) => username)
}
const subjects = async (to?: string) =>
  (await shop.mails()).filter((mail) => !to || mail.to === to).map(({ subject }) => subject)

describe('an unlock that TradingView fails', () => {
  test('goes to the seller after ten minutes, and an unlock by hand is verified once TradingView answers', async () => {
    await shop.tradingViewStandIn.controls.behave({ always: 'error' })
    const buyer = await shop.namedBuyer('by_hand_then')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocking' })
    expect(await waitingUsernames()).toEqual([])
    await runLater(11)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'asked' })
    expect(await waitingUsernames()).toEqual(['by_hand_then'])
    expect(await subjects(buyer.user.email)).toContain('We’ve got your access request')

    const { indicator, strategy } = shop.tradingViewStandIn.scripts
    await shop.tradingViewStandIn.controls.addByHand(indicator, 'by_hand_then')
    await shop.tradingViewStandIn.controls.addByHand(strategy, 'by_hand_then')
    await admin.call(accessAdmin.grant, { ids: [await shop.accessIdOf(buyer)] })
    await shop.tradingViewStandIn.controls.behave({})
    await runLater(61)
    const mine = await shop.accessOf(buyer)
    expect(mine).toMatchObject({ state: 'unlocked' })
    // The connector sets the end date that the entry made by hand lacks.
    const people = await shop.tradingViewStandIn.controls.people(indicator)
    const entry = people.find(({ username }) => username === 'by_hand_then')
    expect(entry?.expiration?.toISOString()).toBe(mine.until)
  })

  test('is retried for three days; the seller gets an email after an hour and a task in the end', async () => {
    await shop.tradingViewStandIn.controls.behave({ always: 'pretend', on: '/pine_perm/add' })
    await shop.namedBuyer('stuck_sam')
    await shop.settle()
    const countMails = async () => (await subjects()).filter((text) => text.includes('stuck: stuck_sam')).length
    await runLater(30)
    expect(await countMails()).toBe(0)
    await runLater(45)
    expect(await countMails()).toBe(1)
    for (let hours = 0; hours < 73; hours += 12) await runLater(12 * 60)
    expect(await countMails()).toBe(1)
    expect(await todo()).toContainEqual(expect.objectContaining({ kind: 'stuck', username: 'stuck_sam' }))
    expect(await admin.call(overview.adminNeeds, {})).toContainEqual({
      kind: 'access_stuck',
      count: 1,
      dueAt: expect.any(String),
    })
    await shop.tradingViewStandIn.controls.behave({})
    const sam = (await todo()).find(({ username }) => username === 'stuck_sam')
    await admin.call(accessAdmin.retry, { id: sam?.id ?? '' })
    expect(await shop.listed()).toContain('stuck_sam')
    expect(await todo()).not.toContainEqual(expect.objectContaining({ username: 'stuck_sam' }))
  })

  test('for one person can be done by hand; the stored list entries stay as last read', async () => {
    await shop.tradingViewStandIn.controls.behave({ always: 'pretend', on: '/pine_perm/add' })
    const buyer = await shop.namedBuyer('stuck_stella')
    await shop.settle()
    for (let hours = 0; hours < 73; hours += 12) await runLater(12 * 60)
    const stella = async () => (await todo()).find(({ username }) => username === 'stuck_stella')
    const { id = '' } = (await stella()) ?? {}
    expect(await stella()).toMatchObject({ kind: 'stuck', state: 'unlocking' })
    // The buyer gets the promise once, although the shop has retried many times.
    const received = (await subjects(buyer.user.email)).filter((text) => text.startsWith('We’ve got'))
    expect(received).toHaveLength(1)
    await expect(admin.call(accessAdmin.grant, { ids: [id] })).rejects.toMatchObject({ code: 'already-handled' })

    const byHand = () => admin.call(accessAdmin.grant, { ids: [id], byHand: true })
    await byHand()
    await admin.call(accessAdmin.undo, { ids: [id] })
    expect(await stella()).toMatchObject({ kind: 'stuck' })
    await byHand()
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
    const [person] = await admin.call(accessAdmin.people, { q: 'stuck_stella' })
    expect(person?.lists).toMatchObject([{ isPresent: false }, { isPresent: false }])
    expect(await admin.call(accessAdmin.history, { id })).toContainEqual(
      expect.objectContaining({ what: 'Unlocked by hand', outcome: admin.user.email }),
    )
    await shop.endUndoMinute()
    await shop.settle()
    admin = await shop.admin()
    expect(await subjects(buyer.user.email)).toContain('Your TradingView access is ready')
    // The connector still fails, but after an unlock by hand the seller has no task.
    expect(await stella()).toBeUndefined()
    await shop.tradingViewStandIn.controls.behave({})
    await runLater(1)
    expect(await shop.listed()).toContain('stuck_stella')
  })
})

test('a connection that failed eleven minutes ago stays on, and the next successful probe clears the failure', async () => {
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

describe('a username', () => {
  test('that TradingView finds only later is found when the buyer checks again', async () => {
    const buyer = await shop.namedBuyer('nobody_yet')
    expect(await shop.accessOf(buyer)).toMatchObject({ problem: 'not_found' })
    await buyer.call(access.recheck, { purchaseId: buyer.purchase.id })
    expect(await shop.accessOf(buyer)).toMatchObject({ problem: 'not_found' })
    await shop.tradingViewStandIn.controls.addUser('nobody_yet')
    await buyer.call(access.recheck, { purchaseId: buyer.purchase.id })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
    const notFoundMails = (await subjects(buyer.user.email)).filter((text) => text.startsWith('We can’t find'))
    expect(notFoundMails).toHaveLength(1)
  })

  test('that is changed at TradingView is proposed to buyer and seller, but not adopted automatically', async () => {
    const buyer = await shop.namedBuyer('maiden_name_mia')
    await shop.settle()
    await shop.tradingViewStandIn.controls.renameUser('maiden_name_mia', 'Married_Mia')
    const changesBefore = await shop.changes()
    await shop.queue.runNow('tradingview-reconcile')
    expect(await shop.accessOf(buyer)).toMatchObject({ problem: 'not_found', similar: ['Married_Mia'] })
    expect(await shop.changes()).toEqual(changesBefore)
    const mail = (await shop.mails()).findLast(({ to }) => to === buyer.user.email)
    expect(mail?.text).toContain('Did you mean Married_Mia?')
    const renamedTask = (await todo()).find(({ kind }) => kind === 'renamed')
    expect(renamedTask).toMatchObject({
      username: 'Married_Mia',
      oldUsername: 'maiden_name_mia',
      user: { email: buyer.user.email },
    })
    await admin.call(accessAdmin.rename, { id: renamedTask?.id ?? '', username: 'Married_Mia' })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', username: 'Married_Mia' })
    expect((await todo()).map(({ kind }) => kind)).not.toContain('renamed')
    // TradingView's entry is the one that this shop unlocked, so the shop locks it at the end.
    await admin.call(purchasesAdmin.cancel, { id: buyer.purchase.id })
    expect(await shop.listed()).not.toContain('Married_Mia')
  })

  test('that TradingView still knows is not renamed, even if another username has its entry id', async () => {
    await shop.namedBuyer('still_here_sue')
    await shop.settle()
    await shop.tradingViewStandIn.controls.renameUser('still_here_sue', 'someone_else_now')
    await shop.tradingViewStandIn.controls.addUser('still_here_sue')
    await shop.queue.runNow('tradingview-reconcile')
    await shop.settle()
    expect((await todo()).map(({ kind }) => kind)).not.toContain('renamed')
    expect(await shop.listed()).toContain('still_here_sue')
  })
})

test('while the session is over, the seller is reminded once a day', async () => {
  await shop.tradingViewStandIn.controls.endSession()
  await expect(admin.call(tradingViewAdmin.test, {})).rejects.toMatchObject({ status: 409 })
  const countReminders = async () =>
    (await subjects()).filter((text) => text === 'Your TradingView session has ended').length
  const countBefore = await countReminders()
  expect(countBefore).toBeGreaterThan(0)
  const remindAfterDays = async (days: number) => {
    shop.clock.advance({ days })
    await shop.queue.runNow('tradingview-reminder')
  }
  await remindAfterDays(1)
  // A second reminder on the same day is not sent.
  await remindAfterDays(0)
  await remindAfterDays(1)
  expect(await countReminders()).toBe(countBefore + 2)
  await shop.tradingViewStandIn.controls.logIn()
})

test('the metrics count calls, people by state, and how long buyers waited', async () => {
  const text = await (await admin.fetch('/metrics')).text()
  expect(text).toMatch(/^shop_tradingview_up [01]$/m)
  expect(text).toMatch(/^shop_tradingview_calls_total\{call="add",outcome="ok"\} [1-9]/m)
  expect(text).toMatch(/^shop_access_people\{state="unlocked"\} [1-9]/m)
  expect(text).toMatch(/^shop_tradingview_seconds_since_ok /m)
  expect(text).toMatch(/^shop_paid_to_unlocked_seconds_bucket\{le="10"\} [1-9]/m)
  expect(text).toMatch(/^shop_paid_to_unlocked_seconds_count [1-9]/m)
})

test('with TRADINGVIEW=off nothing is called, not even by purchases, checks or schedules', async () => {
  await using off = await openConnectedShop({ env: { TRADINGVIEW: 'off' } })
  const buyer = await off.namedBuyer('quiet_quentin')
  expect(await buyer.call(access.checkUsername, { username: 'quiet_quentin' })).toMatchObject({ found: null })
  await buyer.call(access.recheck, { purchaseId: buyer.purchase.id })
  for (const job of ['tradingview-due', 'tradingview-reconcile', 'tradingview-reminder']) await off.queue.runNow(job)
  await off.settle()
  const seller = await off.admin()
  expect(await seller.call(tradingViewAdmin.show, {})).toMatchObject({ isAllowed: false, state: 'off' })
  expect(await off.tradingViewStandIn.controls.calls()).toEqual([])
  const queue = await seller.call(accessAdmin.todo, {})
  expect(queue.map(({ username }) => username)).toEqual(['quiet_quentin'])
})
