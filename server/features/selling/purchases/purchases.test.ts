import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { loadSecretsKey } from '#server/security/secrets.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

const purchaseOf = async (buyer: Buyer) => {
  const [purchase] = await buyer.call(purchases.list, {})
  if (!purchase) throw new Error('Expected a purchase')
  return purchase
}
const subjectsTo = async ({ user }: Buyer, isolatedShop = shop) =>
  (await isolatedShop.mails()).filter(({ to }) => to.includes(user.email)).map(({ subject }) => subject)
const intentOf = ({ purchase }: Buyer) => purchase.paymentIntentId ?? ''

/** Advances the time and logs in again, because logins expire within a month. */
async function advanceAndLogIn(isolatedShop: TestShop, buyer: Buyer, count: number, unit: 'day' | 'month') {
  await isolatedShop.advance(count, unit)
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
}

describe('a cancelled subscription', () => {
  test('keeps access until its period ends and can be resumed', async () => {
    const buyer = await shop.buyer()
    await shop.confirm(buyer)
    const { id, currentPeriodEnd } = buyer.purchase
    await buyer.call(purchases.cancel, { id })
    await buyer.call(purchases.cancel, { id })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'pending_cancel', endsAt: currentPeriodEnd })
    await buyer.call(purchases.resume, { id })
    await buyer.call(purchases.resume, { id })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', endsAt: null })
    expect(await subjectsTo(buyer)).toEqual(
      expect.arrayContaining(['Your subscription will be cancelled', 'Your subscription continues']),
    )
  })

  test('sends at most one email a day to an unproven address', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer()
    const { id } = buyer.purchase
    const subjectsOfChanges = new Set([
      'Your subscription will be cancelled',
      'Your subscription continues',
      'Your card was changed',
    ])
    const changeEmails = async () =>
      (await subjectsTo(buyer, isolatedShop)).filter((subject) => subjectsOfChanges.has(subject))
    for (let round = 0; round < 3; round++) {
      await buyer.call(purchases.cancel, { id })
      await buyer.call(purchases.resume, { id })
      await isolatedShop.changeCard(buyer, id, 'pm_card_mastercard')
    }
    expect(await changeEmails()).toEqual(['Your subscription will be cancelled', 'Your card was changed'])
    await isolatedShop.advance(1, 'day')
    await buyer.call(purchases.cancel, { id })
    expect(await changeEmails()).toHaveLength(3)
  })

  test('ends with its period, and then the buyer can subscribe again', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer()
    await buyer.call(purchases.cancel, { id: buyer.purchase.id })
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', endedBecause: 'cancelled' })
    await expect(buyer.call(purchases.resume, { id: buyer.purchase.id })).rejects.toMatchObject({ status: 409 })
    expect(await subjectsTo(buyer, isolatedShop)).toContain('Your subscription to Rebound Sigma Pro has ended')
    expect(await isolatedShop.buy(buyer)).toMatchObject({ status: 'active' })
  })

  test('stores the buyer’s reason and comment, also at Stripe; resuming deletes both, and account deletion the comment', async () => {
    const buyer = await shop.buyer()
    const admin = await shop.admin()
    const { id } = buyer.purchase
    const listedReason = async () => {
      const found = await admin.call(purchasesAdmin.list, { q: buyer.user.email, limit: 10 })
      return found.map(({ leaveReason, leaveComment }) => [leaveReason, leaveComment])[0]
    }
    const atStripe = async () => {
      const { rows } = await shop.connection.db.execute<{ id: string; why: Record<string, string> }>(sql`
        select o.id, o.data->'cancellation_details' as why from sandbox.objects o
        join purchases p on p.stripe_subscription_id = o.id where p.id = ${id}`)
      return { id: rows[0]?.id ?? '', ...rows[0]?.why }
    }
    const leaveReason = { id, reason: 'too_expensive', comment: 'Half the price?' } as const
    await expect(buyer.call(purchases.giveReason, leaveReason)).rejects.toMatchObject({ status: 409 })
    await buyer.call(purchases.cancel, { id })
    expect(await listedReason()).toEqual([null, null])
    await buyer.call(purchases.giveReason, leaveReason)
    expect(await listedReason()).toEqual(['too_expensive', 'Half the price?'])
    expect(await atStripe()).toMatchObject({ feedback: 'too_expensive', comment: 'Half the price?' })
    expect(JSON.stringify(await buyer.call(accounts.myData, {}))).toContain('Half the price?')
    await buyer.call(purchases.resume, { id })
    expect(await listedReason()).toEqual([null, null])

    const why = { feedback: 'unused', comment: 'In the portal' } as const
    await shop.sandbox.controls.cancelInPortal((await atStripe()).id, why)
    await shop.settle()
    expect(await listedReason()).toEqual(['unused', 'In the portal'])
    await buyer.call(accounts.deleteMyself, { password: buyer.password })
    await shop.settle()
    expect(await atStripe()).toMatchObject({ feedback: 'unused', comment: null })
    const { rows } = await shop.connection.db.execute(
      sql`select leave_reason, leave_comment from purchases where id = ${id}`,
    )
    expect(rows).toEqual([{ leave_reason: 'unused', leave_comment: null }])
  })

  test('can’t be cancelled, resumed, or viewed by a stranger', async () => {
    const [owner, stranger] = [await shop.buyer(), await shop.buyer()]
    const { id } = owner.purchase
    for (const endpoint of [
      purchases.cancel,
      purchases.resume,
      purchases.invoice,
      purchases.invoices,
      purchases.beginCardUpdate,
    ])
      await expect(stranger.call(endpoint, { id })).rejects.toMatchObject({ status: 404 })
    expect(await purchaseOf(owner)).toMatchObject({ status: 'active' })
  })
})

test('a purchase booked by hand that its buyer cancels ends with its period', async () => {
  await using isolatedShop = await openShop({ startsAt: new Date('2027-01-31T10:00:00Z') })
  const admin = await isolatedShop.admin()
  const buyer = await isolatedShop.verifiedUser()
  await admin.call(purchasesAdmin.add, {
    userId: buyer.user.id,
    productId: reboundSigmaPro.id,
    billingType: 'monthly',
    amount: 3900,
    status: 'active',
  })
  const booked = async () => {
    const [purchase] = await buyer.call(purchases.list, {})
    if (!purchase) throw new Error('There is no purchase')
    return purchase
  }
  const { id } = await booked()
  isolatedShop.clock.advance({ days: 3 })
  await buyer.call(purchases.cancel, { id })
  await buyer.call(purchases.cancel, { id })
  const { status, endsAt } = await booked()
  expect([status, endsAt?.slice(0, 13)]).toEqual(['pending_cancel', '2027-02-28T10'])
  await buyer.call(purchases.resume, { id })
  expect(await booked()).toMatchObject({ status: 'active', endsAt: null })

  await buyer.call(purchases.cancel, { id })
  isolatedShop.clock.advance({ days: 24 })
  await isolatedShop.queue.runNow('end-booked')
  expect(await booked()).toMatchObject({ status: 'pending_cancel', endsAt })
  isolatedShop.clock.advance({ days: 1, minutes: 1 })
  await isolatedShop.queue.runNow('end-booked')
  expect(await booked()).toMatchObject({ status: 'cancelled', endedAt: endsAt, endedBecause: 'cancelled' })
  await expect(buyer.call(purchases.resume, { id })).rejects.toMatchObject({ status: 409 })
  const subjects = (await isolatedShop.mails()).filter(({ to }) => to === buyer.user.email).map((mail) => mail.subject)
  expect(subjects).toContain('Your subscription to Rebound Sigma Pro has ended')
})

test('a renewal moves the period, emails a receipt and adds an invoice', async () => {
  await using isolatedShop = await openShop()
  const buyer = await isolatedShop.buyer()
  const { id, currentPeriodEnd } = buyer.purchase
  await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
  const renewed = await purchaseOf(buyer)
  expect(renewed.status).toBe('active')
  expect(new Date(renewed.currentPeriodEnd ?? 0) > new Date(currentPeriodEnd ?? 0)).toBe(true)
  expect((await subjectsTo(buyer, isolatedShop)).filter((subject) => subject.includes('receipt'))).toHaveLength(2)
  const invoices = await buyer.call(purchases.invoices, { id })
  expect(invoices).toMatchObject([
    { amount: 3900, status: 'paid' },
    { amount: 3900, status: 'paid' },
  ])
  const { invoiceUrl } = await buyer.call(purchases.invoice, { id })
  const links = await buyer.call(purchases.document, { document: invoices[0]?.id ?? '' })
  expect(links).toEqual({ viewUrl: invoiceUrl, pdfUrl: expect.stringContaining('pdf') })
})

describe('an unpaid renewal', () => {
  test('keeps access, sends three reminders, and ends after the grace period', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    const unpaid = await purchaseOf(buyer)
    expect(unpaid).toMatchObject({ status: 'past_due', endedAt: null })
    expect(unpaid.graceEndsAt).not.toBeNull()
    const reminders = async () =>
      (await subjectsTo(buyer, isolatedShop)).filter((subject) => /payment did not|about to end/.test(subject))
    // Stripe tries eight times in these two weeks. The first four failures cause only one reminder.
    for (let day = 1; day <= 5; day++) await isolatedShop.advance(1, 'day')
    expect(await reminders()).toEqual(['Your payment did not go through'])
    for (let day = 6; day <= 13; day++) await isolatedShop.advance(1, 'day')
    expect(await reminders()).toEqual([
      'Your payment did not go through',
      'Reminder: your payment did not go through',
      'Last reminder: your subscription is about to end',
    ])
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'past_due' })
    await advanceAndLogIn(isolatedShop, buyer, 1, 'day')
    await isolatedShop.queue.runNow('reconcile')
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'expired', endedBecause: 'unpaid' })
  })

  test('is charged to a new card right away', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    const { id } = buyer.purchase
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
    const setupIntentId = await isolatedShop.storeCard(clientSecret, 'pm_card_visa')
    const finish = () => buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
    expect(await finish()).toMatchObject({ state: 'done', confirmWith: null })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', pastDueSince: null })
    const countCardEmails = async () =>
      (await isolatedShop.mails()).filter(({ subject }) => subject === 'Your card was changed').length
    const countBefore = await countCardEmails()
    await finish()
    expect(await countCardEmails()).toBe(countBefore)
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active' })
  })

  test('keeps the old card, without an email, when the new card is declined', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    const countCardEmails = async () =>
      (await subjectsTo(buyer, isolatedShop)).filter((subject) => subject === 'Your card was changed').length
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    const countBefore = await countCardEmails()
    const { id } = buyer.purchase
    await expect(isolatedShop.changeCard(buyer, id, 'pm_card_chargeCustomerFail')).rejects.toMatchObject({
      serverMessage: expect.stringContaining('declined'),
    })
    expect(await countCardEmails()).toBe(countBefore)
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'past_due' })
    await isolatedShop.changeCard(buyer, id, 'pm_card_visa')
    expect(await countCardEmails()).toBe(countBefore + 1)
  })

  test('that the buyer must confirm with the bank is processing until Stripe is done', async () => {
    await using isolatedShop = await openShop()
    const { controls } = isolatedShop.sandbox
    const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    const { id } = buyer.purchase
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
    const setupIntentId = await isolatedShop.storeCard(clientSecret, 'pm_card_authenticationRequired')
    await controls.authenticate(setupIntentId, 'complete')
    const finish = () => buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
    const { state, confirmWith } = await finish()
    expect([state, confirmWith]).toEqual(['processing', expect.stringContaining('_secret_')])
    await controls.authenticate(confirmWith?.split('_secret_')[0] ?? '', 'complete')
    expect(await finish()).toMatchObject({ state: 'processing', confirmWith: null })
    await isolatedShop.settle()
    expect(await finish()).toMatchObject({ state: 'done', confirmWith: null })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', pastDueSince: null })
    const invoices = await buyer.call(purchases.invoices, { id })
    expect(invoices.map(({ status }) => status)).toEqual(['paid', 'paid'])
  })

  test('can be paid by card only, because other methods can’t be charged for a renewal', async () => {
    const buyer = await shop.buyer()
    const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id: buyer.purchase.id })
    const { rows } = await shop.connection.db.execute(sql`
      select data->'allowed_payment_method_types' as allowed, data->'automatic_payment_methods' as automatic
      from sandbox.objects where data->>'client_secret' = ${clientSecret}`)
    expect(rows).toEqual([{ allowed: ['card'], automatic: null }])
  })

  test('can’t be paid with someone else’s saved card', async () => {
    const [owner, stranger] = [await shop.buyer(), await shop.buyer()]
    const { clientSecret } = await stranger.call(purchases.beginCardUpdate, { id: stranger.purchase.id })
    const setupIntentId = await shop.storeCard(clientSecret, 'pm_card_visa')
    await expect(
      owner.call(purchases.finishCardUpdate, { id: owner.purchase.id, setupIntentId }),
    ).rejects.toMatchObject({ status: 409, serverMessage: 'We couldn’t save the card. Please try again.' })
  })

  test('can’t be paid once the subscription has ended, and stays expired', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    await advanceAndLogIn(isolatedShop, buyer, 14, 'day')
    await isolatedShop.queue.runNow('reconcile')
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'expired', endedBecause: 'unpaid' })
    const invoices = await buyer.call(purchases.invoices, { id: buyer.purchase.id })
    expect(invoices.map(({ status }) => status)).toEqual(['void', 'paid'])
    await isolatedShop.settle()
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'expired', endedBecause: 'unpaid' })
  })

  test('can be cancelled by its buyer', async () => {
    await using isolatedShop = await openShop()
    const buyer = await isolatedShop.buyer({ laterCard: 'pm_card_chargeCustomerFail' })
    await advanceAndLogIn(isolatedShop, buyer, 1, 'month')
    await buyer.call(purchases.cancel, { id: buyer.purchase.id })
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'expired' })
  })
})

describe('a refund', () => {
  test('of a part of the payment leaves the subscription active', async () => {
    const buyer = await shop.buyer()
    await shop.sandbox.controls.refund(intentOf(buyer), 1000)
    await shop.settle()
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', refundedAmount: 1000 })
    expect(await subjectsTo(buyer)).toContain('Your refund of $10.00')
  })

  test('of the whole payment ends the subscription', async () => {
    const buyer = await shop.buyer()
    await shop.sandbox.controls.refund(intentOf(buyer))
    await shop.settle()
    expect(await purchaseOf(buyer)).toMatchObject({
      status: 'cancelled',
      endedBecause: 'refunded',
      refundedAmount: 3900,
    })
  })

  test('through a dispute ends access once the dispute is lost, not before', async () => {
    const buyer = await shop.buyer()
    const dispute = await shop.sandbox.controls.openDispute(intentOf(buyer))
    await shop.settle()
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active' })
    expect((await shop.mails()).map(({ subject }) => subject)).toContain(`Disputed payment: ${buyer.user.email}`)
    await shop.sandbox.controls.closeDispute(dispute.id, 'lost')
    await shop.settle()
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'cancelled', endedBecause: 'disputed' })
  })
})

describe('an admin', () => {
  test('cancels immediately, refunds up to the payment’s amount, and deletes permanently', async () => {
    const admin = await shop.admin()
    const [cancelled, refunded, deleted] = [await shop.buyer(), await shop.buyer(), await shop.buyer()]
    await admin.call(purchasesAdmin.cancel, { id: cancelled.purchase.id })
    expect(await purchaseOf(cancelled)).toMatchObject({ status: 'cancelled', endedBecause: 'cancelled' })

    const partialRefund = { id: refunded.purchase.id, amount: 1500, refundedSoFar: 0 }
    await admin.call(purchasesAdmin.refund, partialRefund)
    expect(await purchaseOf(refunded)).toMatchObject({ refundedAmount: 1500, status: 'active' })
    await expect(
      admin.call(purchasesAdmin.refund, { id: refunded.purchase.id, amount: 2500, refundedSoFar: 1500 }),
    ).rejects.toMatchObject({ status: 409, serverMessage: 'Only $24.00 of this payment can be refunded' })
    expect(await admin.call(purchasesAdmin.refundable, { id: refunded.purchase.id })).toMatchObject({
      payments: [{ amount: 3900, refundable: 2400, endsSubscription: true }],
      refundedSoFar: 1500,
    })
    await admin.call(purchasesAdmin.refund, { id: refunded.purchase.id, refundedSoFar: 1500 })
    expect(await purchaseOf(refunded)).toMatchObject({ refundedAmount: 3900, status: 'cancelled' })

    await admin.call(purchasesAdmin.delete, { id: deleted.purchase.id })
    await shop.settle()
    await shop.queue.runNow('reconcile')
    expect(await deleted.call(purchases.list, {})).toEqual([])
  })

  test('refunds once, even if asked at the same moment, in another process, or again', async () => {
    await using secondProcess = await openShop({
      databaseUrl: shop.connection.url,
      env: { SECRETS_KEY: loadSecretsKey(undefined, shop.config.dataDir) },
    })
    const [here, there] = [await shop.admin(), await secondProcess.admin()]
    const sameAmounts = [1000, 1000, 1000]
    const differentAmounts = [1000, 700, 1000]
    for (const amounts of [sameAmounts, differentAmounts]) {
      const buyer = await shop.buyer()
      const tryRefund = (admin: typeof here, amount: number) =>
        admin
          .call(purchasesAdmin.refund, { id: buyer.purchase.id, amount, refundedSoFar: 0 })
          .catch((error: { status: number }) => error.status)
      const answers = await Promise.all(
        amounts.flatMap((amount) => [tryRefund(here, amount), tryRefund(there, amount)]),
      )
      const refusals = answers.filter((status) => typeof status === 'number')
      for (const status of refusals) expect(status).toBe(409)
      await shop.settle()
      const { refundedAmount } = await purchaseOf(buyer)
      expect(amounts).toContain(refundedAmount)
      await expect(
        here.call(purchasesAdmin.refund, { id: buyer.purchase.id, amount: 1000, refundedSoFar: 0 }),
      ).rejects.toMatchObject({ status: 409, serverMessage: expect.stringContaining('Please look again') })
      expect(await purchaseOf(buyer)).toMatchObject({ refundedAmount })
    }
  })

  test('books a purchase by hand, but not a second one of the same product', async () => {
    const admin = await shop.admin()
    const { user, call } = await shop.verifiedUser()
    const booking = {
      userId: user.id,
      productId: reboundSigmaPro.id,
      billingType: 'yearly' as const,
      amount: 12_345,
      status: 'active' as const,
    }
    await admin.call(purchasesAdmin.add, booking)
    await expect(admin.call(purchasesAdmin.add, booking)).rejects.toMatchObject({ status: 409 })
    const [booked] = await call(purchases.list, {})
    expect(booked).toMatchObject({ amount: 12_345, status: 'active', paymentIntentId: null })
    await expect(call(purchases.invoice, { id: booked?.id ?? '' })).rejects.toMatchObject({
      serverMessage: expect.stringContaining('There is no invoice for this purchase'),
    })
    await admin.call(purchasesAdmin.cancel, { id: booked?.id ?? '' })
    expect(await call(purchases.list, {})).toMatchObject([{ status: 'cancelled' }])
  })
})
