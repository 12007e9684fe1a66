import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tradingView } from '#contract/access/tradingview.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

const day = 86_400_000

let shop: ConnectedShop
let admin: Visitor
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
  admin = await shop.admin()
  await shop.lookAlike.controls.letIn(shop.lookAlike.scripts.indicator, 'a_stranger_here')
})
afterAll(() => shop.close())

type Person = {
  visitor: Visitor
  userId: string
  login: { email: string; password: string }
  names: string[]
  purchase?: { id: string; paymentIntentId: string | null }
  disputes: string[]
}

const bookedByHand = {
  productId: reboundSigmaPro.id,
  billingType: 'monthly',
  amount: 3900,
  status: 'active',
} as const

/** What cannot be done at this moment is refused; that is fine here. */
const attempt = (work: Promise<unknown>) => work.catch(() => undefined)

/** What happens to one person. */
const events = {
  async buy(person: Person) {
    person.purchase = await shop.buy(person.visitor)
  },
  byHand: ({ userId }: Person) => admin.call(purchases.adminAdd, { userId, ...bookedByHand }),
  gift: ({ userId }: Person) =>
    admin.call(purchases.adminAdd, {
      userId,
      ...bookedByHand,
      kind: 'gift',
      endsAt: new Date(shop.clock.now().getTime() + 10 * day).toISOString(),
    }),
  async name(person: Person) {
    const [access] = await person.visitor.call(tradingView.mine, {})
    if (!access) return
    const username = `p${randomUUID().replaceAll('-', '')}`
    person.names.push(username)
    await person.visitor.call(tradingView.changeUsername, { purchaseId: access.purchaseId, username })
  },
  cancel: ({ visitor, purchase }: Person) => visitor.call(purchases.cancel, { id: purchase?.id ?? '' }),
  resume: ({ visitor, purchase }: Person) => visitor.call(purchases.resume, { id: purchase?.id ?? '' }),
  end: ({ purchase }: Person) => admin.call(purchases.adminCancel, { id: purchase?.id ?? '' }),
  refund: ({ purchase }: Person) =>
    admin.call(purchases.adminRefund, { id: purchase?.id ?? '', refundedSoFar: 0 }),
  async dispute({ purchase, disputes }: Person) {
    disputes.push((await shop.sandbox.controls.openDispute(purchase?.paymentIntentId ?? '')).id)
  },
  win: ({ disputes }: Person) => shop.sandbox.controls.closeDispute(disputes.pop() ?? '', 'won'),
  lose: ({ disputes }: Person) => shop.sandbox.controls.closeDispute(disputes.pop() ?? '', 'lost'),
  noMoney: ({ visitor, purchase }: Person) =>
    shop.changeCard(visitor, purchase?.id ?? '', 'pm_card_chargeCustomerFail'),
  leave: ({ userId }: Person) => admin.call(accounts.adminDelete, { id: userId }),
  /** The seller's own hand on TradingView. */
  async throwOut({ names }: Person) {
    const { controls, scripts } = shop.lookAlike
    await controls.throwOut(scripts.indicator, names.at(-1) ?? '')
  },
  async redate({ names }: Person) {
    const { controls, scripts } = shop.lookAlike
    const name = names.at(-1)
    const isThere = (await controls.people(scripts.strategy)).some(({ username }) => username === name)
    if (name && isThere)
      await controls.letIn(scripts.strategy, name, new Date(shop.clock.now().getTime() + day))
  },
  month: () => shop.advance(1, 'month'),
  week: () => shop.advance(7, 'day'),
  crash: async () => void (crashes += 1),
  logOut: () => shop.lookAlike.controls.endSession(),
}
const faults = ['limit', 'error', 'drop', 'pretend', 'broken', 'odd', 'html', 'robot', 'none'] as const

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constantFrom('buy' as const, 'name' as const), who: fc.nat(2) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constantFrom(...(Object.keys(events) as (keyof typeof events)[])),
      who: fc.nat(2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom(...faults.map((fault) => `fault ${fault}`)) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function live(steps: Step[]): Promise<Person[]> {
  const people: Person[] = []
  for (let n = 0; n < 3; n++) {
    const { user, password, ...visitor } = await shop.user()
    const login = { email: user.email, password }
    people.push({ visitor, userId: user.id, login, names: [], disputes: [] })
  }
  for (const each of steps) {
    const person = 'who' in each ? people[each.who] : undefined
    if ('who' in each && person) {
      await attempt(Promise.resolve(events[each.what](person)))
      if (each.what === 'month' || each.what === 'week') await logInAgain(people)
    } else
      await shop.lookAlike.controls.behave({
        always: each.what.replace('fault ', '') as (typeof faults)[number],
        rate: 0.4,
      })
  }
  return people
}

/** No one stays logged in for so long. */
async function logInAgain(people: Person[]) {
  admin = await shop.admin()
  for (const { visitor, login } of people) await attempt(visitor.call(accounts.login, login))
}

/** The faults end, a lost session is renewed, and time passes. */
async function quiet() {
  const { controls } = shop.lookAlike
  crashes = 0
  await controls.behave({})
  // What a killed process left is taken up by the next; here its job is tried again.
  await shop.connection.pool.query(`update jobs.job set start_after = now() where state = 'retry'`)
  await shop.settle()
  admin = await shop.admin()
  await controls.logIn()
  const cookies = await controls.cookies()
  await admin.call(tradingViewAdmin.connect, { cookies, host: 'sandbox', accepts: false })
  await shop.advance(61, 'minute')
  await shop.queue.runNow('tradingview-due')
  await shop.settle()
  await shop.queue.runNow('tradingview-reconcile')
  await shop.settle()
}

/** docs/entitlements.md once more, in the test's own words. `undefined`: nothing; null: no end. */
async function paidUntil(userId: string): Promise<Date | null | undefined> {
  const { rows } = await shop.connection.pool.query<{
    until: Date | null
    is_disputed: boolean
    held: Date | null
  }>(
    `select is_disputed, e.until as held, case status
         when 'active' then coalesce(ends_at, current_period_end + interval '3 days')
         when 'pending_cancel' then coalesce(ends_at, current_period_end)
         when 'past_due' then past_due_since + interval '14 days' end as until
     from purchases p join users u on u.id = p.user_id left join entitlements e on e.user_id = p.user_id
     where p.user_id = $1 and u.deleted_at is null and not (is_disputed and e.reason is null) and status in ('active', 'pending_cancel', 'past_due')`,
    [userId],
  )
  if (rows.length === 0) return undefined
  // What an open dispute leaves depends on what was there; the books have it.
  const ends = rows.map((row) => (row.is_disputed ? row.held : row.until))
  if (ends.includes(null)) return null
  return new Date(Math.max(...ends.map((end) => end?.getTime() ?? 0)))
}

async function check(people: Person[]) {
  const { controls, scripts } = shop.lookAlike
  const { rows: claimed } = await shop.connection.pool.query<{
    user_id: string
    username_key: string | null
  }>('select user_id, username_key from entitlements')
  for (const pineId of [scripts.indicator, scripts.strategy]) {
    const listed = new Map((await controls.people(pineId)).map((row) => [row.username, row.expiration]))
    for (const { userId, names } of people) {
      const until = await paidUntil(userId)
      const isPaid = until !== undefined && (until === null || until > shop.clock.now())
      const current = claimed.find((row) => row.user_id === userId)?.username_key
      for (const name of names) {
        const isDue = isPaid && name === current
        const wrongBy = isDue ? Math.abs(Number(listed.get(name)) - Number(until)) : 0
        expect([name, listed.has(name), wrongBy < 60_000]).toEqual([name, isDue, true])
      }
    }
  }
  const changes = await shop.changes()
  const named = (call: string) =>
    new Set(changes.filter((each) => each.call === call).map(({ username }) => username ?? ''))
  const [added, removed, redated] = [named('add'), named('remove'), named('modify_user_expiration')]
  // No one is let in who did not claim the name here, and no one removed or redated whom the shop did not let in.
  expect([...added].filter((name) => !/^p[0-9a-f]{32}$/.test(name))).toEqual([])
  expect([...removed, ...redated].filter((name) => !added.has(name))).toEqual([])
}

test('whatever happens, TradingView ends up with exactly what is paid for, and nobody else is ever touched', async () => {
  const before: Person[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const people = await live(steps)
      await quiet()
      await check([...people, ...before])
      // They leave, and the next round looks at that.
      for (const { userId } of people) await attempt(admin.call(accounts.adminDelete, { id: userId }))
      before.splice(0, before.length, ...people)
    }),
    { numRuns: Number(process.env.RUNS ?? 8), endOnFailure: true },
  )
})

test('two processes on one name agree in the end', async () => {
  await using second = await openConnectedShop({
    databaseUrl: shop.config.databaseUrl ?? '',
    startsAt: shop.clock.now(),
    env: { DATA_DIR: shop.config.dataDir },
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
})
