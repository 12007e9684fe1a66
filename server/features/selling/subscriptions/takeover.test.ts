import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { takeover } from '#contract/selling/takeover.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { subscribeAtStripe } from '#server/testing/subscribe-at-stripe.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
let priceId: string
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
  ;({ priceId } = await subscribe('first@example.com'))
  await admin.call(takeover.adminSetPlan, { id: priceId, plan: monthly })
})
afterAll(() => shop.close())

const monthly = { productId: reboundSigmaPro.id, billingType: 'monthly' as const }
const bookedFor = (email: string) => admin.call(purchasesAdmin.list, { q: email })
const mailsTo = async (email: string) => (await shop.mails()).filter(({ to }) => to === email)
const takeOver = (ids: string[], invite = false) => admin.call(takeover.adminTakeOver, { ids, invite })
const findListed = async (id: string) =>
  (await admin.call(takeover.adminList, {})).subscriptions.find((each) => each.id === id)

async function advanceOneMonth() {
  await shop.advance(1, 'month')
  // Logins expire within a month.
  admin = await shop.admin()
}

async function subscribe(email: string, overrides: Partial<Parameters<typeof subscribeAtStripe>[1]> = {}) {
  const subscription = await subscribeAtStripe(shop.sandbox, { email, ...(priceId ? { priceId } : {}), ...overrides })
  await shop.settle()
  return subscription
}

test('subscriptions that the shop doesn’t know are listed, and the seller assigns a plan to their price', async () => {
  const {
    id,
    priceId: yearlyPriceId,
    sdk,
  } = await subscribe('old@example.com', { name: 'Old Friend', amount: 25_000, interval: 'year', priceId: undefined })
  await shop.buyer()
  expect(await findListed(id)).toMatchObject({ email: 'old@example.com', amount: 25_000, obstacle: null })
  expect(await takeOver([id])).toMatchObject([
    { verdict: 'fault', message: 'Please say first which plan its price is.' },
  ])
  const { prices, subscriptions } = await admin.call(takeover.adminList, {})
  expect(prices.find((price) => price.id === yearlyPriceId)).toMatchObject({
    name: 'Old indicator',
    every: 'year',
    billingType: 'yearly',
    plan: null,
  })
  expect(subscriptions.map(({ email }) => email).toSorted()).toEqual(['first@example.com', 'old@example.com'])
  await admin.call(takeover.adminSetPlan, { id: yearlyPriceId, plan: { ...monthly, billingType: 'yearly' } })
  const afterSettingPlan = await admin.call(takeover.adminList, {})
  expect(afterSettingPlan.prices.find((price) => price.id === yearlyPriceId)?.plan).toEqual({
    ...monthly,
    billingType: 'yearly',
  })
  await admin.call(takeover.adminSetPlan, { id: yearlyPriceId, plan: null })
  await expect(admin.call(takeover.adminSetPlan, { id: 'price_unknown', plan: null })).rejects.toMatchObject({
    status: 404,
  })
  const afterClearingPlan = await admin.call(takeover.adminList, {})
  expect(afterClearingPlan.prices.find((price) => price.id === yearlyPriceId)).toMatchObject({
    plan: null,
    isOther: true,
  })
  await sdk.subscriptions.cancel(id)
  expect(await findListed(id)).toBeUndefined()
})

test('a subscription taken over renews and can be cancelled and refunded like any other', async () => {
  const email = 'stays@example.com'
  const { id, paymentIntentId } = await subscribe(email, { name: 'Stays Here' })
  await advanceOneMonth()
  expect(await takeOver([id])).toEqual([{ id, verdict: 'new', message: 'Taken over' }])
  expect(await findListed(id)).toBeUndefined()
  await shop.settle()
  const [booked] = await bookedFor(email)
  expect(booked).toMatchObject({
    status: 'active',
    amount: 2900,
    billingType: 'monthly',
    kind: null,
    paymentIntentId,
    user: { name: 'Stays Here' },
  })
  // It counts as new in the month it began, not in the month of the takeover.
  const startedAt = new Date(booked?.createdAt ?? '')
  const { months } = await admin.call(overview.adminShow, {})
  const monthOf = (at: Date) => months.find(({ month }) => month === at.toISOString().slice(0, 7))
  expect(startedAt.getTime()).toBeLessThan(shop.clock.now().getTime() - 27 * 86_400_000)
  expect(monthOf(startedAt)?.movements.new.count).toBeGreaterThanOrEqual(1)
  expect(months.at(-1)?.arr).toBeGreaterThanOrEqual(12 * 2900)
  expect(await mailsTo(email)).toEqual([])
  const purchaseId = booked?.id ?? ''
  const { payments } = await admin.call(purchasesAdmin.refundable, { id: purchaseId })
  expect(payments.map(({ amount }) => amount)).toEqual([2900, 2900])

  await advanceOneMonth()
  const [renewed] = await bookedFor(email)
  expect(Date.parse(renewed?.currentPeriodEnd ?? '')).toBeGreaterThan(Date.parse(booked?.currentPeriodEnd ?? ''))
  expect((await mailsTo(email)).map(({ subject }) => subject)).toHaveLength(1)

  await admin.call(purchasesAdmin.cancelAtPeriodEnd, { id: purchaseId })
  expect(await bookedFor(email)).toMatchObject([{ status: 'pending_cancel' }])
  await admin.call(purchasesAdmin.resume, { id: purchaseId })
  const refundable = await admin.call(purchasesAdmin.refundable, { id: purchaseId })
  await admin.call(purchasesAdmin.refund, { id: purchaseId, amount: 2900, refundedSoFar: refundable.refundedSoFar })
  await shop.settle()
  expect(await bookedFor(email)).toMatchObject([{ status: 'cancelled', endedBecause: 'refunded' }])
})

test('only refunds made since the takeover get credit notes', async () => {
  const email = 'refunded-before@example.com'
  const { id, sdk, paymentIntentId } = await subscribe(email)
  await sdk.refunds.create({ payment_intent: paymentIntentId, amount: 1000 })
  await shop.settle()
  await takeOver([id])
  await shop.settle()
  const [booked] = await bookedFor(email)
  const purchaseId = booked?.id ?? ''
  const { refundedSoFar } = await admin.call(purchasesAdmin.refundable, { id: purchaseId })
  await admin.call(purchasesAdmin.refund, { id: purchaseId, amount: 500, refundedSoFar, keepAccess: true })
  await shop.settle()
  const { data: invoices } = await sdk.invoices.list({ subscription: id })
  const notes = await sdk.creditNotes.list({ invoice: invoices[0]?.id ?? '' })
  expect(notes.data.map(({ amount }) => amount)).toEqual([500])
})

test('the owner of an unpaid subscription that was taken over can’t buy another', async () => {
  const email = 'free@example.com'
  const { id } = await subscribe(email)
  expect(await takeOver([id], true)).toMatchObject([{ verdict: 'new' }])
  await shop.connection.db.execute(
    sql`update purchases set payment_intent_id = null, ends_at = current_period_end where stripe_subscription_id = ${id}`,
  )
  const [owned] = await bookedFor(email)
  expect(owned).toMatchObject({ paidThrough: 'stripe', paymentIntentId: null, isOngoing: true })
  await expect(shop.begin(shop.visitor(), { email })).rejects.toMatchObject({ code: 'already-subscribed' })
})

test('a subscription taken over twice at the same time is recorded once, and the invited buyer can set a password', async () => {
  const email = 'told@example.com'
  const { id } = await subscribe(email)
  const verdicts = await Promise.all([takeOver([id], true), takeOver([id], true)])
  expect(verdicts.flat().map(({ verdict }) => verdict)).toEqual(expect.arrayContaining(['new', 'there']))
  expect(await bookedFor(email)).toHaveLength(1)
  const [mail, ...otherMails] = await mailsTo(email)
  expect(otherMails).toEqual([])
  const token = /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'a password of her own' })
})

test('a takeover leaves a proven account unchanged and resets an unproven one', async () => {
  const owner = await shop.verifiedUser({ email: 'owner@example.com', name: 'Owner' })
  const owned = await subscribe('owner@example.com', { name: 'Somebody Else' })
  expect(await takeOver([owned.id])).toMatchObject([{ verdict: 'new' }])
  expect(await owner.call(purchases.list, {})).toMatchObject([{ status: 'active', amount: 2900 }])
  expect(await bookedFor('owner@example.com')).toMatchObject([{ user: { name: 'Owner' } }])

  const squatter = await shop.user({ email: 'victim@example.com', name: 'Not Me' })
  const { id } = await subscribe('Victim@example.com', { name: 'Real Person' })
  expect(await takeOver([id])).toMatchObject([{ verdict: 'new' }])
  await expect(squatter.call(purchases.list, {})).rejects.toMatchObject({ status: 401 })
  expect(await bookedFor('victim@example.com')).toMatchObject([{ user: { name: 'Real Person' } }])
})

test('subscriptions that can’t be taken over stay unchanged at Stripe, with a reason for the seller', async () => {
  const buyer = await shop.buyer()
  const second = await subscribe(buyer.user.email)
  const euros = await subscribe('euro@example.com', { currency: 'eur', priceId: undefined })
  const nobody = await subscribe('nobody at all')
  const ended = await subscribe('ended@example.com')
  await ended.sdk.subscriptions.cancel(ended.id)
  const refunded = await subscribe('refunded@example.com')
  await refunded.sdk.refunds.create({ payment_intent: refunded.paymentIntentId })
  await admin.call(takeover.adminSetPlan, { id: euros.priceId, plan: monthly })
  const ids = [second, euros, nobody, ended, refunded].map(({ id }) => id)
  expect((await takeOver(ids)).map(({ message }) => message)).toEqual([
    `${buyer.user.email} has a subscription in the shop already.`,
    'It’s paid in EUR, and the shop counts in dollars. It stays as it is at Stripe.',
    'The customer has no email address at Stripe. Add it there first.',
    'It has ended at Stripe.',
    'Its last payment was refunded or lost to a dispute, which ends a subscription here. Cancel it at Stripe.',
  ])
  await shop.settle()
  const states = await Promise.all(
    [second, euros, nobody, refunded].map(async ({ id, sdk }) => (await sdk.subscriptions.retrieve(id)).status),
  )
  expect(states).toEqual(['active', 'active', 'active', 'active'])
})

test.for([
  ['paid by invoice', { collection_method: 'send_invoice', days_until_due: 30 }, /^It’s paid by invoice\./],
  ['on a schedule', null, /^A schedule at Stripe plans changes to it\./],
  ['not collected', { pause_collection: { behavior: 'void' } }, /^Its payment collection is paused/],
] as const)('a subscription that is %s is refused with a sentence', async ([condition, change, sentence]) => {
  const { id, sdk } = await subscribe(`${condition.replaceAll(' ', '-')}@example.com`)
  await (change ? sdk.subscriptions.update(id, change) : sdk.subscriptionSchedules.create({ from_subscription: id }))
  expect((await findListed(id))?.obstacle).toMatch(sentence)
  expect(await takeOver([id])).toMatchObject([{ verdict: 'fault', message: expect.stringMatching(sentence) }])
})

test('a subscription priced by usage is refused, and one without an item is not listed', async () => {
  const metered = await subscribe('metered@example.com')
  const items = (await atStripe(shop).object(metered.id))?.items as { data: { price: object }[] }
  const [item] = items.data
  const price = { ...item?.price, unit_amount: null, billing_scheme: 'tiered' }
  await atStripe(shop).edit(metered.id, { items: { ...items, data: [{ ...item, price }] } })
  expect((await findListed(metered.id))?.obstacle).toMatch(/^Its price depends on usage or tiers/)
  const empty = await subscribe('empty@example.com')
  await atStripe(shop).edit(empty.id, { items: { ...items, data: [] } })
  expect(await findListed(empty.id)).toBeUndefined()
})
