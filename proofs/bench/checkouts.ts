import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import type { LabShop } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { cpuMicros, timed } from '../lab/measures.ts'
import { type Bench, type Line, line } from './compare.ts'

export async function openBuyers(shop: LabShop, count: number) {
  const { buy } = await openBuyersApi(shop)
  return concurrently(count, async (number) => {
    const buyer = createVisitor(shop.url)
    const email = `buyer-${number}@lab.example`
    await buyer.call(accounts.register, { name: 'Buyer', email, password: 'a long password for the lab' })
    await buy(buyer)
    return buyer
  })
}

/** Turns off the sandbox's delays, so that only the shop is measured. */
async function openBuyersApi(shop: LabShop) {
  await shop.query(`update sandbox.settings set quirks = quirks || '{"lag": {"from": 0, "to": 0}}'::jsonb`)
  const [settings] = await shop.query<{ key: string }>('select publishable_key as key from sandbox.settings')
  return createBuyers({ url: shop.url, publishableKey: () => settings?.key ?? '' })
}

let guests = 0

async function letGuestsBuy(shop: LabShop, guestsAtOnce: number, shouldContinue: () => boolean) {
  const buyers = await openBuyersApi(shop)
  const milliseconds: { intents: number[]; confirmations: number[] } = { intents: [], confirmations: [] }
  await concurrently(guestsAtOnce, async () => {
    while (shouldContinue()) {
      const visitor = createVisitor(shop.url)
      guests += 1
      const email = `guest-${guests}@bench.example`
      const [order, intentMs] = await timed(() => buyers.begin(visitor, { email }))
      await buyers.pay(order)
      const { paymentIntentId } = order
      await visitor.call(checkout.guestPurchaseLogin, { paymentIntentId })
      const [, confirmationMs] = await timed(() => visitor.call(checkout.confirm, { paymentIntentId }))
      milliseconds.intents.push(intentMs)
      milliseconds.confirmations.push(confirmationMs)
    }
  })
  return milliseconds
}

export async function measureCheckouts({ shop, seconds }: Bench): Promise<Line[]> {
  const before = cpuMicros(shop.pid())
  const end = performance.now() + seconds * 3000
  const { intents, confirmations } = await letGuestsBuy(shop, 8, () => performance.now() < end)
  const purchaseCount = confirmations.length
  const p99 = (times: number[]) => (times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0).toFixed(0)
  const cpuMsEach = (cpuMicros(shop.pid()) - before) / 1000 / Math.max(1, purchaseCount)
  const booked = await shop.query(
    `select 1 from purchases p join users u on u.id = p.user_id where u.email like '%@bench.example'`,
  )
  return [
    line(
      'checkout, intent + confirmation, including the sandbox',
      `${(purchaseCount / (seconds * 3)).toFixed(0)} purchases/s, ${cpuMsEach.toFixed(1)} ms CPU each; p99: intent ${p99(intents)} ms, confirmation ${p99(confirmations)} ms`,
      'one purchase per payment',
      booked.length === purchaseCount,
    ),
  ]
}
