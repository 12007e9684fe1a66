import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import type { LabShop } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { cpuMicros, timed } from '../lab/measures.ts'
import { type Bench, type Line, line } from './compare.ts'

export async function openBuyers(shop: LabShop, count: number) {
  const { buy } = await buyersAt(shop)
  return concurrently(count, async (number) => {
    const buyer = createVisitor(shop.url)
    const email = `buyer-${number}@lab.example`
    await buyer.call(accounts.register, { name: 'Buyer', email, password: 'a long password for the lab' })
    await buy(buyer)
    return buyer
  })
}

/** Stripe takes its time with a payment, but we measure the shop. */
async function buyersAt(shop: LabShop) {
  await shop.query(`update sandbox.settings set mischief = mischief || '{"lag": {"from": 0, "to": 0}}'::jsonb`)
  const [settings] = await shop.query<{ key: string }>('select publishable_key as key from sandbox.settings')
  return createBuyers({ url: shop.url, publishableKey: () => settings?.key ?? '' })
}

let guests = 0

async function letGuestsBuy(shop: LabShop, lanes: number, isMore: (turn: number) => boolean) {
  const buyers = await buyersAt(shop)
  const took: { intents: number[]; confirmations: number[] } = { intents: [], confirmations: [] }
  await concurrently(lanes, async () => {
    for (let turn = 0; isMore(turn); turn++) {
      const visitor = createVisitor(shop.url)
      guests += 1
      const email = `guest-${guests}@bench.example`
      const [begun, intent] = await timed(() => buyers.begin(visitor, { email }))
      await buyers.pay(begun)
      const { paymentIntentId } = begun
      await visitor.call(checkout.guestPurchaseLogin, { paymentIntentId })
      const [, confirmation] = await timed(() => visitor.call(checkout.confirm, { paymentIntentId }))
      took.intents.push(intent)
      took.confirmations.push(confirmation)
    }
  })
  return took
}

export async function checkouts({ shop, seconds }: Bench): Promise<Line[]> {
  const before = cpuMicros(shop.pid())
  const end = performance.now() + seconds * 3000
  const { intents, confirmations } = await letGuestsBuy(shop, 8, () => performance.now() < end)
  const bought = confirmations.length
  const p99 = (all: number[]) => (all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0).toFixed(0)
  const each = (cpuMicros(shop.pid()) - before) / 1000 / Math.max(1, bought)
  const booked = await shop.query(
    `select 1 from purchases p join users u on u.id = p.user_id where u.email like '%@bench.example'`,
  )
  return [
    line(
      'checkout, intent + confirmation, including the sandbox',
      `${(bought / (seconds * 3)).toFixed(0)} purchases/s, ${each.toFixed(1)} ms CPU each; p99: intent ${p99(intents)} ms, confirmation ${p99(confirmations)} ms`,
      'one purchase per payment',
      booked.length === bought,
    ),
  ]
}
