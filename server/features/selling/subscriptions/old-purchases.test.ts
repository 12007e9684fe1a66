import { expect, test } from 'vitest'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { creditNotes, invoices, orders, payments, purchases, refunds } from '#server/database/schema.ts'
import { openShop } from '#server/testing/open-shop.ts'

test('an ended purchase and its order are deleted ten years later, at the end of the year', async () => {
  await using shop = await openShop()
  const [ended, running] = [await shop.buyer(), await shop.buyer()]
  await (await shop.admin()).call(purchasesAdmin.cancel, { id: ended.purchase.id })
  await shop.settle()
  const listRemaining = async () => {
    for (const job of ['forget-old-purchases', 'forget-unpaid-checkouts']) await shop.queue.runNow(job)
    const { db } = shop.connection
    const ids = { ended: ended.purchase.id, running: running.purchase.id }
    const storedRows = await db.select({ id: purchases.id }).from(purchases)
    const remaining = Object.entries(ids).filter(([, id]) => storedRows.some((row) => row.id === id))
    return { purchases: remaining.map(([name]) => name), orders: await db.$count(orders) }
  }
  const advanceToDay = (year: number, day: number) =>
    shop.clock.advance({ days: (Date.UTC(year, 0, day) - shop.clock.now().getTime()) / 86_400_000 })

  const year = shop.clock.now().getUTCFullYear()
  const lastDayOfYear = 365
  advanceToDay(year + 10, lastDayOfYear)
  expect(await listRemaining()).toEqual({ purchases: ['ended', 'running'], orders: 2 })
  advanceToDay(year + 11, 2)
  expect(await listRemaining()).toEqual({ purchases: ['running'], orders: 1 })
})

test('an old invoice stays while something younger belongs to it, and the others are deleted', async () => {
  await using shop = await openShop()
  const { db } = shop.connection
  const yearsAgo = (years: number) => new Date(shop.clock.now().getTime() - years * 366 * 86_400_000)
  const old = yearsAgo(13)
  const young = yearsAgo(9)
  const addInvoice = async (id: string, { paidAt = old, refundedAt = old, creditedAt = old } = {}) => {
    await db
      .insert(invoices)
      .values({
        id,
        userId: crypto.randomUUID(),
        subscriptionId: 'sub_old',
        status: 'paid',
        collection: 'charge_automatically',
        createdAt: old,
        finalizedAt: old,
        total: 3900,
        tax: 0,
        amountPaid: 3900,
        amountRemaining: 0,
        paidOutOfBand: 0,
        isProration: false,
        credit: 0,
        periodNet: 3900,
      })
    await db.insert(payments).values({ paymentIntentId: `pi_${id}`, invoiceId: id, paidAt, amount: 3900, tax: 0 })
    const refund = { id: `re_${id}`, paymentIntentId: `pi_${id}`, at: refundedAt, amount: 100, status: 'succeeded' }
    await db.insert(refunds).values(refund)
    const creditNote = {
      id: `cn_${id}`,
      invoiceId: id,
      number: id,
      status: 'issued',
      total: 100,
      tax: 0,
      refunded: 100,
    }
    await db.insert(creditNotes).values({ ...creditNote, createdAt: creditedAt })
  }
  await addInvoice('old')
  await addInvoice('paid late', { paidAt: young })
  await addInvoice('refunded late', { refundedAt: young })
  await addInvoice('credited late', { creditedAt: young })
  await shop.queue.runNow('forget-old-purchases')
  const remaining = await db.select({ id: invoices.id }).from(invoices)
  expect(remaining.map(({ id }) => id).toSorted()).toEqual(['credited late', 'paid late', 'refunded late'])
  for (const table of [payments, refunds, creditNotes]) expect(await db.$count(table)).toBe(3)
})
