import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { isExtendable } from '#contract/statuses.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

async function purchaseOf(isolatedShop: TestShop, { user, password, call }: Buyer) {
  await isolatedShop.settle()
  await call(accounts.login, { email: user.email, password })
  return (await call(purchases.list, {}))[0]
}

const subjectsTo = async (isolatedShop: TestShop, { user }: Buyer) =>
  (await isolatedShop.mails()).filter(({ to }) => to === user.email).map(({ subject }) => subject)

test('an extension is offered exactly where it is possible', async () => {
  const [leaving, byHand] = [await shop.buyer(), await shop.user()]
  await leaving.call(purchases.cancel, { id: leaving.purchase.id })
  await bookPurchase(shop.connection, byHand.user.id)
  const admin = await shop.admin()
  const until = new Date(shop.clock.now().getTime() + 100 * dayMs).toISOString().slice(0, 10)
  for (const { user } of [leaving, byHand, await shop.buyer()]) {
    const [purchase] = await admin.call(purchasesAdmin.list, { q: user.email })
    if (!purchase) throw new Error('The purchase is gone')
    const isExtended = await admin.call(purchasesAdmin.extend, { id: purchase.id, until }).then(
      () => true,
      () => false,
    )
    expect(isExtended).toBe(isExtendable(purchase))
  }
})

test('a cancellation at the period’s end keeps access until then and can be undone', async () => {
  const buyer = await shop.buyer()
  await shop.confirm(buyer)
  const { id, currentPeriodEnd } = buyer.purchase
  const admin = await shop.admin()
  expect(await admin.call(purchasesAdmin.cancellation, { id })).toMatchObject({ endsAt: currentPeriodEnd, refund: 0 })
  await admin.call(purchasesAdmin.cancelAtPeriodEnd, { id })
  expect(await purchaseOf(shop, buyer)).toMatchObject({ status: 'pending_cancel', endsAt: currentPeriodEnd })
  await admin.call(purchasesAdmin.resume, { id })
  expect(await purchaseOf(shop, buyer)).toMatchObject({ status: 'active', endsAt: null })
  expect((await subjectsTo(shop, buyer)).slice(-2)).toEqual([
    'Your subscription will be cancelled',
    'Your subscription continues',
  ])
  const auditEntries = await admin.call(audit.adminList, { q: id })
  expect(auditEntries.map(({ action, detail }) => [action, detail])).toEqual([
    ['purchase.resume', null],
    ['purchase.cancel', { when: 'period_end' }],
  ])
})

test('a cancellation without an amount ends immediately without a refund, also after the buyer has cancelled', async () => {
  const buyer = await shop.buyer()
  const { id } = buyer.purchase
  await buyer.call(purchases.cancel, { id })
  expect(await purchaseOf(shop, buyer)).toMatchObject({ status: 'pending_cancel' })
  await (await shop.admin()).call(purchasesAdmin.cancel, { id })
  expect(await purchaseOf(shop, buyer)).toMatchObject({
    status: 'cancelled',
    endedBecause: 'cancelled',
    refundedAmount: 0,
  })
})

test('an immediate cancellation can refund the unused days, to the cent and once', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer()
  const { id, createdAt, currentPeriodEnd } = buyer.purchase
  await isolatedShop.advance(10, 'day')
  const days = Math.round((Date.parse(currentPeriodEnd ?? '') - Date.parse(createdAt)) / dayMs)
  const daysLeft = Math.ceil((Date.parse(currentPeriodEnd ?? '') - isolatedShop.clock.now().getTime()) / dayMs)
  const unusedAmount = Math.round((3900 * daysLeft) / days)
  const admin = await isolatedShop.admin()
  expect(await admin.call(purchasesAdmin.cancellation, { id })).toMatchObject({ rest: unusedAmount })
  const wrongAmount = admin.call(purchasesAdmin.cancel, { id, refund: unusedAmount + 1 })
  await expect(wrongAmount).rejects.toMatchObject({ status: 409, code: 'changed-meanwhile' })
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'active', refundedAmount: 0 })

  // The refund succeeds and the end fails. A second try ends the subscription without another refund.
  await isolatedShop.sandbox.controls.failNext({ on: 'DELETE /v1/subscriptions', status: 400 })
  const cancel = () => admin.call(purchasesAdmin.cancel, { id, refund: unusedAmount })
  await expect(cancel()).rejects.toMatchObject({ status: 502 })
  await cancel()
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({
    status: 'cancelled',
    endedBecause: 'cancelled',
    refundedAmount: unusedAmount,
  })
  expect((await buyer.call(purchases.invoices, { id })).map(({ kind, amount }) => [kind, amount])).toEqual([
    ['credit_note', unusedAmount],
    ['invoice', 3900],
  ])
  expect(await isolatedShop.queue.failed.count()).toBe(0)
})

test('a cancellation of a renewal that is not charged yet ends immediately, and the activity says so', async () => {
  await using isolatedShop = await openShop()
  const { id } = (await isolatedShop.buyer()).purchase
  await isolatedShop.sandbox.controls.behave({ draftSeconds: 3600 })
  await isolatedShop.advance(1, 'month')
  const admin = await isolatedShop.admin()
  const { endsAt } = await admin.call(purchasesAdmin.cancellation, { id })
  await admin.call(purchasesAdmin.cancelAtPeriodEnd, { id, endsAt })
  const [entry] = await admin.call(audit.adminList, { q: id })
  expect([endsAt, entry?.detail]).toEqual([null, { when: 'now' }])
})

test('an interrupted refund of the unused days doesn’t prevent one in a later period', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer()
  const { id } = buyer.purchase
  const endWithRefund = async () => {
    const admin = await isolatedShop.admin()
    const { rest } = await admin.call(purchasesAdmin.cancellation, { id })
    return admin.call(purchasesAdmin.cancel, { id, refund: rest }).then(() => rest)
  }
  await isolatedShop.advance(10, 'day')
  await isolatedShop.sandbox.controls.failNext({ on: 'DELETE /v1/subscriptions', status: 400 })
  await expect(endWithRefund()).rejects.toMatchObject({ status: 502 })
  const refundedBefore = (await purchaseOf(isolatedShop, buyer))?.refundedAmount ?? 0
  expect(refundedBefore).toBeGreaterThan(0)
  await isolatedShop.advance(1, 'month')
  const refundedLater = await endWithRefund()
  expect(refundedLater).toBeGreaterThan(0)
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({
    status: 'cancelled',
    refundedAmount: refundedBefore + refundedLater,
  })
})

test('a booking by hand ends immediately or with its period, and has nothing to refund', async () => {
  const buyer = await shop.user()
  const { id } = await bookPurchase(shop.connection, buyer.user.id)
  const admin = await shop.admin()
  const cancel = (options: object) => admin.call(purchasesAdmin.cancel, { id, ...options })
  await expect(cancel({ refund: 100 })).rejects.toMatchObject({ code: 'booked-by-hand' })
  const { endsAt, rest: unusedAmount } = await admin.call(purchasesAdmin.cancellation, { id })
  expect([Date.parse(endsAt ?? '') > shop.clock.now().getTime(), unusedAmount]).toEqual([true, 0])
  await admin.call(purchasesAdmin.cancelAtPeriodEnd, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel', endsAt }])
  await admin.call(purchasesAdmin.resume, { id })
  await cancel({})
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled' }])
})

test('a full refund can leave access unchanged, and the subscription then renews as usual', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer()
  const { id, currentPeriodEnd } = buyer.purchase
  const admin = await isolatedShop.admin()
  expect(await admin.call(purchasesAdmin.refundable, { id })).toMatchObject({
    payments: [{ refundable: 3900, endsSubscription: true }],
    accessUntil: currentPeriodEnd,
  })
  const fullRefund = { id, amount: 3900, refundedSoFar: 0, keepAccess: true, reason: 'goodwill' } as const
  await admin.call(purchasesAdmin.refund, fullRefund)
  const secondRefund = admin.call(purchasesAdmin.refund, fullRefund)
  await expect(secondRefund).rejects.toMatchObject({ status: 409, code: 'nothing-to-refund' })
  await isolatedShop.queue.runNow('reconcile')
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'active', refundedAmount: 3900 })
  expect((await subjectsTo(isolatedShop, buyer)).at(-1)).toBe('Your refund of $39.00')
  const [entry] = await admin.call(audit.adminList, { q: id })
  expect(entry).toMatchObject({
    action: 'purchase.refund',
    detail: { amount: 3900, because: 'Goodwill', keepAccess: true },
  })
  await isolatedShop.advance(1, 'month')
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'active', refundedAmount: 3900 })
  // A refund of the next payment without `keepAccess` ends the subscription.
  await (await isolatedShop.admin()).call(purchasesAdmin.refund, { id, refundedSoFar: 3900 })
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'cancelled', endedBecause: 'refunded' })
})

test('a refund of an earlier payment leaves the present period unchanged', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer()
  const { id, paymentIntentId } = buyer.purchase
  await isolatedShop.advance(1, 'month')
  await isolatedShop.settle()
  const admin = await isolatedShop.admin()
  const { payments } = await admin.call(purchasesAdmin.refundable, { id })
  expect(payments.map(({ endsSubscription: ends }) => ends)).toEqual([true, false])
  expect(payments[1]?.paymentIntentId).toBe(paymentIntentId)
  const refund = (intent: string | null) =>
    admin.call(purchasesAdmin.refund, { id, refundedSoFar: 0, paymentIntentId: intent ?? '' })
  await expect(refund('pi_of_somebody_else')).rejects.toMatchObject({ code: 'nothing-to-refund' })
  await refund(paymentIntentId)
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'active', refundedAmount: 3900 })
  const stillRefundable = (await admin.call(purchasesAdmin.refundable, { id })).payments.map(
    (payment) => payment.refundable,
  )
  expect(stillRefundable).toEqual([3900, 0])
})

test('an unpaid renewal can be charged again or paid by an emailed link, until it is paid', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
  const { id } = buyer.purchase
  await isolatedShop.advance(1, 'month')
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'past_due' })
  const admin = await isolatedShop.admin()
  await expect(admin.call(purchasesAdmin.retryPayment, { id })).rejects.toMatchObject({ status: 402 })
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'past_due' })

  const openLatestLink = async () => {
    await isolatedShop.settle()
    const texts = (await isolatedShop.mails()).filter(({ to }) => to === buyer.user.email).map(({ text }) => text)
    const { searchParams } = new URL(
      texts
        .join('\n')
        .match(/http\S+\/invoice\?\S+/g)
        ?.at(-1) ?? 'about:blank',
    )
    const link = { purchase: '', invoice: '', token: '', ...Object.fromEntries(searchParams) }
    return isolatedShop.visitor().call(purchases.openInvoice, link)
  }
  const opened = { invoiceUrl: expect.stringContaining('http') }
  // A link to an unpaid invoice works until it is paid.
  for (const _ of ['first', 'second']) {
    await admin.call(purchasesAdmin.sendPayLink, { id })
    expect(await openLatestLink()).toEqual(opened)
    expect(await openLatestLink()).toEqual(opened)
  }

  await isolatedShop.changeCard(buyer, id, 'pm_card_visa')
  expect(await purchaseOf(isolatedShop, buyer)).toMatchObject({ status: 'active' })
  await isolatedShop.sandbox.controls.failNext({ on: 'GET /v1/invoices', status: 400 })
  await expect(openLatestLink()).rejects.toMatchObject({ status: 502 })
  expect(await openLatestLink()).toEqual(opened)
  await expect(openLatestLink()).rejects.toMatchObject({ status: 410, code: 'link-expired' })
  for (const call of [purchasesAdmin.retryPayment, purchasesAdmin.sendPayLink])
    await expect(admin.call(call, { id })).rejects.toMatchObject({ status: 409, code: 'invoice-closed' })
})
