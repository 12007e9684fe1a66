import type pg from 'pg'
import { randomText } from '../basics.ts'

const statements = `
create schema if not exists sandbox;

create table if not exists sandbox.tradingview_settings (
  only_row boolean primary key default true check (only_row),
  session_id text not null,
  session_sign text not null,
  is_logged_in boolean not null default true,
  account text not null default 'ReboundSigma',
  -- Counts changes of the lists: a cursor from before one is worthless.
  changes bigint not null default 0,
  faults jsonb not null default '{}'
);

create table if not exists sandbox.tradingview_users (
  username text primary key
);
create unique index if not exists tradingview_users_by_key on sandbox.tradingview_users (lower(username));

-- Names of people who were renamed or deleted: no one is welcomed under them by mistake.
create table if not exists sandbox.tradingview_former_names (
  name text primary key
);

create table if not exists sandbox.tradingview_scripts (
  pine_id text primary key,
  name text not null,
  owner text not null
);

create table if not exists sandbox.tradingview_access (
  id bigint generated always as identity primary key,
  pine_id text not null references sandbox.tradingview_scripts (pine_id),
  username text not null references sandbox.tradingview_users (username) on update cascade on delete cascade,
  expiration timestamptz,
  created timestamptz not null default now(),
  unique (pine_id, username)
);

create table if not exists sandbox.tradingview_calls (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  call text not null,
  pine_id text,
  username text,
  expiration text,
  status integer,
  answer text not null
);
`

export const scripts = {
  indicator: 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5',
  strategy: 'PUB;9b8a7c6d5e4f40318273645566778899',
}

/** People who were here before the shop, and one who is easy to misspell. */
const known = ['ada_trades', 'TrendFollower', 'macd-maria', 'j.fuchs', 'QuietQuant', 'old_friend_of_mine']

export const createTradingViewTables = (client: Pick<pg.ClientBase, 'query'>) => client.query(statements)

/** Creates what is missing. The lock makes it safe for two servers that start at the same time. */
export async function prepareTradingView(database: pg.Pool) {
  const client = await database.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('sandbox schema'))`)
    await createTradingViewTables(client)
    const { rowCount } = await client.query(
      'insert into sandbox.tradingview_settings (session_id, session_sign) values ($1, $2) on conflict do nothing',
      [randomText(32), `v3:${randomText(43)}`],
    )
    if (rowCount === 1) {
      for (const username of known)
        await client.query('insert into sandbox.tradingview_users values ($1) on conflict do nothing', [
          username,
        ])
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
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
