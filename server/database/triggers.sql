-- What drizzle-kit cannot express. `npm run db:generate` appends this file to the baseline.

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
