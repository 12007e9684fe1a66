import { afterAll, beforeAll, expect, test } from 'vitest'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { declared, storedDeclaration } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

const intentOf = ({ purchase }: Buyer) => purchase.paymentIntentId ?? ''

const notesOf = async (buyer: Buyer) =>
  (await buyer.call(purchases.invoices, { id: buyer.purchase.id }))
    .filter(({ kind }) => kind === 'credit_note')
    .map(({ amount }) => amount)

test('a refund that failed after its credit note: the note covers the next one, and no job fails', async () => {
  const buyer = await shop.buyer()
  const { controls } = shop.sandbox
  const first = await controls.refund(intentOf(buyer), 1000)
  await shop.settle()
  expect(await notesOf(buyer)).toEqual([1000])
  await controls.failRefund(first.id)
  await controls.refund(intentOf(buyer))
  await shop.settle()
  expect((await notesOf(buyer)).toSorted((a, b) => a - b)).toEqual([1000, 2900])
  expect(await shop.queue.failed.count()).toBe(0)
})

test.each([
  ['won', 'Ended at once and refunded in full', 3900],
  ['lost', 'Ended at once. The buyer’s bank has paid back $39.00', 0],
] as const)(
  'a withdrawal from a disputed payment waits for the bank; %s: %s',
  async (end, outcome, refunded) => {
    const buyer = await shop.buyer()
    const { controls } = shop.sandbox
    const dispute = await controls.openDispute(intentOf(buyer))
    const { id } = await buyer.call(declarations.withdraw, declared(buyer.user.email))
    await shop.settle()
    const waiting = { state: 'confirmed', outcome: 'Ended at once. The buyer’s bank decides about $39.00' }
    expect(await storedDeclaration(shop, id)).toMatchObject(waiting)
    expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 0 }])
    await shop.queue.runNow('carry-out-declarations')
    expect(await storedDeclaration(shop, id)).toMatchObject(waiting)

    await controls.closeDispute(dispute.id, end)
    await shop.settle()
    await shop.queue.runNow('carry-out-declarations')
    await shop.settle()
    expect(await storedDeclaration(shop, id)).toMatchObject({ state: 'done', outcome })
    expect(await buyer.call(purchases.list, {})).toMatchObject([{ refundedAmount: refunded }])
    expect(await shop.queue.failed.count()).toBe(0)
  },
)
