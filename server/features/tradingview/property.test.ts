import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reboundSigmaPro } from '#contract/price-list.ts'
import { purchases } from '#contract/purchases.ts'
import { tradingView } from '#contract/tradingview.ts'
import { tradingViewAdmin } from '#contract/tradingview-admin.ts'
import { entitlements } from '#server/database/schema.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import { openShop } from '#server/testing/open-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: ConnectedShop
/** How many of the next changes at TradingView end the process before they are stored. */
let crashes = 0
beforeAll(async () => {
  shop = await openConnectedShop({
    crashPoint: (name) => {
      if (name !== 'tradingview acted' || crashes === 0) return
      crashes -= 1
      throw new Error('killed')
    },
  })
})
afterAll(() => shop.close())

type Person = { visitor: Visitor; userId: string; names: string[]; purchaseId?: string }

const who = fc.nat(2)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('buy' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('name' as const), who }) },
  fc.record({ do: fc.constant('cancel' as const), who }),
  fc.record({ do: fc.constant('resume' as const), who }),
  fc.record({ do: fc.constant('end' as const), who }),
  fc.record({ do: fc.constant('meddle' as const), who }),
  fc.record({ do: fc.constant('crash' as const), who }),
  fc.record({
    do: fc.constant('fault' as const),
    fault: fc.constantFrom('limit', 'error', 'drop', 'pretend', 'broken', 'odd', 'html', 'robot'),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** What cannot be done at this moment is refused; that is fine here. */
const attempt = (work: Promise<unknown>) => work.catch(() => undefined)

async function run(steps: Step[]) {
  const admin = await shop.admin()
  const people: Person[] = []
  for (let n = 0; n < 3; n++) {
    const person = await shop.user()
    people.push({ visitor: person, userId: person.user.id, names: [] })
  }
  const { controls, scripts } = shop.lookAlike
  for (const each of steps) {
    if (each.do === 'fault') {
      await controls.behave({ always: each.fault, rate: 0.4 })
      continue
    }
    const person = people[each.who]
    if (!person) continue
    const { visitor, userId, purchaseId } = person
    if (each.do === 'crash') crashes += 1
    if (each.do === 'buy') {
      const wanted = { userId, productId: reboundSigmaPro.id, billingType: 'monthly' as const, amount: 3900 }
      await attempt(admin.call(purchases.adminAdd, { ...wanted, status: 'active' }))
      const live = (await visitor.call(purchases.list, {})).find(({ status }) => status === 'active')
      if (live) person.purchaseId = live.id
    }
    if (each.do === 'name' && purchaseId) {
      const username = `p${randomUUID().replaceAll('-', '')}`
      person.names.push(username)
      await attempt(visitor.call(tradingView.changeUsername, { purchaseId, username }))
    }
    if (each.do === 'cancel' && purchaseId) await attempt(visitor.call(purchases.cancel, { id: purchaseId }))
    if (each.do === 'resume' && purchaseId) await attempt(visitor.call(purchases.resume, { id: purchaseId }))
    if (each.do === 'end' && purchaseId) await attempt(admin.call(purchases.adminCancel, { id: purchaseId }))
    if (each.do === 'meddle') {
      const name = person.names.at(-1)
      if (name) await controls.throwOut(scripts.indicator, name)
    }
  }
  return people
}

/** The faults end, a lost session is renewed, and time passes. */
async function quiet() {
  const admin = await shop.admin()
  crashes = 0
  await shop.lookAlike.controls.behave({})
  // What a killed process left is taken up by the next; here its job is tried again.
  await shop.connection.pool.query(`update jobs.job set start_after = now() where state = 'retry'`)
  await shop.settle()
  const cookies = await shop.lookAlike.controls.cookies()
  await admin.call(tradingViewAdmin.connect, { cookies, host: 'sandbox', accepts: false })
  for (let round = 0; round < 3; round++) {
    shop.clock.advance({ minutes: 61 })
    await shop.queue.runNow('tradingview-due')
    await shop.settle()
  }
  await shop.queue.runNow('tradingview-reconcile')
  await shop.settle()
}

test('whatever happens, TradingView ends up with exactly what is paid for, and nobody else is ever touched', async () => {
  const { controls, scripts } = shop.lookAlike
  await controls.letIn(scripts.indicator, 'a_stranger_here')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      const people = await run(steps)
      await quiet()
      const wanted = await shop.connection.db.select().from(entitlements)
      for (const pineId of [scripts.indicator, scripts.strategy]) {
        const listed = new Map(
          (await controls.people(pineId)).map(({ username, expiration }) => [
            username.toLowerCase(),
            expiration,
          ]),
        )
        for (const { userId, names } of people) {
          const row = wanted.find((each) => each.userId === userId)
          for (const name of new Set(names)) {
            const isDue = Boolean(row?.reason) && row?.usernameKey === name
            const until = (isDue && row?.until?.getTime()) || 0
            const seen = listed.get(name)?.getTime() ?? 0
            expect([name, listed.has(name), Math.abs(seen - until) < 60_000]).toEqual([name, isDue, true])
          }
        }
      }
      const touched = (await shop.changes()).map(({ username }) => username ?? '')
      expect(touched.filter((name) => name === 'a_stranger_here' || name === 'old_friend_of_mine')).toEqual(
        [],
      )
      // Nobody is removed whom the shop did not add.
      const added = new Set(
        (await shop.changes()).filter(({ call }) => call === 'add').map(({ username }) => username),
      )
      // And nobody is added whose name was not claimed here.
      const ever = [...added].filter((name) => !/^p[0-9a-f]{32}$/.test(name ?? ''))
      expect(ever).toEqual([])
      const removed = (await shop.changes())
        .filter(({ call }) => call === 'remove')
        .map(({ username }) => username)
      expect(removed.filter((name) => !added.has(name))).toEqual([])
    }),
    { numRuns: Number(process.env.RUNS ?? 4), endOnFailure: true },
  )
})

test('two processes on one name agree in the end', async () => {
  const second = await openShop({
    databaseUrl: shop.config.databaseUrl ?? '',
    env: { TRADINGVIEW: 'on', DATA_DIR: shop.config.dataDir },
  })
  const buyer = await shop.namedBuyer('between_two_chairs')
  const { id } = buyer.purchase
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      if (n % 3 === 0) await attempt(buyer.call(tradingView.recheck, { purchaseId: id }))
      else await attempt(buyer.call(n % 2 ? purchases.cancel : purchases.resume, { id }))
    }),
  )
  await attempt(buyer.call(purchases.resume, { id }))
  await second.settle()
  await shop.settle()
  const access = await shop.accessOf(buyer)
  expect(access).toMatchObject({ state: 'unlocked' })
  for (const pineId of Object.values(shop.lookAlike.scripts)) {
    const rows = (await shop.lookAlike.controls.people(pineId)).filter(
      ({ username }) => username === 'between_two_chairs',
    )
    expect(rows.map(({ expiration }) => expiration?.toISOString())).toEqual([access.until])
  }
  await second.close()
})
