-- What migrations cannot express. Runs at every start, under the migration lock; safe to repeat.

-- No figure may read a million movements. So each one also adds its effect to its day: rows are only ever added there, so
-- no two buyers wait for each other, and a nightly job adds them up.
create or replace function add_to_days() returns trigger language plpgsql as $$
begin
  insert into mrr_days (day, kind, cause, movements, people, arr, late)
  select (at at time zone 'UTC')::date, kind, cause, sum(case when corrects is null then 1 else -1 end), sum(people),
    sum(arr_after - arr_before),
    count(*) filter (where date_trunc('month', recorded_at at time zone 'UTC') > date_trunc('month', at at time zone 'UTC'))
  from new_rows group by 1, 2, 3;
  return null;
end $$;

-- The same for money: a payment counts on its day, a refund and a lost dispute on theirs; what changes counts by the
-- difference (the old rows are taken off, the new ones added: the trigger's argument is the sign), and a purchase that is
-- deleted takes nothing back.
create or replace function count_payments() returns trigger language plpgsql as $$
begin
  insert into cash_months (month, paid, tax, refunded, lost)
  select date_trunc('month', paid_at at time zone 'UTC'), sum(amount) * tg_argv[0]::int, sum(tax) * tg_argv[0]::int, 0, 0
  from moved group by 1
  union all
  select date_trunc('month', lost_at at time zone 'UTC'), 0, 0, 0, sum(lost_amount) * tg_argv[0]::int from moved
  where lost_at is not null group by 1;
  return null;
end $$;

create or replace function count_refunds() returns trigger language plpgsql as $$
begin
  insert into cash_months (month, paid, tax, refunded, lost)
  select date_trunc('month', at at time zone 'UTC'), 0, 0, sum(amount) * tg_argv[0]::int, 0 from moved
  where status not in ('failed', 'canceled') group by 1;
  return null;
end $$;

do $$
declare
  name text;
begin
  if to_regclass('cash_months') is not null
    and not exists (select from pg_trigger where tgname = 'payments_changed_from') then
    -- Earlier versions had a function for what comes and what changes.
    drop function if exists add_payments_to_cash, add_refunds_to_cash cascade;
    foreach name in array array['payments', 'refunds'] loop
      execute format($f$
        create trigger %1$s_added after insert on %1$s referencing new table as moved
          for each statement execute function count_%1$s('1');
        create trigger %1$s_changed_from after update on %1$s referencing old table as moved
          for each statement execute function count_%1$s('-1');
        create trigger %1$s_changed after update on %1$s referencing new table as moved
          for each statement execute function count_%1$s('1')$f$, name);
    end loop;
    -- What came in before; a restored backup has it already.
    if not exists (select from cash_months) then
      insert into cash_months (month, paid, tax, refunded, lost)
      select date_trunc('month', paid_at at time zone 'UTC'), sum(amount), sum(tax), 0, 0 from payments group by 1
      union all
      select date_trunc('month', at at time zone 'UTC'), 0, 0, sum(amount), 0 from refunds
      where status not in ('failed', 'canceled') group by 1;
    end if;
  end if;
end $$;

-- The ledger is never rewritten. What the books no longer need may go.
create or replace function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '10 years' then return old; end if;
  raise exception 'The ledger is never changed';
end $$;

do $$ begin
  -- A database on its way from an older version has no ledger yet.
  if to_regclass('mrr_movements') is not null
    and not exists (select from pg_trigger where tgname = 'mrr_movements_added') then
    create trigger mrr_movements_added after insert on mrr_movements
      referencing new table as new_rows
      for each statement execute function add_to_days();
    create trigger mrr_movements_unchanged before update or delete on mrr_movements
      for each row execute function refuse_ledger_change();
    create trigger mrr_movements_not_emptied before truncate on mrr_movements
      for each statement execute function refuse_ledger_change();
  end if;
end $$;

-- Nor a price: what someone was shown stays readable. Only its id at Stripe may change, if it was archived there.
create or replace function refuse_price_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - 'stripe_price_id' = to_jsonb(old) - 'stripe_price_id' then return new; end if;
  end if;
  raise exception 'A price is never changed';
end $$;

do $$ begin
  if to_regclass('prices') is not null and not exists (select from pg_trigger where tgname = 'prices_unchanged') then
    create trigger prices_unchanged before update or delete on prices
      for each row execute function refuse_price_change();
    create trigger prices_not_emptied before truncate on prices
      for each statement execute function refuse_price_change();
  end if;
end $$;

-- The audit log is never rewritten: neither the shop's own code nor SQL that slips into it. Rows end after three years.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '3 years' then return old; end if;
  raise exception 'The audit log is never changed';
end $$;

do $$ begin
  if not exists (select from pg_trigger where tgname = 'audit_log_unchanged') then
    create trigger audit_log_unchanged before update or delete on audit_log
      for each row execute function refuse_audit_change();
    create trigger audit_log_not_emptied before truncate on audit_log
      for each statement execute function refuse_audit_change();
  end if;
end $$;
