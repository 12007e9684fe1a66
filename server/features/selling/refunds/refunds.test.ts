import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { overview } from '#contract/admin/overview.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { invoices as invoiceRows, purchases as purchaseRows } from '#server/database/schema.ts'
import { declared, storedDeclaration } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

const intentOf = ({ purchase }: Buyer) => purchase.paymentIntentId ?? ''

const creditNotesOf = async (buyer: Buyer) =>
  (await buyer.call(purchases.invoices, { id: buyer.purchase.id }))
    .filter(({ kind }) => kind === 'credit_note')
    .map(({ amount }) => amount)

test('the credit note of a refund that failed covers the next refund, and no job fails', async () => {
  const buyer = await shop.buyer()
  const { controls } = shop.sandbox
  const first = await controls.refund(intentOf(buyer), 1000)
  await shop.settle()
  expect(await creditNotesOf(buyer)).toEqual([1000])
  await controls.failRefund(first.id)
  await controls.refund(intentOf(buyer))
  await shop.settle()
  expect((await creditNotesOf(buyer)).toSorted((a, b) => a - b)).toEqual([1000, 2900])
  expect(await shop.queue.failed.count()).toBe(0)
})

test('a payment into a former Stripe account is refused here and must be refunded there', async () => {
  const [buyer, admin] = [await shop.buyer(), await shop.admin()]
  const { id } = buyer.purchase
  const former = { formerAccount: 'acct_1Former' }
  await shop.connection.db.update(purchaseRows).set(former).where(eq(purchaseRows.id, id))
  await shop.connection.db.update(invoiceRows).set(former).where(eq(invoiceRows.purchaseId, id))
  const refused = { status: 409, message: expect.stringContaining('former Stripe account (acct_1Former)') }
  await expect(admin.call(purchasesAdmin.refundable, { id })).rejects.toMatchObject(refused)
  await expect(admin.call(purchasesAdmin.refund, { id, refundedSoFar: 0 })).rejects.toMatchObject(refused)
  const [invoice, ...otherInvoices] = await buyer.call(purchases.invoices, { id })
  expect([invoice, otherInvoices]).toMatchObject([{ amount: 3900, status: 'paid', hasDocument: false }, []])
  const document = invoice?.id ?? ''
  await expect(buyer.call(purchases.document, { document })).rejects.toMatchObject({ status: 404 })
})

test('refund dialog, cancellation and invoices work while Stripe is down', async () => {
  const [buyer, stranger, admin] = [await shop.buyer(), await shop.buyer(), await shop.admin()]
  const { id, userId } = buyer.purchase
  await admin.call(purchasesAdmin.refund, { id, amount: 900, refundedSoFar: 0, keepAccess: true })
  await shop.settle()
  const { controls } = shop.sandbox
  await controls.behave({ key: 'expired' })
  const payment = { amount: 3900, refundable: 3000, credited: 0, endsSubscription: false }
  expect(await admin.call(purchasesAdmin.refundable, { id })).toMatchObject({ payments: [payment], refundedSoFar: 900 })
  expect(await admin.call(purchasesAdmin.cancellation, { id })).toMatchObject({ rest: 3000, isMissing: false })
  const documents = [
    { kind: 'credit_note', amount: 900, hasDocument: true },
    { kind: 'invoice', amount: 3900, status: 'paid', hasDocument: true },
  ]
  expect(await buyer.call(purchases.invoices, { id })).toMatchObject(documents)
  expect(await admin.call(customers.adminPayments, { id: userId })).toMatchObject({ documents, paid: 3000 })
  await controls.behaveAsUsual()
  const [note, invoice] = await buyer.call(purchases.invoices, { id })
  const openDocument = (viewer: Buyer, document = '') => viewer.call(purchases.document, { document })
  expect(await openDocument(buyer, note?.id)).toEqual({ viewUrl: null, pdfUrl: expect.stringContaining('pdf') })
  expect(await openDocument(buyer, invoice?.id)).toMatchObject({ viewUrl: expect.stringContaining('invoices') })
  await expect(openDocument(stranger, invoice?.id)).rejects.toMatchObject({ status: 404 })
  await expect(openDocument(stranger, note?.id)).rejects.toMatchObject({ status: 404 })
})

test('a refund made at Stripe that the shop has not received is shown when the dialog is opened again', async () => {
  const [buyer, admin] = [await shop.buyer(), await shop.admin()]
  const { id } = buyer.purchase
  const { controls } = shop.sandbox
  await controls.behave({ drop: true })
  await controls.refund(intentOf(buyer), 1000)
  await shop.settle()
  const changed = { status: 409, message: expect.stringContaining('$10.00 of this purchase has been refunded') }
  await expect(admin.call(purchasesAdmin.refund, { id, refundedSoFar: 0 })).rejects.toMatchObject(changed)
  expect(await admin.call(purchasesAdmin.refundable, { id })).toMatchObject({ refundedSoFar: 1000 })
  await controls.behaveAsUsual()
})

test.each([
  ['won', 'Ended right away and refunded in full', 3900],
  ['lost', 'Ended right away. The buyer’s bank returned $39.00 in a dispute', 0],
] as const)(
  'a withdrawal from a disputed payment waits until the bank decides; dispute %s: %s',
  async (decision, outcome, refunded) => {
    const buyer = await shop.buyer()
    const { controls } = shop.sandbox
    const dispute = await controls.openDispute(intentOf(buyer))
    const { id } = await buyer.call(declarations.withdraw, declared(buyer.user.email))
    await shop.settle()
    const waiting = { state: 'confirmed', outcome: 'Ended right away. The buyer’s bank decides about $39.00' }
    expect(await storedDeclaration(shop, id)).toMatchObject(waiting)
    expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 0 }])
    await shop.queue.runNow('carry-out-declarations')
    expect(await storedDeclaration(shop, id)).toMatchObject(waiting)

    await controls.closeDispute(dispute.id, decision)
    await shop.settle()
    await shop.queue.runNow('carry-out-declarations')
    await shop.settle()
    expect(await storedDeclaration(shop, id)).toMatchObject({ state: 'done', outcome })
    expect(await buyer.call(purchases.list, {})).toMatchObject([{ refundedAmount: refunded }])
    expect(await shop.queue.failed.count()).toBe(0)
  },
)

const mailsTo = async ({ user }: Buyer, isolatedShop = shop) =>
  (await isolatedShop.mails()).filter(({ to }) => to === user.email).map(({ subject, text }) => `${subject}\n${text}`)

async function advanceAndLogIn(isolatedShop: TestShop, buyer: Buyer, count: number, unit: 'day' | 'month' | 'year') {
  await isolatedShop.advance(count, unit)
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
}

async function subscriptionOf(isolatedShop: TestShop, { purchase: { id } }: Buyer) {
  const [row] = await isolatedShop.connection.db.select().from(purchaseRows).where(eq(purchaseRows.id, id))
  return row?.stripeSubscriptionId ?? ''
}

test('a refund that the bank returns is reported to buyer and seller until it is made another way', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer({ card: 'pm_card_refundFail' })
  const { id } = buyer.purchase
  await (await isolatedShop.admin()).call(purchasesAdmin.refund, { id, refundedSoFar: 0 })
  await isolatedShop.settle()
  const ended = { status: 'cancelled', endedBecause: 'refunded' }
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ ...ended, refundedAmount: 3900 }])
  await isolatedShop.advance(1, 'day')
  await isolatedShop.settle()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ ...ended, refundedAmount: 0 }])
  expect((await mailsTo(buyer, isolatedShop)).at(-1)).toMatch(
    /^Your refund of \$39.00 came back to us[^]*where to send it/,
  )

  const admin = await isolatedShop.admin()
  const needs = async () => (await admin.call(overview.adminNeeds, {})).filter(({ kind }) => kind === 'failed_refunds')
  const listed = () => admin.call(purchasesAdmin.list, { need: 'failed_refunds' })
  expect(await needs()).toEqual([{ kind: 'failed_refunds', count: 1, dueAt: null }])
  expect(await listed()).toMatchObject([{ id, failedRefunds: 3900 }])
  await admin.call(purchasesAdmin.settleRefunds, { id, amount: 3900 })
  await expect(admin.call(purchasesAdmin.settleRefunds, { id, amount: 3900 })).rejects.toMatchObject({ status: 409 })
  await isolatedShop.queue.runNow('reconcile')
  expect([await needs(), await listed()]).toEqual([[], []])
  expect((await mailsTo(buyer, isolatedShop)).filter((mail) => mail.includes('came back'))).toHaveLength(1)
})

test('a pending refund gets its credit note when it succeeds', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer({ card: 'pm_card_pendingRefund' })
  await (await isolatedShop.admin()).call(purchasesAdmin.refund, {
    id: buyer.purchase.id,
    amount: 1000,
    refundedSoFar: 0,
  })
  await isolatedShop.settle()
  expect(await creditNotesOf(buyer)).toEqual([])
  await advanceAndLogIn(isolatedShop, buyer, 1, 'day')
  await isolatedShop.settle()
  expect(await creditNotesOf(buyer)).toEqual([1000])
})

test('a duplicate payment that is disputed is refunded once the dispute is won', async () => {
  const buyer = await shop.verifiedUser()
  const [first, second] = [
    await shop.begin(buyer, { billing: 'monthly' }),
    await shop.begin(shop.visitor(), { email: buyer.user.email, billing: 'yearly' }),
  ]
  await shop.pay(first)
  await shop.confirmPurchase(buyer, first)
  await shop.pay(second)
  const dispute = await shop.sandbox.controls.openDispute(second.paymentIntentId)
  await shop.settle()
  const refunded = async () =>
    (await buyer.call(purchases.list, {})).find(({ endedBecause }) => endedBecause === 'duplicate')?.refundedAmount
  expect([await refunded(), await shop.queue.failed.count()]).toEqual([0, 0])
  await shop.sandbox.controls.closeDispute(dispute.id, 'won')
  await shop.settle()
  expect(await refunded()).toBe(39_000)
})

test('no refund is promised after a failed cancellation, or after one that was undone at Stripe', async () => {
  await using isolatedShop = await openShop()
  const [failed, resumedAtStripe, cancelledByBuyer] = [
    await isolatedShop.buyer({ billing: 'yearly' }),
    await isolatedShop.buyer({ billing: 'yearly' }),
    await isolatedShop.buyer({ billing: 'yearly' }),
  ]
  await isolatedShop.advance(1, 'year')
  for (const buyer of [failed, resumedAtStripe, cancelledByBuyer]) await advanceAndLogIn(isolatedShop, buyer, 1, 'day')
  const cancel = ({ call, purchase: { id } }: Buyer) => call(purchases.cancel, { id })
  const { refund } = await cancelledByBuyer.call(purchases.cancellation, { id: cancelledByBuyer.purchase.id })
  await isolatedShop.sandbox.controls.failNext({ on: 'POST /v1/subscriptions', status: 400 })
  await expect(cancel(failed)).rejects.toMatchObject({ status: 502 })
  await cancel(resumedAtStripe)
  await isolatedShop.sandbox.controls.dashboard.undoCancellation(await subscriptionOf(isolatedShop, resumedAtStripe))
  await cancel(cancelledByBuyer)
  await isolatedShop.settle()
  const admin = await isolatedShop.admin()
  for (const { purchase } of [failed, resumedAtStripe, cancelledByBuyer])
    await admin.call(purchasesAdmin.cancel, { id: purchase.id })
  await isolatedShop.settle()
  const stateOf = async ({ call }: Buyer) => (await call(purchases.list, {}))[0]
  expect(await stateOf(failed)).toMatchObject({ status: 'cancelled', refundedAmount: 0 })
  expect(await stateOf(resumedAtStripe)).toMatchObject({ status: 'cancelled', refundedAmount: 0 })
  expect(await stateOf(cancelledByBuyer)).toMatchObject({ status: 'cancelled', refundedAmount: refund })
})

test('a repeated cancellation of a renewed year, after a lost response, changes nothing', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer({ billing: 'yearly' })
  const { id } = buyer.purchase
  await advanceAndLogIn(isolatedShop, buyer, 1, 'year')
  await advanceAndLogIn(isolatedShop, buyer, 1, 'day')
  const { endsAt } = await buyer.call(purchases.cancellation, { id })
  expect(endsAt).toContain('T23:59:59.000Z')
  await isolatedShop.sandbox.controls.webhooks.behave({ drop: true })
  for (const minutes of [1, 24 * 60]) {
    await isolatedShop.sandbox.controls.failNext({ on: 'GET /v1/subscriptions', status: 400 })
    await expect(buyer.call(purchases.cancel, { id })).rejects.toMatchObject({ status: 502 })
    isolatedShop.clock.advance({ minutes })
  }
  await buyer.call(purchases.cancel, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel', endsAt }])
})

test('a renewal that awaits the bank’s confirmation is confirmed with the same card', async () => {
  await using isolatedShop = await openShop()
  const { controls } = isolatedShop.sandbox
  const buyer = await isolatedShop.buyer()
  const { id } = buyer.purchase
  const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
  const setupIntentId = await isolatedShop.storeCard(clientSecret, 'pm_card_authenticationRequired')
  await controls.authenticate(setupIntentId, 'complete')
  await buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
  await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'past_due', awaitsBank: true }])
  expect((await mailsTo(buyer, isolatedShop)).at(-1)).toContain('choose “Confirm with your bank”')
  const { confirmWith } = await buyer.call(purchases.beginCardUpdate, { id })
  await controls.authenticate(confirmWith?.split('_secret_')[0] ?? '', 'complete')
  const finish = () => buyer.call(purchases.finishCardUpdate, { id })
  expect(await finish()).toMatchObject({ state: 'processing', confirmWith: null })
  await isolatedShop.settle()
  expect(await finish()).toMatchObject({ state: 'done', confirmWith: null })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'active', awaitsBank: false }])
})

test('“Refund and end” after a fraud warning refunds the reported payment and every later one', async () => {
  await using isolatedShop = await openShop()
  const { controls } = isolatedShop.sandbox
  const [thief, switched] = [await isolatedShop.buyer(), await isolatedShop.buyer()]
  const { at, due } = await switched.call(purchases.switchOffer, { id: switched.purchase.id })
  await switched.call(purchases.switch, { id: switched.purchase.id, at, amount: due })
  await isolatedShop.settle()
  for (let renewals = 0; renewals < 2; renewals += 1) await isolatedShop.advance(1, 'month')
  const admin = await isolatedShop.admin()
  const paymentsOf = async ({ purchase: { id } }: Buyer) =>
    (await admin.call(purchasesAdmin.refundable, { id })).payments
  const isWarned = async ({ purchase: { id } }: Buyer) =>
    (await admin.call(purchasesAdmin.list, { need: 'fraud_warnings' })).some((purchase) => purchase.id === id)

  const intents = (await paymentsOf(thief)).map(({ paymentIntentId }) => paymentIntentId).toReversed()
  // The bank reports the second payment first, then the first and the third.
  for (const index of [1, 0, 2]) {
    await controls.warnOfFraud(intents[index] ?? '')
    await isolatedShop.settle()
  }
  await controls.warnOfFraud((await paymentsOf(switched)).at(-1)?.paymentIntentId ?? '')
  await isolatedShop.settle()
  for (const buyer of [thief, switched]) {
    expect(await isWarned(buyer)).toBe(true)
    await admin.call(purchasesAdmin.settleWarning, { id: buyer.purchase.id, decision: 'refund' })
    await isolatedShop.settle()
    expect(await isWarned(buyer)).toBe(false)
  }
  const nothingLeft = { refundable: 0, credited: 0 }
  expect(await paymentsOf(thief)).toMatchObject([nothingLeft, nothingLeft, nothingLeft])
  expect(await paymentsOf(switched)).toMatchObject([nothingLeft, nothingLeft])
})
