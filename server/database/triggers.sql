-- Triggers, which drizzle-kit does not generate. `npm run db:generate` appends this file to the baseline.

-- The ledger is append-only. Rows may be deleted after the ten years that books are kept, and with test data.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('shop.clears_test_data', true) = 'on' then return old; end if;
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
--> statement-breakpoint
-- What was invoiced, paid and refunded stays in the books for ten years. Only clearing test data removes it earlier.
create function refuse_books_change() returns trigger language plpgsql as $$
declare
  may_change text[];
begin
  if current_setting('shop.clears_test_data', true) = 'on' then return coalesce(new, old); end if;
  if tg_op = 'DELETE' then
    if (to_jsonb(old) ->> tg_argv[0])::timestamptz < now() - interval '10 years' then return old; end if;
    raise exception 'The books are never deleted';
  end if;
  may_change := string_to_array(tg_argv[1], ' ');
  if tg_table_name = 'invoices' and to_jsonb(old) ->> 'finalized_at' is null then return new; end if;
  if to_jsonb(new) - may_change = to_jsonb(old) - may_change then return new; end if;
  raise exception 'The books are never changed';
end $$;
--> statement-breakpoint
create trigger invoices_unchanged before update or delete on invoices for each row
  execute function refuse_books_change('created_at', 'status number due_at paid_at closed_at amount_paid amount_remaining paid_out_of_band country region former_account');
--> statement-breakpoint
create trigger credit_notes_unchanged before update or delete on credit_notes for each row
  execute function refuse_books_change('created_at', 'status refunded');
--> statement-breakpoint
create trigger payments_unchanged before update or delete on payments for each row
  execute function refuse_books_change('paid_at', 'purchase_id tax invoice_number period_start period_end country lost_at lost_amount is_refund_blocked');
--> statement-breakpoint
create trigger refunds_unchanged before update or delete on refunds for each row
  execute function refuse_books_change('at', 'status keeps_access');
--> statement-breakpoint
create trigger balance_transactions_unchanged before update or delete on balance_transactions for each row
  execute function refuse_books_change('created_at', 'payout_id available_at');
--> statement-breakpoint
create trigger payouts_unchanged before update or delete on payouts for each row
  execute function refuse_books_change('created_at', 'status is_itemized arrives_at failure');
