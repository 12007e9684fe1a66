import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { orders, purchases as rows } from '#server/database/schema.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { declared, linkIn, mailsTo } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.close())

const reconcile = () => shop.queue.runNow('reconcile')

async function purchaseOf({ purchase }: { purchase: { id: string } }) {
  const [row] = await shop.connection.db.select().from(rows).where(eq(rows.id, purchase.id))
  return row
}

async function newestInvoiceOf(buyer: { purchase: { id: string } }) {
  const subscription = (await purchaseOf(buyer))?.stripeSubscriptionId
  const { rows: found } = await shop.connection.db.execute<{ id: string; intent: string; secret: string }>(sql`
    select i.id, p.id as intent, p.data->>'client_secret' as secret
    from sandbox.objects i
    join sandbox.objects ip on ip.kind = 'invoice_payment' and ip.data->>'invoice' = i.id
    join sandbox.objects p on p.id = ip.data->'payment'->>'payment_intent'
    where i.kind = 'invoice' and i.data->'parent'->'subscription_details'->>'subscription' = ${subscription}
    order by i.seq desc limit 1`)
  return { id: found[0]?.id ?? '', paymentIntentId: found[0]?.intent ?? '', clientSecret: found[0]?.secret ?? '' }
}

/** Drops all webhooks after the failed renewal. */
async function buyUnpaidRenewal() {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await shop.advance(1, 'month')
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'past_due' })
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  return buyer
}

test('an unfinished checkout is synced five times in a day, at growing intervals', async () => {
  await shop.begin(shop.visitor(), { email: 'left@example.com' })
  await shop.settle()
  // Each sync advances the order's version by one.
  const readVersion = async () => (await shop.connection.db.select().from(orders))[0]?.version ?? 0
  const versionBefore = await readVersion()
  const syncsAfterMinutes = [
    [1, 0],
    [3, 1],
    [8, 1],
    [11, 2],
    [30, 2],
    [59, 2],
    [61, 3],
    [120, 3],
    [350, 3],
    [361, 4],
    [900, 4],
    [1380, 4],
    [1391, 5],
  ] as const
  let minutesPassed = 0
  for (const [minutes, syncs] of syncsAfterMinutes) {
    shop.clock.advance({ minutes: minutes - minutesPassed })
    minutesPassed = minutes
    await reconcile()
    expect([minutes, (await readVersion()) - versionBefore]).toEqual([minutes, syncs])
  }
})

test('while Stripe’s list of events fails, ended subscriptions are still found', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await shop.advance(1, 'year')
  await shop.advance(60, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel' })
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  await shop.sandbox.controls.behave({ key: { without: ['rak_event_read'] } })
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await expect(reconcile()).rejects.toMatchObject({ status: 502 })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', endedBecause: 'cancelled' })
})

test('a buyer who pays in the last hour of the grace period keeps the subscription', async () => {
  const buyer = await buyUnpaidRenewal()
  shop.clock.advance({ days: 13, hours: 23.5 })
  await reconcile()
  await shop.sandbox.controls.dashboard.payOutOfBand((await newestInvoiceOf(buyer)).id)
  shop.clock.advance({ minutes: 45 })
  await reconcile()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', endedAt: null })
})

test('a payment at the end of the grace period that Stripe is still processing counts, too', async () => {
  const buyer = await buyUnpaidRenewal()
  shop.clock.advance({ days: 13, hours: 23.5 })
  await reconcile()
  expect(await shop.pay(await newestInvoiceOf(buyer))).toBe('succeeded')
  shop.clock.advance({ minutes: 45 })
  await reconcile()
  expect(await purchaseOf(buyer)).toMatchObject({ endedAt: null })
  await shop.sandbox.controls.settle()
  shop.clock.advance({ hours: 2 })
  await reconcile()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', endedAt: null })
})

const logIn = ({ call, user, password }: Awaited<ReturnType<typeof buyUnpaidRenewal>>) =>
  call(accounts.login, { email: user.email, password })

test('cancelling after an unpaid renewal was paid keeps the paid month, even if the shop has not heard of the payment', async () => {
  const buyer = await buyUnpaidRenewal()
  expect(await shop.pay(await newestInvoiceOf(buyer))).toBe('succeeded')
  await shop.sandbox.controls.settle()
  await logIn(buyer)
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel', endedAt: null, refundedAmount: 0 })
})

test('a payment that Stripe is still processing is refunded if its subscription is cancelled', async () => {
  const buyer = await buyUnpaidRenewal()
  expect(await shop.pay(await newestInvoiceOf(buyer))).toBe('succeeded')
  await logIn(buyer)
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 3900 })
})

async function declareByEmail({ user }: { user: { email: string } }, endsOn?: string) {
  await shop.visitor().call(declarations.cancel, { ...declared(user.email), grounds: 'ordinary', endsOn })
  const mail = (await mailsTo(shop, user.email)).find(({ text }) => text.includes('confirm?id='))
  return linkIn(mail?.text)
}

test('a renewal paid after its cancellation was declared is refunded, even if the shop has not heard of the payment', async () => {
  const buyer = await shop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  await shop.advance(28, 'day')
  const confirmationLink = await declareByEmail(buyer)
  await shop.advance(5, 'day')
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'past_due' })
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  expect(await shop.pay(await newestInvoiceOf(buyer))).toBe('succeeded')
  await shop.sandbox.controls.settle()
  await shop.visitor().call(declarations.confirm, confirmationLink)
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 3900 })
})

test('a paused subscription that was resumed at Stripe ends with its period when its buyer cancels', async () => {
  const buyer = await shop.buyer()
  const subscription = (await purchaseOf(buyer))?.stripeSubscriptionId ?? ''
  await shop.sandbox.controls.pause(subscription)
  await shop.settle()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'paused' })
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  await shop.sandbox.controls.dashboard.unpause(subscription)
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel', endedAt: null })
})

test('a payment after the end of the subscription is refunded automatically', async () => {
  const buyer = await buyUnpaidRenewal()
  // Stripe stops retrying and cancels the subscription, but leaves the invoice open.
  await shop.advance(15, 'day')
  await shop.advance(1, 'minute')
  const invoice = await newestInvoiceOf(buyer)
  expect(await shop.pay(invoice)).toBe('succeeded')
  await shop.sandbox.controls.settle()
  await reconcile()
  await shop.settle()
  await reconcile()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 3900 })
})

test('a renewal that Stripe has only drafted is never charged once the subscription has ended', async () => {
  const { controls } = shop.sandbox
  const buyer = await shop.buyer()
  await controls.behave({ draftSeconds: 3600 })
  await shop.advance(1, 'month')
  await shop.advance(1, 'minute')
  await controls.refund(buyer.purchase.paymentIntentId ?? '')
  await shop.settle()
  await shop.advance(1, 'day')
  await controls.behaveAsUsual()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', lastPaidAmount: 3900, refundedAmount: 3900 })
  const { invoicesOf } = atStripe(shop)
  expect(await invoicesOf((await purchaseOf(buyer))?.stripeSubscriptionId)).toMatchObject([
    { status: 'draft' },
    { status: 'paid' },
  ])
})

async function buyDraftedRenewal() {
  const buyer = await shop.buyer()
  await shop.sandbox.controls.behave({ draftSeconds: 3600 })
  await shop.advance(1, 'month')
  await shop.advance(1, 'minute')
  await logIn(buyer)
  return buyer
}

/** The renewal, which is newest, was never charged. */
const onlyFirstIsPaid = [{ status: 'draft' }, { status: 'paid' }]
const invoicesOf = async (buyer: { purchase: { id: string } }) =>
  atStripe(shop).invoicesOf((await purchaseOf(buyer))?.stripeSubscriptionId)

test('cancelling in the hour before a renewal is charged ends the subscription, and the renewal is never charged', async () => {
  const buyer = await buyDraftedRenewal()
  const { id } = buyer.purchase
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: null, refund: 0 })
  await buyer.call(purchases.cancel, { id, endsAt: null })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 0 })
  await shop.advance(1, 'day')
  await shop.sandbox.controls.behaveAsUsual()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', lastPaidAmount: 3900, refundedAmount: 0 })
  expect(await invoicesOf(buyer)).toMatchObject(onlyFirstIsPaid)
})

test('cancelling a renewal that was drafted unheard ends the subscription, too', async () => {
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  const buyer = await buyDraftedRenewal()
  await buyer.call(purchases.cancel, { id: buyer.purchase.id })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 0 })
  await shop.advance(1, 'day')
  await shop.sandbox.controls.behaveAsUsual()
  expect(await invoicesOf(buyer)).toMatchObject(onlyFirstIsPaid)
})

test('a renewal that is charged while its buyer reads that it won’t be is not cancelled before they look again', async () => {
  const buyer = await buyDraftedRenewal()
  const { id } = buyer.purchase
  const { endsAt } = await buyer.call(purchases.cancellation, { id })
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  await shop.advance(2, 'hour')
  await logIn(buyer)
  const cancelled = buyer.call(purchases.cancel, { id, endsAt })
  await expect(cancelled).rejects.toMatchObject({ status: 409, code: 'changed-meanwhile' })
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', endsAt: null })

  const preview = await buyer.call(purchases.cancellation, { id })
  expect(preview.endsAt).not.toBeNull()
  await buyer.call(purchases.cancel, { id, endsAt: preview.endsAt })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel', endsAt: preview.endsAt }])
  // A page that was opened before the cancellation shows the same.
  expect(await buyer.call(purchases.cancellation, { id })).toEqual(preview)
})

test('a renewal that was only a draft when its cancellation was declared is refunded if it has been charged since', async () => {
  const buyer = await buyDraftedRenewal()
  const confirmationLink = await declareByEmail(buyer)
  await shop.advance(2, 'hour')
  await shop.settle()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', dueAmount: null })
  await shop.visitor().call(declarations.confirm, confirmationLink)
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 3900 })
})

test('a renewal on the day for which it was cancelled is refunded, even if that is confirmed later', async () => {
  const buyer = await shop.buyer()
  await shop.advance(25, 'day')
  const renewsAt = (await purchaseOf(buyer))?.currentPeriodEnd ?? new Date(0)
  const confirmationLink = await declareByEmail(buyer, renewsAt.toISOString().slice(0, 10))
  await shop.advance(8, 'day')
  await shop.settle()
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', paidFrom: renewsAt })
  await shop.visitor().call(declarations.confirm, confirmationLink)
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', refundedAmount: 3900 })
})

describe('cancelling keeps the period', () => {
  const keepDrafts = { behavior: 'keep_as_draft', resumes_at: null } as const

  async function buyUncollectedRenewal() {
    const buyer = await shop.buyer()
    const { stripeSubscriptionId } = (await purchaseOf(buyer)) ?? {}
    const pause = (collection: typeof keepDrafts | null) =>
      shop.sandbox.controls.dashboard.pauseCollection(stripeSubscriptionId ?? '', collection)
    await pause(keepDrafts)
    await shop.advance(1, 'month')
    await shop.advance(1, 'day')
    await logIn(buyer)
    expect(await purchaseOf(buyer)).toMatchObject({ isCollectionPaused: true, draftSince: expect.any(Date) })
    return { ...buyer, pause }
  }

  test('while collection is paused', async () => {
    const buyer = await buyUncollectedRenewal()
    await buyer.call(purchases.cancel, { id: buyer.purchase.id })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel' })
  })

  test('after a pause of collection, although its draft is still there', async () => {
    const buyer = await buyUncollectedRenewal()
    await buyer.pause(null)
    await shop.settle()
    expect(await purchaseOf(buyer)).toMatchObject({ isCollectionPaused: false, draftSince: expect.any(Date) })
    await buyer.call(purchases.cancel, { id: buyer.purchase.id })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel' })
  })

  test('if a credit covers the drafted renewal', async () => {
    const buyer = await shop.buyer()
    const { stripeSubscriptionId } = (await purchaseOf(buyer)) ?? {}
    const subscription = await atStripe(shop).object(stripeSubscriptionId)
    await shop.sandbox.controls.dashboard.giveCredit(String(subscription?.customer), 3900)
    await shop.sandbox.controls.behave({ draftSeconds: 3600 })
    await shop.advance(1, 'month')
    await shop.advance(1, 'minute')
    await logIn(buyer)
    await buyer.call(purchases.cancel, { id: buyer.purchase.id })
    await shop.sandbox.controls.behaveAsUsual()
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel' })
  })
})
