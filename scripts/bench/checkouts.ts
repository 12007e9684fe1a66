import { checkout } from '#contract/checkout.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import type { Victim } from '../faults/victim.ts'
import { cpuMicros } from './measure.ts'
import type { Bench } from './requests.ts'
import type { Line } from './table.ts'

export async function buyersAt(shop: Victim) {
  const [keys] = await shop.query<{ key: string }>('select publishable_key as key from sandbox.settings')
  return createBuyers(shop.url, () => keys?.key ?? '')
}

/** Guests who buy, several at once: the intent, the card at the sandbox, the confirmation. */
export async function checkouts({ shop, seconds }: Bench): Promise<Line[]> {
  const buyers = await buyersAt(shop)
  const times: Record<'intent' | 'confirm', number[]> = { intent: [], confirm: [] }
  const timed = async <Result>(what: keyof typeof times, work: Promise<Result>) => {
    const begun = performance.now()
    const result = await work
    times[what].push(performance.now() - begun)
    return result
  }
  const before = cpuMicros(shop.pid())
  const end = performance.now() + seconds * 3000
  let bought = 0

  async function guests(lane: number) {
    while (performance.now() < end) {
      const visitor = createVisitor(shop.url)
      const email = `bench-${lane}-${bought}-${Math.round(performance.now())}@example.com`
      const begun = await timed('intent', buyers.begin(visitor, { email }))
      await buyers.pay(begun)
      const { paymentIntentId } = begun
      await visitor.call(checkout.guestPurchaseLogin, { paymentIntentId })
      await timed('confirm', visitor.call(checkout.confirm, { paymentIntentId }))
      bought += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, lane) => guests(lane)))

  const p99 = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0
  const each = (cpuMicros(shop.pid()) - before) / 1000 / Math.max(1, bought)
  const purchases = await shop.query(
    `select 1 from purchases p join users u on u.id = p.user_id where u.email like 'bench-%'`,
  )
  return [
    {
      what: 'checkout, intent + confirmation, the sandbox included',
      figure: `${(bought / (seconds * 3)).toFixed(0)} purchases/s, ${each.toFixed(1)} ms CPU each; p99 of the intent ${p99(times.intent).toFixed(0)} ms, of the confirmation ${p99(times.confirm).toFixed(0)} ms`,
      budget: 'every payment one purchase',
      ok: purchases.length === bought,
    },
  ]
}
