import { pino } from 'pino'
import { access } from '#contract/access/access.ts'
import { dayMs } from '#contract/dates.ts'
import { liveStatuses } from '#contract/statuses.ts'
import type { Config } from '#server/config.ts'
import { type Shop, startShop } from '#server/start.ts'
import { compareRevenue, person, withDemoSettings } from './buyers.ts'
import { buy, buyAndAskForAccess } from './buying.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Time of the nightly reconciliation, 03:20 UTC. */
const reconcileAtMs = 200 * minuteMs
/** Unlocking more people would take minutes. */
const maxLivePurchases = 1000
/** Buyers who bought during an outage of TradingView, so they wait for the seller. */
const buyersDuringOutage = ['David', 'Elena', 'Felix', 'Grace', 'Hugo', 'Ines', 'Jonas', 'Kai', 'Lina', 'Uma']

/** Leaves tasks for the seller, and returns the number of unlocked buyers. */
export async function unlockDemoBuyers(config: Config): Promise<number> {
  if (!config.mayCallTradingView) return 0
  const lastNight = Math.floor((Date.now() - reconcileAtMs) / dayMs) * dayMs + reconcileAtMs
  // The shop's clock starts two reconciliations ago.
  let behindMs = Date.now() - lastNight + dayMs
  const now = () => new Date(Date.now() - behindMs)
  const shop = await startShop(withDemoSettings(config), { log: pino({ level: 'silent' }), withPages: false, now })
  try {
    const { tradingViewStandIn, connection, queue } = shop
    const { rows } = await connection.pool.query<{ count: number }>(
      'select count(*)::int as count from purchases where status = any($1)',
      [liveStatuses],
    )
    if (!tradingViewStandIn || (rows[0]?.count ?? 0) > maxLivePurchases) return 0
    await listEveryone(shop)
    await queue.runNow('tradingview-reconcile')
    await queue.waitUntilIdle()
    behindMs -= dayMs
    await changeListsByHand(shop)
    await queue.runNow('tradingview-reconcile')
    await queue.waitUntilIdle()
    behindMs = 3 * hourMs
    await simulateOutage(shop)
    behindMs = 0
    await addBuyerWithEarlierAccess(shop)
    // Hands requests from the year to the connector.
    await queue.runNow('tradingview-due')
    await queue.waitUntilIdle()
    await compareRevenue(shop)
    const { rows: unlocked } = await connection.pool.query<{ count: number }>(
      `select count(*)::int as count from access where state = 'unlocked'`,
    )
    return unlocked[0]?.count ?? 0
  } finally {
    await shop.close()
  }
}

/** Bulk, because adding them one by one would take minutes. */
async function listEveryone({ connection: { pool } }: Shop) {
  await pool.query(
    `insert into sandbox.tradingview_users
     select trading_view_username from users where trading_view_username is not null and email not like '%.demo@example.com'
     on conflict do nothing`,
  )
  const isListed = `state = 'unlocked' and reason is not null`
  await pool.query(`update access set name_checked_at = state_since where ${isListed}`)
  // A shop open beside the demo lists people itself, so they are skipped here.
  await pool.query(
    `with listed as (
       insert into tv_people (script_id, username_key, username, user_id, is_ours, is_present, present_until, observed_at,
         first_present_at, created_at)
       select s.id, name_key, unlocked_name, user_id, true, true, until, state_since, state_since, state_since
       from access, tv_scripts s where ${isListed}
       on conflict do nothing returning *)
     insert into sandbox.tradingview_access (pine_id, username, expiration, created)
     select pine_id, username, present_until, l.created_at from listed l join tv_scripts s on s.id = script_id`,
  )
}

/** The nightly check finds these changes, which the seller made on TradingView's own page. */
async function changeListsByHand({ tradingViewStandIn, connection }: Shop) {
  if (!tradingViewStandIn) return
  const { controls, scripts } = tradingViewStandIn
  const { rows } = await connection.pool.query<{ username: string }>(
    `select unlocked_name as username from access where state = 'unlocked' and reason is not null order by 1 limit 5`,
  )
  const [removed = '', withoutEnd = ''] = new Set(rows.map(({ username }) => username))
  await controls.removeByHand(scripts.indicator, removed)
  await controls.addByHand(scripts.indicator, withoutEnd, null)
  await controls.addByHand(scripts.strategy, 'beta_tester_2024')
}

/** The next try is hours away, so that screens show the state. */
async function simulateOutage(shop: Shop) {
  const { tradingViewStandIn, connection, queue } = shop
  await tradingViewStandIn?.controls.behave({ always: 'error', on: '/pine_perm/add' })
  for (const name of buyersDuringOutage) await buyAndAskForAccess(shop, person(name), `${name.toLowerCase()}_charts`)
  await queue.waitUntilIdle()
  await connection.pool.query(
    `update tv_people set tries = 5, next_try_at = now() + interval '12 hours' where user_id is not null and is_present is not true`,
  )
  // The outage ends after the retries are postponed, or a shop open beside the demo would unlock these buyers.
  await tradingViewStandIn?.controls.behave({})
  await connection.pool.query('update tv_connection set down_since = null, last_error = null')
}

async function addBuyerWithEarlierAccess(shop: Shop) {
  const { queue } = shop
  // This buyer had access before the purchase, so the seller decides if the shop may ever lock it.
  const olaf = await buy(shop, person('Olaf'), 'monthly')
  await olaf.call(access.changeUsername, { purchaseId: olaf.id, username: 'old_friend_of_mine' })
  await queue.waitUntilIdle()
}
