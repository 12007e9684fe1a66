import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { migrate } from '#server/database/migrate.ts'
import { type Migration, readMigrations } from '#server/database/migrations.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { fillShop, openLab, size } from './lab/lab.ts'
import { keepDoing } from './lab/load.ts'
import { timed } from './lab/measures.ts'
import { seller } from './lab/shop-process.ts'

/**
 * `npm run proof -- million`: a shop with a million purchases gets a column, an index and a backfill while buyers buy and
 * the seller looks at the list. No call may take longer than a second. `--quick` tries it on a small shop.
 */
const limitMs = 1000
const steps: Migration[] = [
  step('add a column with a default', `alter table purchases add column channel text default 'none'`),
  step('build an index', 'create index concurrently "purchases_by_channel" on purchases (channel, created_at, id)'),
  step(
    'backfill the column in batches',
    `-- in batches
    update purchases set channel = 'web' where id in (select id from purchases where channel = 'none' limit 5000)`,
  ),
]

test('a million purchases are migrated while buyers buy, and no call takes longer than a second', async () => {
  const lab = await openLab()
  onTestFinished(lab.close)
  const shop = await lab.openShop({ LIGHT_HASHING: '1' })
  onTestFinished(shop.close)
  const [, filling] = await timed(async () => fillShop(shop))
  console.log(`filled with ${size.purchases} purchases in ${(filling / 1000).toFixed(0)} s`)
  const [settings] = await shop.query<{ key: string }>('select publishable_key as key from sandbox.settings')
  const { begin, pay } = createBuyers({ url: shop.url, publishableKey: () => settings?.key ?? '' })

  const slowest = new Map<string, number>()
  const failures: string[] = []
  let [calls, bought] = [0, 0]

  /** One call by a visitor, with how long it took. */
  async function call<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const [result, took] = await timed(work)
    calls += 1
    slowest.set(name, Math.max(slowest.get(name) ?? 0, took))
    return result
  }

  const admin = createVisitor(shop.url)
  await admin.call(accounts.login, seller)
  const buyers = keepDoing(4, (buyer) => async (turn) => {
    try {
      const visitor = createVisitor(shop.url)
      const email = `million-${buyer}-${turn}@lab.example`
      await call('register', () =>
        visitor.call(accounts.register, { name: 'Buyer', email, password: 'a long password for the lab' }),
      )
      const begun = await call('begin a checkout', () => begin(visitor))
      await pay(begun)
      const { paymentIntentId } = begun
      const isBooked = () => call('confirm a purchase', () => visitor.isDone(checkout.confirm, { paymentIntentId }))
      while (!(await isBooked())) await sleep(200)
      const [purchase] = await call('list purchases', () => visitor.call(purchases.list, {}))
      await call('cancel a purchase', () => visitor.call(purchases.cancel, { id: purchase?.id ?? '' }))
      bought += 1
    } catch (error) {
      failures.push(String(error))
    }
  })
  const sellers = keepDoing(1, () => async () => {
    await call('the seller’s list', () => admin.call(purchases.adminList, { limit: 100 })).catch((error) =>
      failures.push(String(error)),
    )
    await sleep(100)
  })

  await measured('nothing, for comparison', () => sleep(10_000))
  const known = readMigrations()
  for (const [index, each] of steps.entries())
    await measured(each.tag, () => migrate(shop.databaseUrl, [...known, ...steps.slice(0, index + 1)]))
  await buyers.stop()
  await sellers.stop()
  const [done] = await shop.query<{ left: number; valid: boolean; purchases: number }>(
    `select count(*) filter (where channel = 'none')::int as left, count(*)::int as purchases,
     (select indisvalid from pg_index where indexrelid = 'purchases_by_channel'::regclass) as valid from purchases`,
  )

  const all = Math.max(...slowest.values())
  console.log(
    `${done?.purchases} purchases, index ${done?.valid ? 'valid' : 'invalid'}; ${bought} bought meanwhile, ${calls} calls, ${failures.length} failed, slowest ${all.toFixed(0)} ms`,
  )
  expect({ failures: failures.slice(0, 5), valid: done?.valid }).toEqual({ failures: [], valid: true })
  expect(bought).toBeGreaterThan(0)
  expect(all).toBeLessThan(limitMs)

  /** The slowest call of each kind while this ran. */
  async function measured(name: string, work: () => Promise<unknown>) {
    const before = new Map(slowest)
    slowest.clear()
    const [from, boughtBefore] = [calls, bought]
    const [, took] = await timed(work)
    // A call that has waited is counted when it returns.
    await sleep(1500)
    const shown = [...slowest].map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`).join(', ')
    console.log(
      `${name}: ${(took / 1000).toFixed(1)} s, ${calls - from} calls, ${bought - boughtBefore} purchases; slowest: ${shown}`,
    )
    for (const [what, ms] of before) slowest.set(what, Math.max(slowest.get(what) ?? 0, ms))
  }
})

function step(tag: string, ...statements: string[]): Migration {
  return { tag, hash: tag, when: Date.now(), statements }
}
