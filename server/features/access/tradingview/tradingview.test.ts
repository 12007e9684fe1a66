import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { overview } from '#contract/admin/overview.ts'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { prices } from '#contract/selling/prices.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { paths } from '#server/paths.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'

let shop: ConnectedShop
beforeAll(async () => {
  shop = await openConnectedShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  await shop.tradingViewStandIn.controls.behave({})
})

/** End of a username's access on both scripts, in ms: null if it has no end, undefined without access. */
async function expiryOf(username: string) {
  await shop.settle()
  const { controls, scripts } = shop.tradingViewStandIn
  const expiryOn = async (pineId: string) => {
    const people = await controls.people(pineId)
    const entry = people.find((person) => person.username === username)
    return entry && (entry.expiration?.getTime() ?? null)
  }
  return [await expiryOn(scripts.indicator), await expiryOn(scripts.strategy)]
}

const subjectsTo = async (email: string) =>
  (await shop.mails()).filter(({ to }) => to === email).map(({ subject }) => subject)

describe('a purchase', () => {
  test('with a username is unlocked until three days after the paid period, and the buyer gets an email', async () => {
    const buyer = await shop.namedBuyer()
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', username: buyer.username, reason: 'renews' })
    const until = Date.parse(buyer.purchase.currentPeriodEnd ?? '') + 3 * dayMs
    expect(await expiryOf(buyer.username)).toEqual([until, until])
    expect(await subjectsTo(buyer.user.email)).toContain('Your TradingView access is ready')
  })

  test('by a guest with a username leads to one email with receipt, password link and access', async () => {
    const [guest, email] = [shop.visitor(), 'one-mail@example.com']
    await shop.pay(await shop.begin(guest, { email, tradingViewUsername: 'one_mail' }))
    await shop.settle()
    expect(await shop.listed()).toContain('one_mail')
    expect(await subjectsTo(email)).toEqual(['Your receipt: Rebound Sigma Pro'])
    const text = (await shop.mails()).find(({ to }) => to === email)?.text ?? ''
    expect(text).toContain('We unlock it for one_mail on TradingView right after the payment')
    expect(text).toMatch(/Set your password:\n\S+first=1&token=/)
    expect(text).toMatch(/View the invoice\S* .*\/invoice\?/)
  })

  test('without a username waits for one, which may be entered as a link to the profile', async () => {
    const buyer = await shop.buyer()
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'none', username: null })
    await buyer.call(access.changeUsername, {
      purchaseId: buyer.purchase.id,
      username: ' https://www.tradingview.com/u/Late_Larry/ ',
    })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', username: 'Late_Larry' })
    expect(await shop.listed()).toContain('Late_Larry')
  })

  test('that is cancelled is unlocked until its last day; resumed, until three days later', async () => {
    const buyer = await shop.namedBuyer()
    const { id } = buyer.purchase
    const end = Date.parse(buyer.purchase.currentPeriodEnd ?? '')
    await buyer.call(purchases.cancel, { id })
    expect(await expiryOf(buyer.username)).toEqual([end, end])
    await buyer.call(purchases.resume, { id })
    expect(await expiryOf(buyer.username)).toEqual([end + 3 * dayMs, end + 3 * dayMs])
  })

  test('that is refunded is locked, and the buyer gets an email', async () => {
    const buyer = await shop.namedBuyer()
    expect(await expiryOf(buyer.username)).not.toContain(undefined)
    const admin = await shop.admin()
    await admin.call(purchasesAdmin.refund, { id: buyer.purchase.id, refundedSoFar: 0 })
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
    // Refund, end of the subscription and end of the access are in one email.
    expect((await subjectsTo(buyer.user.email)).filter((subject) => /ended|refund/.test(subject))).toEqual([
      'Your refund of $39.00',
    ])
    const refundMail = (await shop.mails()).find(
      ({ to, subject }) => to === buyer.user.email && subject.includes('refund'),
    )
    expect(refundMail?.text).toContain('access to Rebound Sigma Pro on TradingView has been turned off')
  })

  test('that the seller withholds is locked although it is paid for, until it is restored', async () => {
    const buyer = await shop.namedBuyer()
    const expiryBefore = await expiryOf(buyer.username)
    const admin = await shop.admin()
    const ids = [await shop.accessIdOf(buyer)]
    await admin.call(accessAdmin.withhold, { ids })
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
    await buyer.call(access.recheck, { purchaseId: buyer.purchase.id })
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'withheld' })
    expect(await subjectsTo(buyer.user.email)).not.toContain('Your TradingView access has ended')
    await admin.call(accessAdmin.restore, { ids })
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
    await shop.endUndoMinute()
    expect(await expiryOf(buyer.username)).toEqual(expiryBefore)
  })

  test('booked by hand is unlocked until the end date that the seller entered', async () => {
    const buyer = await shop.verifiedUser()
    const endsAt = new Date(shop.clock.now().getTime() + 20 * dayMs).toISOString()
    const admin = await shop.admin()
    await admin.call(purchasesAdmin.add, {
      userId: buyer.user.id,
      productId: reboundSigmaPro.id,
      billingType: 'monthly',
      amount: 3900,
      status: 'active',
      endsAt,
    })
    const [purchase] = await buyer.call(purchases.list, {})
    const username = 'Hand_Booked'
    await buyer.call(access.changeUsername, { purchaseId: purchase?.id ?? '', username })
    expect(await expiryOf(username)).toEqual([Date.parse(endsAt), Date.parse(endsAt)])
  })

  test('under dispute stays unlocked until the dispute is lost', async () => {
    const buyer = await shop.namedBuyer()
    const expiryBefore = await expiryOf(buyer.username)
    const { id } = await shop.sandbox.controls.openDispute(buyer.paymentIntentId)
    expect(await expiryOf(buyer.username)).toEqual(expiryBefore)
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', reason: 'disputed' })
    await shop.sandbox.controls.closeDispute(id, 'lost')
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
  })

  test('that is withdrawn is locked', async () => {
    const buyer = await shop.namedBuyer()
    expect(await expiryOf(buyer.username)).not.toContain(undefined)
    const { email } = buyer.user
    await buyer.call(declarations.withdraw, { name: 'Ada Trader', contract: email, email })
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
  })

  test('of a deleted account is locked, and its username is deleted', async () => {
    const buyer = await shop.namedBuyer()
    await shop.settle()
    const admin = await shop.admin()
    await admin.call(accountsAdmin.delete, { id: buyer.user.id })
    expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
    const { items } = await admin.callPage(accessAdmin.people, { q: buyer.username })
    expect(items).toEqual([])
    await shop.queue.runNow('tradingview-history')
    const { rows } = await shop.connection.pool.query('select * from tv_events where username_key = $1', [
      buyer.username.toLowerCase(),
    ])
    expect(rows).toEqual([])
  })
})

test('“my data” contains the calls to TradingView about a buyer', async () => {
  const buyer = await shop.namedBuyer()
  const { until } = await shop.accessOf(buyer)
  const mine = await buyer.call(accounts.myData, {})
  expect(mine).toMatchObject({
    tradingViewAccess: [
      { username: buyer.username, isListed: true, until },
      { username: buyer.username, isListed: true, until },
    ],
  })
  expect(mine.tradingViewCalls).toContainEqual(expect.objectContaining({ call: 'add', outcome: 'ok' }))
})

test('a renewal that is never paid is locked when its grace is over', async () => {
  const buyer = await shop.namedBuyer()
  await shop.changeCard(buyer, buyer.purchase.id, 'pm_card_chargeCustomerFail')
  await shop.advance(1, 'month')
  await shop.advance(2, 'hour')
  expect(await shop.listed()).toContain(buyer.username)
  await shop.advance(15, 'day')
  await shop.queue.runNow('tradingview-reconcile')
  expect(await expiryOf(buyer.username)).toEqual([undefined, undefined])
})

describe('a username', () => {
  test('that TradingView does not know is not unlocked; the buyer gets an email with similar usernames', async () => {
    const buyer = await shop.namedBuyer('ada_trade')
    expect(await shop.accessOf(buyer)).toMatchObject({ problem: 'not_found', similar: ['ada_trades'] })
    expect(await subjectsTo(buyer.user.email)).toContain('We can’t find your TradingView username')
    await buyer.call(access.changeUsername, { purchaseId: buyer.purchase.id, username: 'Ada_Trades' })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', username: 'ada_trades' })
  })

  test('belongs to one customer', async () => {
    const [holder, newBuyer] = [await shop.namedBuyer('OnlyOne'), await shop.buyer()]
    await shop.accessOf(holder)
    await expect(
      newBuyer.call(access.changeUsername, { purchaseId: newBuyer.purchase.id, username: 'onlyone' }),
    ).rejects.toMatchObject({
      status: 409,
      serverMessage: 'This TradingView account already belongs to another customer.',
    })
    const secondClaimant = await shop.namedBuyer('onlyone')
    expect(await shop.accessOf(secondClaimant)).toMatchObject({ problem: 'taken' })
    const admin = await shop.admin()
    const { items } = await admin.callPage(accessAdmin.todo, { kind: 'name_taken' })
    expect(items.map(({ user }) => user.email)).toContain(secondClaimant.user.email)
  })

  test('of a former customer is free for its owner, and stays on TradingView’s list for them', async () => {
    const squatter = await shop.namedBuyer('squatted_name')
    await shop.accessOf(squatter)
    const admin = await shop.admin()
    await admin.call(purchasesAdmin.cancel, { id: squatter.purchase.id })
    await shop.settle()
    const owner = await shop.buyer()
    const { id: purchaseId } = owner.purchase
    await owner.call(access.changeUsername, { purchaseId, username: 'Squatted_Name' })
    expect(await shop.accessOf(owner)).toMatchObject({ state: 'unlocked', username: 'squatted_name' })
    await shop.buy(squatter)
    expect(await shop.accessOf(squatter)).toMatchObject({ problem: 'taken' })
    expect(await shop.listed()).toContain('squatted_name')
  })

  test('stays with a paying customer whose access is withheld', async () => {
    const [withheldBuyer, newBuyer] = [await shop.namedBuyer('kept_out_name'), await shop.buyer()]
    await shop.accessOf(withheldBuyer)
    const admin = await shop.admin()
    await admin.call(accessAdmin.withhold, { ids: [await shop.accessIdOf(withheldBuyer)] })
    await expect(
      newBuyer.call(access.changeUsername, { purchaseId: newBuyer.purchase.id, username: 'kept_out_name' }),
    ).rejects.toMatchObject({ status: 409 })
  })

  test('is changed by unlocking the new one before the old one is locked, once in a week', async () => {
    const buyer = await shop.namedBuyer('before_wedding')
    await shop.accessOf(buyer)
    const { id: purchaseId } = buyer.purchase
    await buyer.call(access.changeUsername, { purchaseId, username: 'after_wedding' })
    expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked', username: 'after_wedding' })
    const calls = (await shop.changes()).filter(({ username }) => /wedding/.test(username ?? ''))
    expect(calls.map(({ call, username }) => `${call} ${username}`)).toEqual([
      'add before_wedding',
      'add before_wedding',
      'add after_wedding',
      'add after_wedding',
      'remove before_wedding',
      'remove before_wedding',
    ])
    await expect(buyer.call(access.changeUsername, { purchaseId, username: 'third_name' })).rejects.toMatchObject({
      status: 409,
      serverMessage: expect.stringMatching(/^You can change .* again on/),
    })
  })

  test('is changed once, however many changes are asked for at the same moment', async () => {
    const buyer = await shop.namedBuyer('one_of_many')
    await shop.accessOf(buyer)
    const { id: purchaseId } = buyer.purchase
    const names = ['many_one', 'many_two', 'many_three']
    await Promise.allSettled(names.map((username) => buyer.call(access.changeUsername, { purchaseId, username })))
    await shop.settle()
    const changedNames = (await shop.changes()).flatMap(({ username }) =>
      names.includes(username ?? '') ? username : [],
    )
    expect(new Set(changedNames).size).toBe(1)
  })

  test('that fails keeps the old one unlocked', async () => {
    const buyer = await shop.namedBuyer('reliable_old')
    await shop.accessOf(buyer)
    await buyer.call(access.changeUsername, { purchaseId: buyer.purchase.id, username: 'nobody_new' })
    expect(await shop.accessOf(buyer)).toMatchObject({ problem: 'not_found', oldUsername: 'reliable_old' })
    expect(await shop.listed()).toContain('reliable_old')
  })

  test('is checked before paying, in any spelling', async () => {
    const visitor = shop.visitor()
    const check = (username: string) => visitor.call(access.checkUsername, { username })
    expect(await check('@ADA_trades')).toMatchObject({ found: true, username: 'ada_trades' })
    expect(await check('ada_trade')).toMatchObject({ found: false, similar: ['ada_trades'] })
    expect(await check('ada@example.com')).toMatchObject({
      refusal: 'That is an email address. We need the name on your TradingView profile.',
    })
    await shop.tradingViewStandIn.controls.behave({ always: 'error' })
    expect(await check('someone_else')).toMatchObject({ found: null, refusal: null })
  })
})

test('a product without scripts is listed as a need, and its buyers wait for the seller', async () => {
  const source = readFileSync(join(paths.products, 'rebound-sigma-pro.md'), 'utf8')
  const productFiles = { 'alpha-tool.md': source.replace('name: Rebound Sigma Pro', 'name: Alpha Tool') }
  await using second = await openConnectedShop({ productFiles })
  const admin = await second.admin()
  const needs = async () => (await admin.call(overview.adminNeeds, {})).map(({ kind }) => kind)
  expect(await needs()).toContain('unscripted_products')

  const buyer = await second.verifiedUser()
  const begun = await second.begin(buyer, { product: 'alpha-tool', tradingViewUsername: 'karl_trades' })
  await second.pay(begun)
  await second.confirmPurchase(buyer, begun)
  expect(await second.accessOf(buyer)).toMatchObject({ state: 'asked', unlocksItself: false, username: 'karl_trades' })
  expect((await second.mails()).find(({ subject }) => subject.startsWith('Your receipt'))?.text).toContain('by hand')
  const { items } = await admin.callPage(accessAdmin.todo, {})
  expect(items).toMatchObject([{ kind: 'unlock', product: 'Alpha Tool', isByHand: true }])
  expect(await second.changes()).toEqual([])
  const buyerOfFirstProduct = await second.namedBuyer()
  expect(await second.accessOf(buyerOfFirstProduct)).toMatchObject({ state: 'unlocked', unlocksItself: true })

  const productId = (await admin.call(prices.adminProducts, {})).find(({ slug }) => slug === 'alpha-tool')?.id ?? ''
  await admin.call(tradingViewAdmin.chooseScript, { pineId: second.tradingViewStandIn.scripts.strategy, productId })
  expect(await second.accessOf(buyer)).toMatchObject({ state: 'unlocked', unlocksItself: true })
  expect(await needs()).not.toContain('unscripted_products')
})
