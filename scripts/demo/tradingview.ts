import { pino } from 'pino'
import { seats } from '#contract/seats.ts'
import { tradingView } from '#contract/tradingview.ts'
import type { Config } from '#server/config.ts'
import { entitlingStatuses } from '#server/features/entitlements/entitlements.ts'
import { type Shop, startShop } from '#server/start.ts'
import { buy, person } from './buyers.ts'

const minute = 60_000
const day = 86_400_000
/** Letting more people in one by one would take minutes. */
const mostPeople = 1000

/**
 * Connects the shop to TradingView's look-alike: the year's buyers are unlocked, last night's check found differences,
 * someone is being unlocked, a few matters need the seller, and someone waits for a seat.
 */
export async function letThemIn(config: Config): Promise<number> {
  if (!config.mayCallTradingView) return 0
  const lastNight = Math.floor((Date.now() - 200 * minute) / day) * day + 200 * minute
  let past = Date.now() - lastNight + day
  const shop = await startShop(
    { ...config, port: 0, rateLimits: false, mail: { ...config.mail, smtpUrl: undefined } },
    { log: pino({ level: 'silent' }), withPages: false, now: () => new Date(Date.now() - past) },
  )
  try {
    const { lookAlike, connection, queue } = shop
    const { rows } = await connection.pool.query<{ count: number }>(
      'select count(*)::int as count from purchases where status = any($1)',
      [entitlingStatuses],
    )
    if (!lookAlike || (rows[0]?.count ?? 0) > mostPeople) return 0
    // The night before: everyone whom the seller once let in by hand is found again.
    await queue.runNow('tradingview-reconcile')
    await queue.idle()
    past -= day
    await meddle(shop)
    await queue.runNow('tradingview-reconcile')
    await queue.idle()
    past = 0
    await addMatters(shop)
    const { rows: unlocked } = await connection.pool.query<{ count: number }>(
      `select count(distinct username_key)::int as count from tv_grants where state = 'unlocked'`,
    )
    return unlocked[0]?.count ?? 0
  } finally {
    await shop.close()
  }
}

/** What the seller did on TradingView's own page, and what the nightly check will find. */
async function meddle({ lookAlike, connection }: Shop) {
  if (!lookAlike) return
  const { controls, scripts } = lookAlike
  const { rows } = await connection.pool.query<{ username: string }>(
    `select username from tv_grants where state = 'unlocked' order by username limit 5`,
  )
  const [gone = '', endless = ''] = new Set(rows.map(({ username }) => username))
  await controls.throwOut(scripts.indicator, gone)
  await controls.letIn(scripts.indicator, endless, null)
  await controls.letIn(scripts.strategy, 'beta_tester_2024')
}

async function addMatters(shop: Shop) {
  const { lookAlike, connection, queue, config } = shop
  if (!lookAlike) return
  // Had access before the shop granted it: the seller decides whether the shop may ever lock it.
  const olaf = await buy(shop, person('Olaf'), 'monthly')
  await olaf.call(tradingView.changeUsername, { purchaseId: olaf.id, username: 'old_friend_of_mine' })
  await queue.idle()
  // TradingView has an outage while somebody is unlocked; the next try is an hour away.
  await lookAlike.controls.behave({ always: 'error', on: '/pine_perm/' })
  const uma = await buy(shop, person('Uma'), 'monthly')
  await uma.call(tradingView.changeUsername, { purchaseId: uma.id, username: 'uma_unlocks' })
  await queue.idle()
  await lookAlike.controls.behave({})
  await connection.pool.query(
    `update tv_grants set tries = 5, next_try_at = now() + interval '1 hour' where username_key = 'uma_unlocks'`,
  )
  await connection.pool.query('update tv_connection set down_since = null, last_error = null')
  await connection.pool.query(`delete from jobs.job where name = 'tradingview-sync' and state < 'active'`)
  await fetch(new URL(seats.join.path, config.publicUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'wants.a.seat@example.com' }),
  })
}
