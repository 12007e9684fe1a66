import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { addMonths } from '#contract/plans.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { refundForUnusedDays } from '../invoices/invoices.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => shop.stopBilling())
afterAll(() => shop.close())

const day = 86_400_000
const cents = (amount: number) => `$${(amount / 100).toFixed(2)}`

const startOfYear = (end: string | null) => {
  const start = new Date(end ?? '')
  return start.setUTCFullYear(start.getUTCFullYear() - 1)
}

/** A yearly buyer some days into their second year. */
async function renewed(days: number) {
  const buyer = await shop.buyer({ billing: 'yearly' })
  await shop.advance(1, 'year')
  await shop.advance(days, 'day')
  const owned = async () => {
    await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
    const [purchase] = await buyer.call(purchases.list, {})
    if (!purchase) throw new Error('It is gone')
    return purchase
  }
  return { ...buyer, id: buyer.purchase.id, owned }
}

test('a renewed year ends with one month’s notice, and the rest is paid back to the day, once', async () => {
  const { call, id, owned, user } = await renewed(60)
  const before = await owned()
  const offered = await call(purchases.cancellation, { id })
  const left = (Date.parse(before.currentPeriodEnd ?? '') - Date.parse(offered.endsAt ?? '')) / day
  expect(Math.round(left)).toBeGreaterThanOrEqual(273)
  expect(Math.round(left)).toBeLessThanOrEqual(277)
  const year = (Date.parse(before.currentPeriodEnd ?? '') - startOfYear(before.currentPeriodEnd)) / day
  expect(offered.refund).toBe(Math.round((39_000 * Math.ceil(left)) / year))

  await call(purchases.cancel, { id })
  expect(await owned()).toMatchObject({ status: 'pending_cancel', refundedAmount: 0 })
  const told = (await shop.mails()).findLast(({ to }) => to === user.email)
  expect(told?.text).toContain(`Refund: ${cents(offered.refund)}`)

  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await shop.queue.runNow('reconcile')
  await shop.settle()
  expect(await owned()).toMatchObject({
    status: 'cancelled',
    endedBecause: 'cancelled',
    refundedAmount: offered.refund,
  })
  await shop.queue.runNow('reconcile')
  await shop.settle()
  expect(await owned()).toMatchObject({ refundedAmount: offered.refund })
})

test('who changes their mind before that day keeps the year and the money stays', async () => {
  const { call, id, owned } = await renewed(10)
  await owned()
  await call(purchases.cancel, { id })
  await call(purchases.resume, { id })
  const { status, currentPeriodEnd } = await owned()
  expect(status).toBe('active')
  await shop.advance(40, 'day')
  await shop.settle()
  expect(await owned()).toMatchObject({ status: 'active', currentPeriodEnd, refundedAmount: 0 })
})

test('the first year runs to its end, as the buyer chose', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { id, currentPeriodEnd } = buyer.purchase
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: currentPeriodEnd, refund: 0 })
  await buyer.call(purchases.cancel, { id })
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ endsAt: currentPeriodEnd }])
})

test('time that the seller gave is no renewal: the first year stays the first, and is not paid back', async () => {
  const buyer = await shop.buyer({ billing: 'yearly' })
  const { id, currentPeriodEnd } = buyer.purchase
  const admin = await shop.admin()
  const until = new Date(Date.parse(currentPeriodEnd ?? '') + 31 * day)
  await admin.call(purchases.adminExtend, { id, until: until.toISOString().slice(0, 10) })
  await shop.advance(32, 'day')
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
  const [extended] = await buyer.call(purchases.list, {})
  expect(await buyer.call(purchases.cancellation, { id })).toEqual({ endsAt: extended?.currentPeriodEnd, refund: 0 })
})

test('whether or not Stripe shortens the period that is ended, the rest goes back', async () => {
  await shop.sandbox.controls.behave({ shortens: false })
  const { call, id, owned } = await renewed(60)
  await owned()
  const { refund } = await call(purchases.cancellation, { id })
  await call(purchases.cancel, { id })
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  await shop.settle()
  expect(await owned()).toMatchObject({ status: 'cancelled', refundedAmount: refund })
  await shop.sandbox.controls.behave({ shortens: true })
})

test('what was used and what goes back add up to what was paid, to the cent, on every day of any year', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999_999 }),
      fc.date({ min: new Date('2025-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
      fc.integer({ min: 0, max: 366 * day }),
      (amount, until, before) => {
        const endsAt = new Date(until.getTime() - before)
        const year = { from: addMonths(until, -12), until, amount }
        const back = refundForUnusedDays(year, endsAt)
        expect(Number.isInteger(back)).toBe(true)
        expect(back).toBeGreaterThanOrEqual(0)
        expect(back).toBeLessThanOrEqual(amount)
        // A later day never refunds more, and the last day refunds nothing.
        expect(refundForUnusedDays(year, new Date(endsAt.getTime() + day))).toBeLessThanOrEqual(back)
        expect(refundForUnusedDays(year, until)).toBe(0)
      },
    ),
  )
})
