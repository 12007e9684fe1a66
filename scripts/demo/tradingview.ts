import { pino } from 'pino'
import { tradingView } from '#contract/access/tradingview.ts'
import { seats } from '#contract/selling/seats.ts'
import { liveStatuses } from '#contract/statuses.ts'
import type { Config } from '#server/config.ts'
import { createEntitlements } from '#server/features/access/entitlements/entitlements.ts'
import { takeNamesFromRequests } from '#server/features/access/tradingview/tradingview.ts'
import { type Shop, startShop } from '#server/start.ts'
import { buy, buyAndAsk, person } from './buyers.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Working out what more people are entitled to would take minutes. */
const mostPeople = 1000
/** They bought while TradingView had an outage, so they wait in the seller's queue. */
const unlucky = ['David', 'Elena', 'Felix', 'Grace', 'Hugo', 'Ines', 'Jonas', 'Kai', 'Lina', 'Uma']

/**
 * Connects the shop to TradingView's look-alike: the year's buyers are unlocked, last night's check found differences,
 * some are being unlocked, a few matters need the seller, and someone waits for a seat.
 */
export async function letThemIn(config: Config): Promise<number> {
  if (!config.mayCallTradingView) return 0
  const lastNight = Math.floor((Date.now() - 200 * minute) / day) * day + 200 * minute
  let past = Date.now() - lastNight + day
  const now = () => new Date(Date.now() - past)
  const shop = await startShop(
    { ...config, port: 0, rateLimits: false, mail: { ...config.mail, smtpUrl: undefined } },
    { log: pino({ level: 'silent' }), withPages: false, now },
  )
  try {
    const { lookAlike, connection, queue } = shop
    const { rows } = await connection.pool.query<{ count: number }>(
      'select count(*)::int as count from purchases where status = any($1)',
      [liveStatuses],
    )
    if (!lookAlike || (rows[0]?.count ?? 0) > mostPeople) return 0
    await listEveryone(shop, now)
    await queue.runNow('tradingview-reconcile')
    await queue.idle()
    past -= day
    await meddle(shop)
    await queue.runNow('tradingview-reconcile')
    await queue.idle()
    past = 3 * hour
    await haveOutage(shop)
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

/** Those who were let in during the year are on TradingView's lists, and in the shop's books about them. One by one, it would take minutes. */
async function listEveryone({ connection: { db, pool } }: Shop, now: () => Date) {
  const { usernames } = createEntitlements({ db, now }, { requestSync: async () => {} })
  await takeNamesFromRequests(db, usernames)
  await pool.query(
    `insert into sandbox.tradingview_users
     select trading_view_username from users where trading_view_username is not null and email not like '%.demo@example.com'`,
  )
  await pool.query(
    `update entitlements set checked_at = changed_at where user_id in (select user_id from access_requests where status = 'granted')`,
  )
  const listed = 'from entitlements e, tv_scripts s where checked_at is not null and reason is not null'
  await pool.query(
    `insert into sandbox.tradingview_access (pine_id, username, expiration, created)
     select pine_id, username, until, changed_at ${listed}`,
  )
  await pool.query(
    `insert into tv_grants (script_id, username_key, username, user_id, is_ours, is_wanted, wanted_until, is_present,
       present_until, observed_at, state, first_present_at, created_at)
     select s.id, username_key, username, user_id, true, true, until, true, until, changed_at, 'unlocked', changed_at, changed_at ${listed}`,
  )
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

/** No one can be let in while it lasts; the next try is hours away, so there is something to see. */
async function haveOutage(shop: Shop) {
  const { lookAlike, connection, queue } = shop
  await lookAlike?.controls.behave({ always: 'error', on: '/pine_perm/add' })
  for (const name of unlucky) await buyAndAsk(shop, person(name), `${name.toLowerCase()}_charts`)
  await queue.idle()
  await lookAlike?.controls.behave({})
  await connection.pool.query(
    `update tv_grants set tries = 5, next_try_at = now() + interval '12 hours' where state = 'unlocking'`,
  )
  await connection.pool.query('update tv_connection set down_since = null, last_error = null')
}

async function addMatters(shop: Shop) {
  const { queue, config } = shop
  // Had access before the shop granted it: the seller decides whether the shop may ever lock it.
  const olaf = await buy(shop, person('Olaf'), 'monthly')
  await olaf.call(tradingView.changeUsername, { purchaseId: olaf.id, username: 'old_friend_of_mine' })
  await queue.idle()
  await fetch(new URL(seats.join.path, config.publicUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'wants.a.seat@example.com' }),
  })
}
