-- Stand-in for Stripe: objects as the API returns them, events and their webhooks.
create schema sandbox;

create table sandbox.objects (
  id text primary key,
  kind text not null,
  seq bigint generated always as identity,
  clock text,
  due_at double precision,
  data jsonb not null
);
-- Numbers the transactions that need random values.
create sequence sandbox.draws;
create index objects_by_kind on sandbox.objects (kind, seq);
create index objects_by_content on sandbox.objects using gin (data jsonb_path_ops);
create index objects_due on sandbox.objects (due_at, seq) where due_at is not null;
create unique index prices_by_lookup_key on sandbox.objects ((data->>'lookup_key'))
  where kind = 'price' and data->>'lookup_key' is not null;

create table sandbox.events (
  id text primary key,
  seq bigint generated always as identity unique,
  type text not null,
  created bigint not null,
  data json not null
);

create table sandbox.deliveries (
  id bigint generated always as identity primary key,
  event text not null references sandbox.events (id),
  attempts integer not null default 0,
  next_at timestamptz default now(),
  delivered_at timestamptz,
  last_answer text
);
create index deliveries_pending on sandbox.deliveries (next_at) where next_at is not null;
create index deliveries_by_event on sandbox.deliveries (event);

create table sandbox.idempotency (
  key text primary key,
  request text not null,
  status integer,
  body text,
  created timestamptz not null default now()
);

create table sandbox.settings (
  only_row boolean primary key default true check (only_row),
  secret_key text not null,
  publishable_key text not null,
  clock_offset bigint not null default 0,
  -- Quirks that differ from the defaults (`quirks.ts`).
  quirks jsonb not null default '{}'
);

-- Stand-in for TradingView.
create table sandbox.tradingview_settings (
  only_row boolean primary key default true check (only_row),
  session_id text not null,
  session_sign text not null,
  is_logged_in boolean not null default true,
  account text not null default 'ReboundSigma',
  -- Counts changes of the access lists; a change makes older cursors invalid.
  changes bigint not null default 0,
  faults jsonb not null default '{}'
);

create table sandbox.tradingview_users (
  username text primary key
);
create unique index tradingview_users_by_key on sandbox.tradingview_users (lower(username));

-- Names of renamed or deleted members, so that a lookup does not create them again.
create table sandbox.tradingview_former_names (
  name text primary key
);

create table sandbox.tradingview_scripts (
  pine_id text primary key,
  name text not null,
  owner text not null
);

create table sandbox.tradingview_access (
  id bigint generated always as identity primary key,
  pine_id text not null references sandbox.tradingview_scripts (pine_id),
  username text not null references sandbox.tradingview_users (username) on update cascade on delete cascade,
  expiration timestamptz,
  created timestamptz not null default now(),
  unique (pine_id, username)
);

create table sandbox.tradingview_calls (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  call text not null,
  pine_id text,
  username text,
  expiration text,
  status integer,
  answer text not null
);
