import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/accounts.ts'
import { openShop, type TestShop } from '../../testing/open-shop.ts'

/**
 * Whether an address has an account must not be heard from how long the answer takes. A statistical claim, so it is
 * measured as one. The machine may be busy with other tests: therefore known and unknown are called one right after
 * the other, in random order, and the median of 200 such comparisons counts.
 */
const comparisons = 200
const people = 20

let shop: TestShop
let known: string[]
beforeAll(async () => {
  shop = await openShop()
  const made = await Promise.all(Array.from({ length: people }, () => shop.user()))
  known = made.map(({ user }) => user.email)
})
afterAll(() => shop.close())

const calls = {
  'a login': (email: string) =>
    shop
      .visitor()
      .call(accounts.login, { email, password: 'not the password' })
      .catch(() => {}),
  'a request for a reset': (email: string) => shop.visitor().call(accounts.requestPasswordReset, { email }),
}

test.for(Object.entries(calls))(
  '%s takes as long for an unknown address as for a known one',
  { retry: 2, timeout: 300_000 },
  async ([name, call]) => {
    const times: { known: number; unknown: number }[] = []
    for (let round = 0; round < comparisons / people; round++) {
      // Far enough for the limits of each address to be over.
      shop.clock.advance({ minutes: 61 })
      for (const email of known) times.push(await compare(call, email))
    }
    const ratio = medianOf(times.map((pair) => pair.known / pair.unknown))
    process.stdout.write(
      `${name}: known ${medianOf(times.map((pair) => pair.known)).toFixed(1)} ms, unknown ${medianOf(times.map((pair) => pair.unknown)).toFixed(1)} ms, ratio ${ratio.toFixed(3)}\n`,
    )
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThan(1.1)
  },
)

async function compare(call: (email: string) => Promise<unknown>, email: string) {
  const order = [`not-${email}`, email]
  if (Math.random() < 0.5) order.reverse()
  const took = new Map<string, number>()
  for (const address of order) {
    // What the last request has left to do must not slow this one down.
    await shop.queue.idle()
    const started = performance.now()
    await call(address)
    took.set(address, performance.now() - started)
  }
  return { known: took.get(email) ?? 0, unknown: took.get(`not-${email}`) ?? 0 }
}

const medianOf = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
