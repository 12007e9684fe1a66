import type pg from 'pg'
import { randomText } from './basics.ts'

const statements = `
create schema if not exists sandbox;

create table if not exists sandbox.objects (
  id text primary key,
  kind text not null,
  seq bigint generated always as identity,
  clock text,
  due_at double precision,
  data jsonb not null
);
do $$ begin
  if (select data_type from information_schema.columns
      where table_schema = 'sandbox' and table_name = 'objects' and column_name = 'due_at') = 'bigint' then
    alter table sandbox.objects alter column due_at type double precision;
  end if;
end $$;
create sequence if not exists sandbox.draws;
create index if not exists objects_by_kind on sandbox.objects (kind, seq);
create index if not exists objects_by_content on sandbox.objects using gin (data jsonb_path_ops);
create index if not exists objects_due on sandbox.objects (due_at, seq) where due_at is not null;
create unique index if not exists prices_by_lookup_key on sandbox.objects ((data->>'lookup_key'))
  where kind = 'price' and data->>'lookup_key' is not null;

create table if not exists sandbox.events (
  id text primary key,
  seq bigint generated always as identity unique,
  type text not null,
  created bigint not null,
  data json not null
);

create table if not exists sandbox.deliveries (
  id bigint generated always as identity primary key,
  event text not null references sandbox.events (id),
  attempts integer not null default 0,
  next_at timestamptz default now(),
  delivered_at timestamptz,
  last_answer text
);
-- Where it goes: an endpoint that the seller created, or the shop that opened the sandbox.
alter table sandbox.deliveries add column if not exists endpoint text;
create index if not exists deliveries_pending on sandbox.deliveries (next_at) where next_at is not null;
create index if not exists deliveries_by_event on sandbox.deliveries (event);

create table if not exists sandbox.idempotency (
  key text primary key,
  request text not null,
  status integer,
  body text,
  created timestamptz not null default now()
);

create table if not exists sandbox.settings (
  only_row boolean primary key default true check (only_row),
  secret_key text not null,
  publishable_key text not null,
  clock_offset bigint not null default 0,
  mischief jsonb not null default '{}'
);
`

export type Keys = { secretKey: string; publishableKey: string }

/** For callers that already have a transaction and rows to insert. */
export const createTables = (client: Pick<pg.ClientBase, 'query'>) => client.query(statements)

/** Creates what is missing. The lock makes it safe for two servers that start at the same time. */
export async function prepareSchema(database: pg.Pool): Promise<Keys> {
  const client = await database.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('sandbox schema'))`)
    await createTables(client)
    await client.query(
      'insert into sandbox.settings (secret_key, publishable_key) values ($1, $2) on conflict do nothing',
      [`sk_test_sandbox_${randomText(32)}`, `pk_test_sandbox_${randomText(32)}`],
    )
    const { rows } = await client.query<{ secret_key: string; publishable_key: string }>(
      'select secret_key, publishable_key from sandbox.settings',
    )
    await client.query('commit')
    const [keys] = rows
    if (!keys) throw new Error('The sandbox has no keys')
    return { secretKey: keys.secret_key, publishableKey: keys.publishable_key }
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
