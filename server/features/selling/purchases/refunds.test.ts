import { afterAll, beforeAll, expect, test } from 'vitest'
import { purchases } from '#contract/selling/purchases.ts'
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
