import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { overview } from '#contract/desk/overview.ts'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { purchases, users } from '#server/database/schema.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

let shop: TestShop
let admin: Awaited<ReturnType<TestShop['admin']>>
let userId: string
beforeAll(async () => {
  shop = await openShop()
  admin = await shop.admin()
  const [user] = await shop.connection.db
    .insert(users)
    .values({ email: 'o@example.com', name: 'O' })
    .returning()
  userId = user?.id ?? ''
})
afterAll(() => shop.close())
beforeEach(async () => {
  await shop.connection.db.delete(purchases)
})

type Row = typeof purchases.$inferSelect
const isLive = ({ status }: Row) => ['active', 'pending_cancel', 'past_due'].includes(status)

/** The same figures, the slow way: by looking at every purchase at the end of every month. */
function figuresOf(rows: Row[], now: Date) {
  const begunBy = (row: Row, end: Date) => row.createdAt < end && (isLive(row) || row.endedAt !== null)
  const endOf = (row: Row) =>
    isLive(row) || !row.endedAt ? null : new Date(Math.max(row.endedAt.getTime(), row.createdAt.getTime()))
  return Array.from({ length: 12 }, (_, index) => {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index))
    const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 10 + index))
    const liveAt = (moment: Date) =>
      rows.filter((row) => begunBy(row, moment) && !((endOf(row) ?? moment) < moment))
    const within = (moment: Date | null) => moment !== null && moment >= start && moment < end
    const lost = rows.filter((row) => within(endOf(row))).length
    const before = liveAt(start).length
    const perYear = liveAt(end).reduce(
      (sum, row) => sum + BigInt(row.price) * (row.billingType === 'monthly' ? 12n : 1n),
      0n,
    )
    return {
      month: start.toISOString().slice(0, 7),
      revenue: Number((perYear + 6n) / 12n),
      active: liveAt(end).length,
      begun: rows.filter((row) => within(row.createdAt) && begunBy(row, end)).length,
      lost,
      churn: before > 0 ? Math.round((1000 * lost) / before) / 10 : null,
    }
  })
}

const monthsAgo = fc.integer({ min: 0, max: 20 * 30 * 24 }).map((hours) => hours * 3_600_000)
const history = fc.array(
  fc.record({
    age: monthsAgo,
    endedAfter: fc.option(monthsAgo),
    amount: fc.integer({ min: 0, max: 99_999_999 }),
    billingType: fc.constantFrom('monthly' as const, 'yearly' as const),
    status: fc.constantFrom('active', 'pending_cancel', 'past_due', 'cancelled', 'expired' as const),
    afterwards: fc.constantFrom('stays', 'ends', 'changes amount', 'is deleted', 'returns'),
  }),
  { maxLength: 25 },
)

describe('the overview', () => {
  test('matches the purchases to the cent, whatever happened to them', async () => {
    const { db } = shop.connection
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (events, addedUp) => {
        await db.delete(purchases)
        const now = shop.clock.now()
        for (const event of events) {
          const createdAt = new Date(now.getTime() - event.age)
          const endedAt =
            event.endedAfter === null
              ? null
              : new Date(Math.min(createdAt.getTime() + event.endedAfter, now.getTime()))
          const { amount, billingType, status } = event
          const [row] = await db
            .insert(purchases)
            .values({
              userId,
              productId: reboundSigmaPro.id,
              billingType,
              price: amount,
              status,
              createdAt,
              endedAt,
            })
            .returning()
          const here = sql`${purchases.id} = ${row?.id}`
          if (event.afterwards === 'ends')
            await db.update(purchases).set({ status: 'cancelled', endedAt: now }).where(here)
          if (event.afterwards === 'changes amount') await db.update(purchases).set({ price: 1 }).where(here)
          if (event.afterwards === 'is deleted') await db.delete(purchases).where(here)
          if (event.afterwards === 'returns')
            await db.update(purchases).set({ status: 'active', endedAt: null }).where(here)
        }
        if (addedUp) await shop.queue.runNow('add-up-subscription-movements')
        const { months, failedPayments } = await admin.call(overview.adminShow, {})
        const rows = await db.select().from(purchases)
        expect(months).toEqual(figuresOf(rows, now))
        expect(failedPayments).toBe(rows.filter(({ status }) => status === 'past_due').length)
      }),
      { numRuns: 40 },
    )
  })

  test('still matches after many changes in one statement and across a year’s end', async () => {
    const { db } = shop.connection
    await shop.connection.pool.query(
      `insert into purchases (user_id, product_id, billing_type, price, status, created_at)
       select $1, $2, case when n % 3 = 0 then 'yearly' else 'monthly' end, 3900 + n, 'active', now() - n * interval '5 hours'
       from generate_series(0, 2000) n`,
      [userId, reboundSigmaPro.id],
    )
    await db.execute(sql`update purchases set status = 'expired', ended_at = now() where price % 7 = 0`)
    await db.execute(sql`delete from purchases where price % 11 = 0`)
    const { months } = await admin.call(overview.adminShow, {})
    expect(months).toEqual(figuresOf(await db.select().from(purchases), shop.clock.now()))
  })

  test('merges into one row per month and billing type without losing anything', async () => {
    await shop.queue.runNow('add-up-subscription-movements')
    const { rows } = await shop.connection.pool.query(
      'select count(*)::int as rows, count(distinct (month, billing_type))::int as months from subscription_movements',
    )
    expect(rows[0]?.rows).toBe(rows[0]?.months)
  })
})
