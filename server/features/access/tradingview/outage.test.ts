import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'

let shop: ConnectedShop
beforeAll(async () => {
  shop = await openConnectedShop()
})
afterAll(() => shop.close())

/** Adds people who have had access for a while and are due for a sync, as after a long outage. */
async function makeDue(prefix: string, count: number) {
  const { pool } = shop.connection
  const at = shop.clock.now()
  const until = new Date(at.getTime() + 30 * 86_400_000)
  await pool.query(
    `insert into users (email, name) select $1 || n || '@example.com', $1 || n from generate_series(1, $2) n`,
    [prefix, count],
  )
  await pool.query(
    `insert into access (user_id, product_id, reason, until, name_key, unlocked_name, name_checked_at, state)
     select id, $2, 'renews', $3, name, name, $4, 'unlocked' from users where starts_with(name, $1)`,
    [prefix, reboundSigmaPro.id, until, at],
  )
  await pool.query(
    `insert into tv_people (script_id, username_key, username, user_id, is_ours, is_present, present_until, next_try_at)
     select s.id, u.name, u.name, u.id, true, true, $2, $3 from tv_scripts s, users u where starts_with(u.name, $1)`,
    [prefix, until, at],
  )
}

async function countJobs(): Promise<number> {
  const { rows } = await shop.connection.pool.query<{ count: number }>(
    `select count(*)::int from jobs.job where name in ('tradingview-person', 'tradingview-return')`,
  )
  return rows[0]?.count ?? 0
}

const countCalls = async () => (await shop.tradingViewStandIn.controls.calls()).length

const runDueSchedule = async () => {
  await shop.queue.runNow('tradingview-due')
  await shop.queue.waitUntilIdle()
}

/** Advances the clock and starts what is due; every sixth time, the minute schedule runs, too. */
async function advanceTenSeconds(n: number) {
  shop.clock.advance({ minutes: 1 / 6 })
  await shop.connection.pool.query(
    `update jobs.job set start_after = now() where name = 'tradingview-return' and state < 'active'`,
  )
  if (n % 6 === 5) await shop.queue.runNow('tradingview-due')
  await shop.queue.waitUntilIdle()
}

test('while TradingView is slow, the schedule queues each person once', async () => {
  await makeDue('slow_', 20)
  await shop.connection.db.transaction(async (tx) => {
    // Holds the users' locks, so that every sync takes as long as this transaction.
    await tx.execute('select 1 from users for update')
    for (let minute = 0; minute < 5; minute++) {
      shop.clock.advance({ minutes: 1 })
      await shop.queue.runNow('tradingview-due')
    }
    // One job for each person, and one more for each of the two whose jobs are running.
    expect(await countJobs()).toBeLessThanOrEqual(20 + 2)
  })
  await shop.queue.waitUntilIdle()
})

test('while TradingView answers only probes, one person at a time is synced', async () => {
  await makeDue('half_', 20)
  await shop.tradingViewStandIn.controls.behave({ always: 'error', on: '/pine_perm/' })
  await runDueSchedule()
  const jobsBefore = await countJobs()
  for (let n = 0; n < 6; n++) await advanceTenSeconds(n)
  expect((await countJobs()) - jobsBefore).toBeLessThan(10)
  await shop.tradingViewStandIn.controls.behave({})
  await advanceTenSeconds(0)
})

test('an outage of five minutes with 100 people due: few jobs, a probe every ten seconds, and the new buyer is unlocked first', async () => {
  await makeDue('due_', 100)
  const { controls } = shop.tradingViewStandIn
  const [jobs, calls, downSinceMs] = [await countJobs(), await countCalls(), shop.clock.now().getTime()]
  await controls.behave({ always: 'error' })
  await runDueSchedule()
  const buyer = await shop.namedBuyer('just_in_time')
  for (let n = 0; n < 30; n++) {
    await advanceTenSeconds(n)
    // Simulates another process that runs its schedule too early.
    if (n % 10 === 0) await runDueSchedule()
    const probes = Math.ceil((shop.clock.now().getTime() - downSinceMs) / 10_000)
    // Two workers with two scripts each may have had calls under way when the outage began.
    expect((await countCalls()) - calls).toBeLessThanOrEqual(4 + probes)
  }
  expect(await buyer.call(access.mine, {})).toMatchObject([{ state: 'unlocking' }])

  await controls.behave({})
  const callsBefore = await countCalls()
  await advanceTenSeconds(0)
  expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  // At one call per second, the new buyer is unlocked within 15 seconds.
  const newCalls = (await controls.calls()).slice(callsBefore)
  const lastUnlock = newCalls.findLastIndex(({ call, username }) => call === 'add' && username === 'just_in_time')
  expect(lastUnlock).toBeLessThan(15)
  // At most one job for each person, and one for each probe.
  expect((await countJobs()) - jobs).toBeLessThan(100 + 60)
})
