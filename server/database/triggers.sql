-- What drizzle-kit cannot express. `npm run db:generate` appends this file to the baseline.

-- Each movement adds its effect to its day, so that no figure reads all movements; a nightly job adds the rows up.
create function add_to_days() returns trigger language plpgsql as $$
begin
  insert into mrr_days (day, kind, cause, movements, people, arr, late)
  select (at at time zone 'UTC')::date, kind, cause, sum(case when corrects is null then 1 else -1 end), sum(people),
    sum(arr_after - arr_before),
    count(*) filter (where date_trunc('month', recorded_at at time zone 'UTC') > date_trunc('month', at at time zone 'UTC'))
  from new_rows group by 1, 2, 3;
  return null;
end $$;
--> statement-breakpoint
create trigger mrr_movements_added after insert on mrr_movements referencing new table as new_rows
  for each statement execute function add_to_days();
--> statement-breakpoint
-- A change counts by its difference: the trigger's argument is the sign for the old and the new rows.
create function count_payments() returns trigger language plpgsql as $$
begin
  insert into cash_months (month, paid, tax, refunded, lost)
  select date_trunc('month', paid_at at time zone 'UTC'), sum(amount) * tg_argv[0]::int, sum(tax) * tg_argv[0]::int, 0, 0
  from moved group by 1
  union all
  select date_trunc('month', lost_at at time zone 'UTC'), 0, 0, 0, sum(lost_amount) * tg_argv[0]::int from moved
  where lost_at is not null group by 1;
  return null;
end $$;
--> statement-breakpoint
create function count_refunds() returns trigger language plpgsql as $$
begin
  insert into cash_months (month, paid, tax, refunded, lost)
  select date_trunc('month', at at time zone 'UTC'), 0, 0, sum(amount) * tg_argv[0]::int, 0 from moved
  where status not in ('failed', 'canceled') group by 1;
  return null;
end $$;
--> statement-breakpoint
create trigger payments_added after insert on payments referencing new table as moved
  for each statement execute function count_payments('1');
--> statement-breakpoint
create trigger payments_changed_from after update on payments referencing old table as moved
  for each statement execute function count_payments('-1');
--> statement-breakpoint
create trigger payments_changed after update on payments referencing new table as moved
  for each statement execute function count_payments('1');
--> statement-breakpoint
create trigger refunds_added after insert on refunds referencing new table as moved
  for each statement execute function count_refunds('1');
--> statement-breakpoint
create trigger refunds_changed_from after update on refunds referencing old table as moved
  for each statement execute function count_refunds('-1');
--> statement-breakpoint
create trigger refunds_changed after update on refunds referencing new table as moved
  for each statement execute function count_refunds('1');
--> statement-breakpoint
-- The ledger is append-only. Rows may be deleted after the ten years that books are kept.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '10 years' then return old; end if;
  raise exception 'The ledger is never changed';
end $$;
--> statement-breakpoint
create trigger mrr_movements_unchanged before update or delete on mrr_movements
  for each row execute function refuse_ledger_change();
--> statement-breakpoint
create trigger mrr_movements_not_emptied before truncate on mrr_movements
  for each statement execute function refuse_ledger_change();
--> statement-breakpoint
-- Prices are append-only, too: a price that someone was shown stays readable. Only its id at Stripe may change.
create function refuse_price_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - 'stripe_price_id' = to_jsonb(old) - 'stripe_price_id' then return new; end if;
  end if;
  raise exception 'A price is never changed';
end $$;
--> statement-breakpoint
create trigger prices_unchanged before update or delete on prices
  for each row execute function refuse_price_change();
--> statement-breakpoint
create trigger prices_not_emptied before truncate on prices
  for each statement execute function refuse_price_change();
--> statement-breakpoint
-- The audit log is append-only. Rows may be deleted after three years.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '3 years' then return old; end if;
  raise exception 'The audit log is never changed';
end $$;
--> statement-breakpoint
create trigger audit_log_unchanged before update or delete on audit_log
  for each row execute function refuse_audit_change();
--> statement-breakpoint
create trigger audit_log_not_emptied before truncate on audit_log
  for each statement execute function refuse_audit_change();
