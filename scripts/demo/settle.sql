-- Balance of the invented payments at Stripe, in francs. Paid out at the midnight after the money is available.
create temporary table settled as
select payment_intent_id, paid_at, round(amount * 0.8027)::int as amount, round((round(amount * 0.029) + 30) * 0.8027)::int as fee,
  date_trunc('day', paid_at + interval '2 days', 'UTC') + interval '1 day' as paid_out_at
from payments where payment_intent_id like 'pi_demo%';

insert into payouts (id, amount, currency, status, is_automatic, is_itemized, created_at, arrives_at)
select 'po_demo' || to_char(paid_out_at, 'YYYYMMDD'), sum(amount - fee), 'chf', 'paid', true, true, paid_out_at, paid_out_at
from settled where paid_out_at <= now() group by paid_out_at;

insert into balance_transactions (id, category, created_at, available_at, amount, fee, net, currency, exchange_rate, payment_intent_id, payout_id)
select 'txn_' || payment_intent_id, 'charge', paid_at, paid_at + interval '2 days', amount, fee, amount - fee, 'chf', 0.8027,
  payment_intent_id, case when paid_out_at <= now() then 'po_demo' || to_char(paid_out_at, 'YYYYMMDD') end
from settled
union all
select 'txn_' || id, 'payout', created_at, created_at, -amount, 0, -amount, 'chf', null, null, id
from payouts where id like 'po_demo%';

drop table settled;
