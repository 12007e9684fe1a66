import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { tvConnection } from '#server/database/schema.ts'
import { createTradingViewGateway } from '#server/gateways/tradingview.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'

let shop: ConnectedShop
let admin: Awaited<ReturnType<ConnectedShop['admin']>>
beforeAll(async () => {
  shop = await openConnectedShop()
  admin = await shop.admin()
})
afterAll(() => shop.close())

const preview = () => admin.call(tradingViewAdmin.preview, {})

async function connect() {
  const cookies = await shop.tradingViewStandIn.controls.cookies()
  await admin.call(tradingViewAdmin.connect, { cookies, host: 'sandbox', accepts: false })
  await shop.settle()
}

/** On TradingView's own page, as the seller does. */
async function addByHand(username: string) {
  for (const pineId of Object.values(shop.tradingViewStandIn.scripts))
    await shop.tradingViewStandIn.controls.addByHand(pineId, username)
}

describe('a shop that has unlocked by hand', () => {
  async function buyerWhoAsked(username: string) {
    const buyer = await shop.buyer()
    await buyer.call(access.changeUsername, { purchaseId: buyer.purchase.id, username })
    const id = await shop.accessIdOf(buyer)
    return { ...buyer, id, username }
  }

  async function buyerUnlockedByHand(username: string) {
    const buyer = await buyerWhoAsked(username)
    await addByHand(username)
    await admin.call(accessAdmin.grant, { ids: [buyer.id] })
    return buyer
  }

  test('sees a preview of the connector’s changes, which happen only after switching it on', async () => {
    await admin.call(tradingViewAdmin.forget, {})
    const paid = await buyerUnlockedByHand('paid_by_hand')
    const cancelledBuyer = await buyerUnlockedByHand('gone_by_hand')
    const waiting = await buyerWhoAsked('waits_for_it')
    const declined = await buyerWhoAsked('was_declined')
    await buyerWhoAsked('nobody_knows_me')
    await admin.call(accessAdmin.decline, { ids: [declined.id], reason: 'Not now', subscription: 'keep' })
    await shop.endUndoMinute()
    await admin.call(purchasesAdmin.cancel, { id: cancelledBuyer.purchase.id })
    await addByHand('beta_tester_2024')

    await connect()
    await shop.queue.runNow('tradingview-reconcile')
    await shop.settle()
    expect(await admin.call(tradingViewAdmin.show, {})).toMatchObject({ state: 'on', mode: 'dry' })
    // The sandbox's list has a second foreign entry.
    expect(await preview()).toEqual({
      toUnlock: 1,
      toLock: 1,
      unknownNames: 1,
      managedFromNow: 2,
      strangers: 2,
      toHandOver: 0,
    })
    expect(await shop.changes()).toEqual([])
    const report = (await shop.mails()).findLast(({ subject }) => subject.startsWith('Overnight'))
    expect(report?.text).toContain('changed nothing')
    expect(await shop.accessOf(waiting)).toMatchObject({ state: 'asked' })

    await admin.call(tradingViewAdmin.settings, { mode: 'full' })
    await shop.settle()
    await shop.queue.runNow('tradingview-reconcile')
    const people = await shop.listed()
    expect(people).toEqual(expect.arrayContaining(['paid_by_hand', 'waits_for_it', 'beta_tester_2024']))
    expect(people).not.toContain('gone_by_hand')
    expect(people).not.toContain('was_declined')
    expect(await shop.accessOf(declined)).toMatchObject({ state: 'declined' })
    // The connector sets the end date that the entry made by hand lacks.
    const { until } = await shop.accessOf(paid)
    const listed = await shop.tradingViewStandIn.controls.people(shop.tradingViewStandIn.scripts.indicator)
    const entry = listed.find(({ username }) => username === 'paid_by_hand')
    expect(entry?.expiration?.toISOString()).toBe(until)
    expect(await preview()).toMatchObject({ toUnlock: 0, toLock: 0, managedFromNow: 0, strangers: 2 })
  })

  test('gets the pending requests back when the connector is paused', async () => {
    await shop.tradingViewStandIn.controls.behave({ always: 'error', on: '/pine_perm/add' })
    const buyer = await shop.namedBuyer('half_way_there')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocking' })
    // The second one is the buyer with the unknown username, from the test before.
    expect(await preview()).toMatchObject({ toHandOver: 2 })
    await admin.call(tradingViewAdmin.pause, {})
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'asked' })
    await shop.tradingViewStandIn.controls.behave({})
    await admin.call(tradingViewAdmin.resume, {})
    await shop.queue.runNow('tradingview-due')
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  })

  test('has a username that was unlocked by hand locked, once the connector unlocks the buyer’s new one', async () => {
    await admin.call(tradingViewAdmin.forget, {})
    const buyer = await buyerUnlockedByHand('before_the_move')
    await shop.endUndoMinute()
    await buyer.call(access.changeUsername, { purchaseId: buyer.purchase.id, username: 'after_the_move' })

    await connect()
    await admin.call(tradingViewAdmin.settings, { mode: 'full' })
    for (const pineId of Object.values(shop.tradingViewStandIn.scripts)) {
      const listed = await shop.listed(pineId)
      expect(listed).toContain('after_the_move')
      expect(listed).not.toContain('before_the_move')
    }
  })
})

test('in test mode, TradingView’s real lists can be read but are never written', async () => {
  const host = 'www.tradingview.com'
  await shop.connection.db.update(tvConnection).set({ host, mode: 'full', state: 'on' })
  expect(await admin.call(tradingViewAdmin.show, {})).toMatchObject({ state: 'on', mode: 'dry', isReadOnly: true })
  await expect(admin.call(tradingViewAdmin.settings, { mode: 'grant' })).rejects.toMatchObject({ status: 409 })
  const gateway = createTradingViewGateway({ isAllowed: true, isSelling: false, tradingViewStandIn: undefined })
  const never = () => Promise.reject(new Error('TradingView was called'))
  const client = gateway.client(host, { sessionid: 'a', sessionid_sign: 'b' }, { turn: never, report: () => {} })
  await expect(client.add('PUB;abcdef', 'somebody', null)).rejects.toThrow('Test mode: nothing is written')
  await expect(client.remove('PUB;abcdef', 'somebody')).rejects.toThrow('Test mode: nothing is written')
  await expect(client.probe()).rejects.toThrow('TradingView was called')
})
