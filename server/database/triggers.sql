-- What migrations cannot express. Runs at every start, under the migration lock; safe to repeat.

-- The overview must not read a million purchases. So every change to a purchase records its effect on each month
-- in subscription_movements: rows are only ever added there, so no two buyers wait for each other, and a
-- nightly job adds them up. A purchase that was never live (booked by hand as ended) moves nothing.
create or replace function purchase_movements(
  sign int, billing_type text, amount int, status text, created_at timestamptz, ended_at timestamptz
) returns table (month date, billing_type text, begun bigint, begun_amount bigint, ended bigint, ended_amount bigint)
language sql immutable as $$
  select date_trunc('month', $5 at time zone 'UTC')::date, $2, $1, $1::bigint * $3, 0, 0
  where $4 in ('active', 'pending_cancel', 'past_due') or $4 = 'paused' or $6 is not null
  union all
  select date_trunc('month', greatest($5, $6) at time zone 'UTC')::date, $2, 0, 0, $1, $1::bigint * $3
  where $4 not in ('active', 'pending_cancel', 'past_due') and $6 is not null
$$;

-- What a purchase adds to the revenue: a gift is a subscription that nobody pays for.
create or replace function earned(amount int, booked_as text) returns int language sql immutable as $$
  select case when $2 = 'gift' then 0 else $1 end
$$;

create or replace function record_subscription_movements() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    insert into subscription_movements (month, billing_type, begun, begun_amount, ended, ended_amount)
    select m.month, m.billing_type, sum(m.begun), sum(m.begun_amount), sum(m.ended), sum(m.ended_amount)
    from new_rows n,
      purchase_movements(1, n.billing_type, earned(n.price, n.booked_as), n.status, n.created_at, n.ended_at) m
    group by m.month, m.billing_type;
  end if;
  if tg_op <> 'INSERT' then
    insert into subscription_movements (month, billing_type, begun, begun_amount, ended, ended_amount)
    select m.month, m.billing_type, sum(m.begun), sum(m.begun_amount), sum(m.ended), sum(m.ended_amount)
    from old_rows o,
      purchase_movements(-1, o.billing_type, earned(o.price, o.booked_as), o.status, o.created_at, o.ended_at) m
    group by m.month, m.billing_type;
  end if;
  return null;
end $$;

do $$ begin
  if not exists (select from pg_trigger where tgname = 'purchases_inserted') then
    create trigger purchases_inserted after insert on purchases
      referencing new table as new_rows
      for each statement execute function record_subscription_movements();
    create trigger purchases_updated after update on purchases
      referencing old table as old_rows new table as new_rows
      for each statement execute function record_subscription_movements();
    create trigger purchases_deleted after delete on purchases
      referencing old table as old_rows
      for each statement execute function record_subscription_movements();
  end if;
end $$;

-- Nobody rewrites the audit log: neither the shop's own code nor SQL that slips into it. Rows end after three years.
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
