import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { addMonths } from '#contract/plans.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { refunds } from '#server/database/schema.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { lives } from '#server/testing/lives.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { refundForUnusedDays } from '../invoices/invoices.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

const { rowOf, customerOf, logIn, lookAgain } = lives(() => shop)
const cents = (amount: number) => `$${(amount / 100).toFixed(2)}`

const yearBefore = (date: Date) => {
  const result = new Date(date)
  result.setUTCFullYear(date.getUTCFullYear() - 1)
  return result
}

const dayAfter = (date: string | null, days: number) =>
  new Date(Date.parse(date ?? '') + days * dayMs).toISOString().slice(0, 10)

async function buyRenewedYear(daysIntoSecondYear: number) {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await shop.advance(1, 'year')
  await shop.advance(daysIntoSecondYear, 'day')
  // Sessions expire while the clock advances.
  await logIn(buyer)
  const readPurchase = async () => {
    await logIn(buyer)
    const [purchase] = await buyer.call(purchases.list, {})
    if (!purchase) throw new Error('There is no purchase')
    return purchase
  }
  return { ...buyer, id: buyer.purchase.id, readPurchase }
}

test('a renewed year ends with one month’s notice, and its unused days are refunded once', async () => {
  const { call, id, readPurchase, user } = await buyRenewedYear(60)
  const purchase = await readPurchase()
  const preview = await call(purchases.cancellation, { id })
  const unusedDays = (Date.parse(purchase.currentPeriodEnd ?? '') - Date.parse(preview.endsAt ?? '')) / dayMs
  const daysAfterNotice = 365 - 60 - 30
  expect(Math.abs(Math.round(unusedDays) - daysAfterNotice)).toBeLessThanOrEqual(2)
  const periodEnd = new Date(purchase.currentPeriodEnd ?? '')
  const daysOfYear = (periodEnd.getTime() - yearBefore(periodEnd).getTime()) / dayMs
  expect(preview.refund).toBe(Math.round((39_000 * Math.ceil(unusedDays)) / daysOfYear))

  await call(purchases.cancel, { id })
  expect(await readPurchase()).toMatchObject({ status: 'pending_cancel', refundedAmount: 0 })
  const lastMail = (await shop.mails()).findLast(({ to }) => to === user.email)
  expect(lastMail?.text).toContain(`Refund: ${cents(preview.refund)}`)

  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await shop.queue.runNow('reconcile')
  await shop.settle()
  expect(await readPurchase()).toMatchObject({
    status: 'cancelled',
    endedBecause: 'cancelled',
    refundedAmount: preview.refund,
  })
  await shop.queue.runNow('reconcile')
  await shop.settle()
  expect(await readPurchase()).toMatchObject({ refundedAmount: preview.refund })
})

test('the receipt of a renewed year names the month’s notice instead of the end of the period', async () => {
  const { user } = await buyRenewedYear(1)
  const receipts = (await shop.mails()).filter(({ to, subject }) => to === user.email && /receipt/.test(subject))
  const paidPeriod = 'keep access until the end of the paid period'
  expect(receipts[0]?.text).toContain(paidPeriod)
  expect(receipts.at(-1)?.text).not.toContain(paidPeriod)
  expect(receipts.at(-1)?.text).toContain(
    'You can cancel any time with one month’s notice; we refund the rest of the year.',
  )
})

test('a buyer who resumes within the month’s notice keeps the year, without a refund', async () => {
  const { call, id, readPurchase } = await buyRenewedYear(10)
  await call(purchases.cancel, { id })
  await call(purchases.resume, { id })
  const { status, currentPeriodEnd } = await readPurchase()
  expect(status).toBe('active')
  await shop.advance(40, 'day')
  await shop.settle()
  expect(await readPurchase()).toMatchObject({ status: 'active', currentPeriodEnd, refundedAmount: 0 })
})

test('the first year can’t be ended early', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { id, currentPeriodEnd } = buyer.purchase
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: currentPeriodEnd, refund: 0 })
  await buyer.call(purchases.cancel, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ endsAt: currentPeriodEnd }])
})

test('free time from the seller isn’t a renewal, so the first year isn’t refunded', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { id, currentPeriodEnd } = buyer.purchase
  const admin = await shop.admin()
  const until = new Date(Date.parse(currentPeriodEnd ?? '') + 31 * dayMs)
  await admin.call(purchasesAdmin.extend, { id, until: until.toISOString().slice(0, 10) })
  await shop.advance(32, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const [extended] = await buyer.call(purchases.list, {})
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: extended?.currentPeriodEnd, refund: 0 })
})

test('a renewed year that the seller has refunded runs to its end, because nothing more can be refunded', async () => {
  const { call, id, readPurchase } = await buyRenewedYear(60)
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.refund, { id, refundedSoFar: 0, keepAccess: true })
  await shop.settle()
  const { currentPeriodEnd } = await readPurchase()
  expect(await call(purchases.cancellation, { id })).toEqual({ endsAt: currentPeriodEnd, refund: 0 })
  await call(purchases.cancel, { id })
  expect(await readPurchase()).toMatchObject({ status: 'pending_cancel', endsAt: currentPeriodEnd })
})

test('a renewed year that the buyer’s credit has paid runs to its end', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { id, subscription } = await rowOf(buyer)
  await shop.sandbox.controls.dashboard.giveCredit(await customerOf(subscription), 39_000)
  await shop.advance(1, 'year')
  await shop.advance(60, 'day')
  await logIn(buyer)
  const [renewed] = await buyer.call(purchases.list, {})
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: renewed?.currentPeriodEnd, refund: 0 })
  await buyer.call(purchases.cancel, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ endsAt: renewed?.currentPeriodEnd }])
})

test('free time that follows a renewed year is kept until its end', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { id, currentPeriodEnd: firstEnd } = buyer.purchase
  const extend = async (until: string) => (await shop.admin()).call(purchasesAdmin.extend, { id, until })
  // Stripe moves a payment to at most two years after the latest free time.
  await extend(dayAfter(firstEnd, 1))
  await shop.advance(1, 'year')
  await shop.advance(10, 'day')
  await logIn(buyer)
  const [renewed] = await buyer.call(purchases.list, {})
  await extend(dayAfter(renewed?.currentPeriodEnd ?? '', 90))
  await shop.advance(1, 'year')
  await logIn(buyer)
  const [extended] = await buyer.call(purchases.list, {})
  const { currentPeriodEnd } = extended ?? {}
  expect(currentPeriodEnd).toContain(dayAfter(renewed?.currentPeriodEnd ?? '', 90))
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: currentPeriodEnd, refund: 0 })
  await buyer.call(purchases.cancel, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ endsAt: currentPeriodEnd }])
})

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

/** Cancels; when the year has ended, reads what the seller owes, and again once it was paid another way. */
async function owedAfterNotice({ call, purchase }: Pick<Buyer, 'call' | 'purchase'>) {
  const { id } = purchase
  const { refund } = await call(purchases.cancellation, { id })
  expect(refund).toBeGreaterThan(25_000)
  await call(purchases.cancel, { id })
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await shop.settle()
  const admin = await shop.admin()
  const readOwed = async () =>
    (await admin.call(purchasesAdmin.list, { need: 'failed_refunds' })).filter((listed) => listed.id === id)
  const owed = await readOwed()
  await admin.call(purchasesAdmin.settleRefunds, { id, amount: refund })
  await lookAgain(await rowOf({ purchase }))
  return { refund, owed, owedAfterSettling: await readOwed() }
}

test('a promised refund of a year that was paid outside Stripe becomes the seller’s task', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { subscription } = await rowOf(buyer)
  await shop.sandbox.controls.failNextRenewal(subscription)
  await shop.advance(1, 'year')
  const [renewal] = await atStripe(shop).invoicesOf(subscription)
  await shop.sandbox.controls.dashboard.payOutOfBand(renewal?.id ?? '')
  await shop.advance(30, 'day')
  await logIn(buyer)
  const { refund, owed, owedAfterSettling } = await owedAfterNotice(buyer)
  expect(owed).toMatchObject([{ status: 'cancelled', failedRefunds: refund, refundedAmount: 0 }])
  expect(owedAfterSettling).toEqual([])
})

test('a promised refund becomes the seller’s task if the bank has returned an earlier refund', async () => {
  const buyer = await buyRenewedYear(30)
  const { id } = buyer
  const admin = await shop.admin()
  await admin.call(purchasesAdmin.refund, { id, amount: 5000, refundedSoFar: 0, keepAccess: true })
  await shop.settle()
  const [partialRefund] = await shop.connection.db.select().from(refunds).where(eq(refunds.amount, 5000))
  await shop.sandbox.controls.failRefund(partialRefund?.id ?? '')
  await shop.settle()
  await admin.call(purchasesAdmin.settleRefunds, { id, amount: 5000 })
  const { refund, owed, owedAfterSettling } = await owedAfterNotice(buyer)
  expect(owed).toMatchObject([{ status: 'cancelled', failedRefunds: refund, refundedAmount: 0 }])
  expect(owedAfterSettling).toEqual([])
})

test('the unused days are refunded, even if Stripe doesn’t shorten the ended period', async () => {
  await shop.sandbox.controls.behave({ shortens: false })
  const { call, id, readPurchase } = await buyRenewedYear(60)
  const { refund } = await call(purchases.cancellation, { id })
  await call(purchases.cancel, { id })
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await shop.settle()
  expect(await readPurchase()).toMatchObject({ status: 'cancelled', refundedAmount: refund })
  await shop.sandbox.controls.behave({ shortens: true })
})

test('a refund for unused days is between 0 and the payment, and never grows from day to day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999_999 }),
      fc.date({ min: new Date('2025-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
      fc.integer({ min: 0, max: 366 * dayMs }),
      (amount, until, unusedMs) => {
        const endsAt = new Date(until.getTime() - unusedMs)
        const year = { from: addMonths(until, -12), until, amount }
        const refund = refundForUnusedDays(year, endsAt)
        expect(Number.isInteger(refund)).toBe(true)
        expect(refund).toBeGreaterThanOrEqual(0)
        expect(refund).toBeLessThanOrEqual(amount)
        expect(refundForUnusedDays(year, new Date(endsAt.getTime() + dayMs))).toBeLessThanOrEqual(refund)
        expect(refundForUnusedDays(year, until)).toBe(0)
      },
    ),
  )
})
