import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createLedger, type Movement } from './ledger.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const hourMs = 3_600_000
const start = new Date('2026-01-01T00:00:00Z').getTime()
const hourOf = (hour: number) => new Date(start + hour * hourMs)
const hours = 10

/** A change of a purchase's annual revenue, some seconds after a full hour; 0 is a month at 100 % off or a pause. */
const change = fc.record({
  hour: fc.nat(hours - 1),
  seconds: fc.constantFrom(0, 30, 90),
  arr: fc.constantFrom(0, 39_000, 46_800),
  isPause: fc.boolean(),
})
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never
/** A purchase as Stripe tells it at some time; a later story replaces it. */
const story = fc.record({ changes: fc.array(change, { maxLength: 4 }), ends: fc.boolean() })
const recordings = fc.array(fc.record({ purchase: fc.nat(2), story }), { minLength: 1, maxLength: 6 })

function movementsOfStory({ changes, ends }: { changes: Change[]; ends: boolean }): Movement[] {
  const times = changes.map(({ hour, seconds, ...rest }) => ({
    ...rest,
    at: new Date(hourOf(hour).getTime() + seconds * 1000),
  }))
  const ordered = times.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const movements: Movement[] = []
  for (const { at, arr, isPause } of ordered) {
    const last = movements.at(-1)
    const arrBefore = last?.arrAfter ?? 0
    if (arr === arrBefore || last?.at.getTime() === at.getTime()) continue
    const cause = arr === 0 && isPause ? 'pause' : last ? 'discount' : 'bought'
    const source = `${cause} ${at.toISOString()}`
    movements.push({ source, at, arrBefore, arrAfter: arr, cause, billingType: 'monthly' })
  }
  const last = movements.at(-1)
  if (last && ends && isCustomerAfter(last)) {
    const end = { source: 'end', at: hourOf(hours), arrBefore: last.arrAfter, arrAfter: 0, cause: 'cancelled' } as const
    movements.push({ ...end, billingType: 'monthly' })
  }
  return movements
}

const isCustomerAfter = ({ arrAfter, cause }: Movement) => arrAfter > 0 || cause === 'discount'

async function addPerson() {
  const { rows } = await shop.connection.pool.query<{ id: string }>(
    'insert into users (email, name) values ($1, $2) returning id',
    [`${randomUUID()}@example.com`, 'Ada'],
  )
  return rows[0]?.id ?? ''
}

test('however purchases are recorded and corrected, a person counts once while one of them runs', async () => {
  const ledger = createLedger({ db: shop.connection.db, now: () => hourOf(hours + 1) })
  const countedAt = async (userId: string, at: Date) => {
    const { rows } = await shop.connection.pool.query<{ people: number }>(
      'select coalesce(sum(people), 0)::int as people from mrr_movements where user_id = $1 and at < $2',
      [userId, at],
    )
    return rows[0]?.people
  }
  await fc.assert(
    fc.asyncProperty(recordings, async (recorded) => {
      const userId = await addPerson()
      const latest = new Map<number, Movement[]>()
      const ids = [randomUUID(), randomUUID(), randomUUID()]
      for (const { purchase, story: told } of recorded) {
        const movements = movementsOfStory(told)
        latest.set(purchase, movements)
        const row = { id: ids[purchase] ?? '', userId, productId: reboundSigmaPro.id }
        await shop.connection.db.transaction((tx) => ledger.record(tx, row, movements))
      }
      for (let hour = 0; hour <= hours; hour++) {
        const time = new Date(hourOf(hour).getTime() + hourMs / 2)
        const runs = [...latest.values()].some((movements) => {
          const last = movements.findLast(({ at }) => at < time)
          return last !== undefined && isCustomerAfter(last)
        })
        expect({ hour, people: await countedAt(userId, time) }).toEqual({ hour, people: runs ? 1 : 0 })
      }
    }),
    { numRuns: 100 },
  )
})

test('movements are deleted after ten years, those of purchases that ran at the same time only together', async () => {
  const { db } = shop.connection
  const now = shop.clock.now()
  const yearsAgo = (years: number) => new Date(Date.UTC(now.getUTCFullYear() - years, 5))
  const ledger = createLedger({ db, now: () => now })
  /** Each run is the years in which a purchase began and ended, counted back from today. */
  const recordRuns = async (runs: [began: number, ended?: number][]) => {
    const userId = await addPerson()
    for (const [began, ended] of runs) {
      const purchase = { id: randomUUID(), userId, productId: reboundSigmaPro.id }
      const common = { billingType: 'yearly' as const, arrBefore: 0, arrAfter: 39_000 }
      const movements: Movement[] = [{ ...common, source: 'booked', at: yearsAgo(began), cause: 'bought' }]
      if (ended !== undefined)
        movements.push({
          ...common,
          source: 'end',
          at: yearsAgo(ended),
          cause: 'cancelled',
          arrBefore: 39_000,
          arrAfter: 0,
        })
      await db.transaction((tx) => ledger.record(tx, purchase, movements))
    }
    return userId
  }
  const left = await recordRuns([[14, 12]])
  const returned = await recordRuns([[14, 12], [3]])
  const overlapping = await recordRuns([[14, 12], [13]])
  const overlappingAndLeft = await recordRuns([
    [14, 12],
    [13, 11],
  ])
  await shop.queue.runNow('forget-old-movements')
  /** Null without a row. */
  const peopleOf = async (userId: string) => {
    const { rows } = await shop.connection.pool.query(
      'select sum(people)::int as people from mrr_movements where user_id = $1',
      [userId],
    )
    return rows[0]?.people
  }
  expect(await peopleOf(left)).toBeNull()
  expect(await peopleOf(overlappingAndLeft)).toBeNull()
  expect(await peopleOf(overlapping)).toBe(1)
  expect(await peopleOf(returned)).toBe(1)
})
