import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'

let shop: ConnectedShop
beforeAll(async () => {
  shop = await openConnectedShop()
})
afterAll(() => shop.close())

/** People who have had access for long and are due, as after a weekend without a session. */
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

/** How many jobs about TradingView there have been, finished ones included. */
async function countJobs(): Promise<number> {
  const { rows } = await shop.connection.pool.query<{ count: number }>(
    `select count(*)::int from jobs.job where name in ('tradingview-person', 'tradingview-return')`,
  )
  return rows[0]?.count ?? 0
}

const countCalls = async () => (await shop.lookAlike.controls.calls()).length

const look = async () => {
  await shop.queue.runNow('tradingview-due')
  await shop.queue.idle()
}

/** Every sixth time with the look that comes each minute; what was to start by then starts. */
async function tenSecondsPass(n: number) {
  shop.clock.advance({ minutes: 1 / 6 })
  await shop.connection.pool.query(
    `update jobs.job set start_after = now() where name = 'tradingview-return' and state < 'active'`,
  )
  if (n % 6 === 5) await shop.queue.runNow('tradingview-due')
  await shop.queue.idle()
}

test('a slow TradingView gets no more jobs, however often the shop looks who is due', async () => {
  await makeDue('slow_', 20)
  await shop.connection.db.transaction(async (tx) => {
    // Every run takes as long as this.
    await tx.execute('select 1 from users for update')
    for (let minute = 0; minute < 5; minute++) {
      shop.clock.advance({ minutes: 1 })
      await shop.queue.runNow('tradingview-due')
    }
    expect(await countJobs()).toBeLessThanOrEqual(22)
  })
  await shop.queue.idle()
})

test('when only the probe is answered, one person at a time tries', async () => {
  await makeDue('half_', 20)
  await shop.lookAlike.controls.behave({ always: 'error', on: '/pine_perm/' })
  await look()
  const before = await countJobs()
  for (let n = 0; n < 6; n++) await tenSecondsPass(n)
  expect((await countJobs()) - before).toBeLessThan(10)
  await shop.lookAlike.controls.behave({})
  await tenSecondsPass(0)
})

test('100 people due, five minutes closed: few jobs, a probe every ten seconds, and the new buyer first when it is back', async () => {
  await makeDue('due_', 100)
  const { controls } = shop.lookAlike
  const [jobs, calls, closedAt] = [await countJobs(), await countCalls(), shop.clock.now().getTime()]
  await controls.behave({ always: 'error' })
  await look()
  const buyer = await shop.namedBuyer('just_in_time')
  for (let n = 0; n < 30; n++) {
    await tenSecondsPass(n)
    // Simulates another process before its turn.
    if (n % 10 === 0) await look()
    const probes = Math.ceil((shop.clock.now().getTime() - closedAt) / 10_000)
    // Two workers, two scripts: whatever was under way when it closed.
    expect((await countCalls()) - calls).toBeLessThanOrEqual(4 + probes)
  }
  expect(await buyer.call(access.mine, {})).toMatchObject([{ state: 'unlocking' }])

  await controls.behave({})
  const before = await countCalls()
  await tenSecondsPass(0)
  expect(await shop.accessOf(buyer)).toMatchObject({ state: 'unlocked' })
  // That was at most 15 seconds away, and each call until the second script was open takes one more.
  const after = (await controls.calls()).slice(before)
  const isAdded = ({ call, username }: (typeof after)[number]) => call === 'add' && username === 'just_in_time'
  expect(after.findLastIndex(isAdded)).toBeLessThan(15)
  // A call for each person and for each probe.
  expect((await countJobs()) - jobs).toBeLessThan(100 + 60)
})
