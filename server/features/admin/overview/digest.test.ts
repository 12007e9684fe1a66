import { expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { overview } from '#contract/admin/overview.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

const openSellersShop = () => openShop({ env: { SUPPORT_EMAIL: 'seller@example.com' } })

const digests = async (shop: TestShop) =>
  (await shop.mails())
    .filter(({ to, subject }) => to === 'seller@example.com' && /action needed|overdue/i.test(subject))
    .map(({ subject }) => subject)

async function askForAccess(shop: TestShop) {
  const buyer = await shop.buyer()
  await buyer.call(access.submit, {
    paymentIntentId: buyer.purchase.paymentIntentId ?? '',
    exchangeName: 'NYSE',
    tradingViewUsername: 'ada',
    apiKey: 'key',
    secretKey: 'secret',
  })
  return buyer
}

test('the seller gets a digest once a day, and only if something is waiting', async () => {
  await using shop = await openSellersShop()
  await shop.queue.runNow('digest')
  expect(await digests(shop)).toEqual([])

  await askForAccess(shop)
  await shop.queue.runNow('digest')
  await shop.queue.runNow('digest')
  expect(await digests(shop)).toEqual(['Action needed: 1 access request'])
  shop.clock.advance({ hours: 25 })
  await shop.queue.runNow('digest')
  expect(await digests(shop)).toEqual(['Action needed: 1 access request', '1 access request is overdue'])
})

test('the digest counts exactly the requests that wait for the seller', async () => {
  await using shop = await openSellersShop()
  const [waitingBuyer, cancelledBuyer, admin] = [await askForAccess(shop), await askForAccess(shop), await shop.admin()]
  await admin.call(purchasesAdmin.cancel, { id: cancelledBuyer.purchase.id })

  expect(await admin.call(accessAdmin.todo, {})).toMatchObject([{ user: { id: waitingBuyer.user.id } }])
  expect(await admin.call(overview.adminNeeds, {})).toHaveLength(1)
  await shop.sandbox.controls.openDispute(waitingBuyer.purchase.paymentIntentId ?? '')
  await shop.settle()
  const kindsFor = async (someone: typeof admin) =>
    (await someone.call(overview.adminNeeds, {})).map(({ kind }) => kind).toSorted()
  expect(await kindsFor(admin)).toEqual(['disputes', 'new_requests'])
  expect(await kindsFor(await shop.staff('support')), 'what support may do').toEqual(['new_requests'])
  await shop.queue.runNow('digest')
  expect(await digests(shop)).toEqual(['Action needed: 1 access request'])
})

test('requests wait for the seller only while the connector is off', async () => {
  await using shop = await openConnectedShop()
  await shop.namedBuyer('nobody_by_this_name')
  await shop.settle()
  const admin = await shop.admin()
  const needKinds = async () => (await admin.call(overview.adminNeeds, {})).map(({ kind }) => kind)
  expect(await needKinds()).toEqual(['access_name_not_found'])
  await admin.call(tradingViewAdmin.forget, {})
  expect(await needKinds()).toEqual(['new_requests'])
})
