import type pg from 'pg'
import { randomText } from '../basics.ts'
import { prepare } from '../schema.ts'

export const scripts = {
  indicator: 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5',
  strategy: 'PUB;9b8a7c6d5e4f40318273645566778899',
}

/** People who were here before the shop, and one who is easy to misspell. */
const known = ['ada_trades', 'TrendFollower', 'macd-maria', 'j.fuchs', 'QuietQuant', 'old_friend_of_mine']

export const prepareTradingView = (database: pg.Pool) =>
  prepare(database, async (client) => {
    const { rowCount } = await client.query(
      'insert into sandbox.tradingview_settings (session_id, session_sign) values ($1, $2) on conflict do nothing',
      [randomText(32), `v3:${randomText(43)}`],
    )
    if (rowCount !== 1) return
    await client.query(
      'insert into sandbox.tradingview_users select unnest($1::text[]) on conflict do nothing',
      [known],
    )
    await client.query(
      `insert into sandbox.tradingview_scripts values ($1, 'Rebound Sigma Pro', 'ReboundSigma'),
         ($2, 'Rebound Sigma Pro Strategy', 'ReboundSigma'), ('PUB;00000000000000000000000000000000', 'Somebody else’s script', 'SomebodyElse')`,
      [scripts.indicator, scripts.strategy],
    )
    // Somebody whom the seller let in by hand, long ago.
    await client.query(
      `insert into sandbox.tradingview_access (pine_id, username) values ($1, 'old_friend_of_mine')`,
      [scripts.indicator],
    )
  })
