-- A believable shop: sign-ups that keep accelerating; subscriptions that renew, lapse, fail and come back.
-- Addresses are at example.com, which belongs to no one, so no stranger gets an email.
-- :users and :purchases are numbers. The seed is fixed, so every run gives the same year.
select setseed(0.42);

create temporary table words on commit drop as select
  array['Ada','Amir','Ana','Anders','Bea','Ben','Carla','Chloe','Daniel','David','Elena','Emil','Farah','Felix','Grace',
    'Hannah','Hugo','Ines','Ivan','Jonas','Julia','Kai','Lara','Leon','Lina','Luca','Maria','Mateo','Maya','Milan','Nadia',
    'Noah','Olivia','Omar','Paula','Priya','Rafael','Rosa','Sam','Sara','Sofia','Tariq','Theo','Tom','Uma','Vera','Will',
    'Yara','Yuki','Zoë'] as first,
  array['Adler','Bauer','Becker','Brunner','Carter','Costa','Cruz','Dubois','Eriksen','Fischer','Fontana','Garcia','Haas',
    'Hansen','Hoffmann','Hughes','Ito','Jansen','Kaya','Keller','Khan','Kowalski','Larsen','Lopez','Martin','Meier','Moretti',
    'Müller','Nakamura','Novak','Okafor','Olsen','Patel','Pereira','Petrov','Rossi','Roy','Santos','Schmid','Silva','Singh',
    'Smith','Sørensen','Tanaka','Vogel','Walker','Weber','Wright','Young','Zimmermann'] as last,
  array['Binance','Kraken','Coinbase','Bybit','Interactive Brokers','Swissquote','Bitget','OKX'] as exchange;

-- Numbered in the order they signed up.
create temporary table people on commit drop as
select n, gen_random_uuid() as id, w.first[1 + floor(random() * 50)] as first, w.last[1 + floor(random() * 50)] as last,
  random() as luck,
  now() - 365 * interval '1 day' * (1 - power((n - random()) / :users, 0.6)) as created_at
from generate_series(1, :users) n, words w;

-- Eight of nine users have confirmed their address.
insert into users (id, email, name, trading_view_username, created_at, verified_at)
select id, translate(lower(first || '.' || last), 'ëöüøäé', 'eouoae') || n || '@example.com', first || ' ' || last,
  case when luck < 0.86 then translate(lower(first || '_' || left(last, 3)), 'ëöüøäé', 'eouoae') || n end, created_at,
  case when n % 9 > 0 then created_at + interval '4 minutes' end
from people;

-- Recent users have bought once; the other purchases are spread evenly over earlier users. One person's purchases follow
-- one another, and only the last can still be running.
create temporary table purchase_turns on commit drop as
select user_id, luck, row_number() over (partition by user_id order by k) as turn, count(*) over (partition by user_id) as turns,
  dice, chance, is_yearly, came_at, now() - came_at as since
from (
  -- Random numbers are drawn before rows are sorted by id, because ids differ in every shop.
  select p.id as user_id, p.luck, k, p.created_at as came_at, random() as dice, random() as chance, random() < 0.3 as is_yearly
  from (select least(0.15 * :users, 0.5 * :purchases)::int as young) y cross join generate_series(0, :purchases - 1) k
    join people p on p.n =
    case when k < :purchases - young then 1 + k::bigint * (:users - young) / (:purchases - young)
    else :users - :purchases + k + 1 end) d;

create temporary table booked on commit drop as
select gen_random_uuid() as id, user_id, luck, dice, turn = turns as is_last, case when is_yearly then 'yearly' else 'monthly' end as billing_type,
  case when is_yearly then 39000 else 3900 end as amount,
  case
    when turn < turns then (array['cancelled', 'expired'])[1 + (dice * 2)::int % 2]
    when dice < 0.72 then 'active' when dice < 0.78 then 'pending_cancel'
    -- Only a renewal can be past due, and no yearly one renews within the demo's year.
    when dice < 0.81 then case
      when is_yearly or since * (1 - (turn - 1 + 0.02 * dice) / turns) < interval '35 days' then 'active' else 'past_due' end
    when dice < 0.93 then 'cancelled' else 'expired' end as status,
  came_at + since * ((turn - 1 + 0.02 * dice) / turns) as created_at,
  came_at + since * ((turn - case when turn < turns then 0.25 * dice else 0.05 + 0.8 * chance end) / turns) as ended_at,
  case when is_yearly then interval '1 year' else interval '1 month' end as period,
  -- These buyers began with the other plan and switched.
  luck between 0.3 and 0.36 as has_changed
from purchase_turns;

-- The seller collects tax in two countries. Unpaid purchases are elsewhere, because they get no payments like those of buying.ts.
alter table booked add country text, add tax_rate float, add net int;
update booked set country = case when status = 'expired' then (array['US', 'GB', 'ES', 'NL'])[1 + floor(luck * 4)::int]
  when billing_type = 'yearly' then 'CH' else 'DE' end;
update booked set tax_rate = case country when 'DE' then 19 when 'CH' then 8.1 end;
update booked set net = amount - coalesce(round(amount * tax_rate / (100 + tax_rate)), 0);

insert into purchases (id, user_id, product_id, billing_type, price, status, created_at, current_period_end, ends_at,
  past_due_since, dunning_step, ended_at, ended_because, leave_reason, arr)
select id, user_id, :product, billing_type, amount, status, created_at, renews_at,
  case when status = 'pending_cancel' then renews_at end,
  case when status = 'past_due' then now() - dice * interval '3 days' end, case when status = 'past_due' then 1 else 0 end,
  case when status in ('cancelled', 'expired') then ended_at end,
  case when status = 'cancelled' then 'cancelled' when status = 'expired' then 'unpaid' end,
  case when status = 'cancelled' and luck < 0.6
    then (array['too_expensive', 'unused', 'unused', 'low_quality', 'too_complex', 'other'])[1 + floor(luck * 10)::int] end,
  case when status in ('cancelled', 'expired') then 0 when billing_type = 'monthly' then 12 * net else net end
from (
  select *, case when status in ('active', 'pending_cancel')
    then created_at + period * (1 + extract(year from age) * case billing_type when 'monthly' then 12 else 1 end
      + case billing_type when 'monthly' then extract(month from age) else 0 end) end as renews_at
  from booked, lateral (select age(now(), created_at) as age) a) b
order by created_at;

-- Revenue movements on their days, as server/features/selling/ledger/movements.ts derives them.
insert into mrr_movements (purchase_id, user_id, product_id, at, recorded_at, source, revision, kind, cause, billing_type,
  arr_before, arr_after, people)
select id, user_id, :product, at, at, source, 0, kind, cause, billing_type, before, after, people
from (
  select b.*, row_number() over (partition by user_id order by created_at) = 1 as is_first,
    created_at + 0.4 * (least(ended_at, now()) - created_at) as changed_at from booked b) b,
  lateral (select case billing_type when 'monthly' then 12 * net else net end as arr,
    case when not has_changed then 1 when billing_type = 'monthly' then 39000 / 46800.0 else 46800 / 39000.0 end as share) n,
  lateral (select round(arr * share)::int as begun) y,
  lateral (
    select created_at as at, 'booked' as source, case when is_first then 'new' else 'reactivation' end as kind,
      'bought' as cause, 0 as before, begun as after, 1 as people
    union all
    select changed_at, 'changed', case when arr > begun then 'expansion' else 'contraction' end, 'plan', begun, arr, 0
    where has_changed
    union all
    select greatest(ended_at, created_at), 'end', 'churn', case when status = 'expired' then 'unpaid' else 'cancelled' end,
      arr, 0, -1
    where status in ('cancelled', 'expired')) m
order by at;

-- Invoices and payments of every period in a small shop, and of the last period in a large one.
create temporary table paid on commit drop as
select 'pi_demo' || key || n as payment_intent_id, id as purchase_id, user_id, key, n, 'in_demo' || key || n as invoice_id,
  upper(left(key, 8)) || '-' || lpad(n::text, 4, '0') as number, starts, amount, starts + period as ends, country, tax_rate,
  amount - net as tax
from (select *, replace(id::text, '-', '') as key,
    case when status in ('cancelled', 'expired') then greatest(ended_at, created_at) else now() end as until from booked) b,
  lateral (select n, starts, max(n) over () as last
    from generate_series(created_at, until, period) with ordinality s (starts, n)) p
where n = last or :purchases <= 20000;
insert into invoices (id, purchase_id, user_id, subscription_id, number, status, reason, collection, created_at,
  finalized_at, paid_at, total, tax, amount_paid, amount_remaining, paid_out_of_band, period_start, period_end,
  is_proration, credit, period_net, country, tax_rate)
select invoice_id, purchase_id, user_id, 'sub_demo' || key, number, 'paid',
  case when n = 1 then 'subscription_create' else 'subscription_cycle' end, 'charge_automatically', starts, starts, starts,
  amount, tax, amount, 0, 0, starts, ends, false, 0, amount - tax, country, tax_rate
from paid;
insert into payments (payment_intent_id, purchase_id, invoice_id, invoice_number, paid_at, amount, tax, period_start, period_end, country)
select payment_intent_id, purchase_id, invoice_id, number, starts, amount, tax, starts, ends, country from paid;

-- Users with a username sent the form; the newest still wait, a few of them too long.
create temporary table asked on commit drop as
select b.user_id, b.id as purchase_id, u.trading_view_username as username, w.exchange[1 + floor(b.dice * 8)] as exchange,
  case when b.luck < 0.1 then 'I trade mostly in the evening, so no hurry.' end as info, asked_at, ended, b.dice,
  b.status, p.current_period_end, p.ends_at, p.past_due_since,
  case when waits then 'asked' when ended and b.luck < 0.8 then 'locked' when b.luck > 0.83 then case when ended then 'none' else 'declined' end
    else 'unlocked' end as state
from words w, (select * from booked where is_last) b join users u on u.id = b.user_id join purchases p on p.id = b.id,
  lateral (select b.created_at + b.dice * interval '1 hour' as asked_at, b.status in ('cancelled', 'expired') as ended) a,
  lateral (select not ended and asked_at > now() - interval '50 hours' as waits) r
where u.trading_view_username is not null;

insert into access_forms (user_id, purchase_id, exchange_name, trading_view_username, additional_info, submitted_at)
select user_id, purchase_id, exchange, username, info, asked_at from asked order by asked_at;

insert into access (user_id, product_id, reason, until, name_key, state, state_since, asked_at, declined_because, unlocked_name)
select user_id, :product,
  case status when 'active' then 'renews' when 'pending_cancel' then 'ends' when 'past_due' then 'unpaid' end,
  case status when 'active' then current_period_end + interval '3 days' when 'pending_cancel' then ends_at
    when 'past_due' then past_due_since + interval '14 days' end,
  case when row_number() over (partition by lower(username) order by ended, asked_at) = 1 then lower(username) end,
  state, case when state = 'asked' then asked_at when ended then now() else asked_at + dice * interval '20 hours' end, asked_at,
  case when state = 'declined' then 'This TradingView username does not exist.' end,
  case when state = 'unlocked' then username end
from asked order by asked_at;

insert into access_events (user_id, product_id, at, event, from_state, to_state, username, reason)
select user_id, product_id, asked_at, 'asked', 'none', 'asked', trading_view_username, null from access a join users u on u.id = a.user_id
union all
select user_id, product_id, state_since,
  case state when 'declined' then 'declined' when 'locked' then 'closed' when 'none' then 'ended' else 'granted' end,
  'asked', state, trading_view_username, declined_because from access a join users u on u.id = a.user_id where state <> 'asked';

-- The seller tried another price for two weeks, half a year ago. Buyers of that time keep it: see buyers.ts.
insert into prices (product_id, billing_type, number, amount, regular_amount, starts_at, published_at)
select :product, 'monthly', number, amount, 4900, now() - ago, now() - ago
from (values (2, 4500, interval '200 days'), (3, 3900, interval '186 days')) as p (number, amount, ago);

-- Reviews, good and bad, by 36 buyers who stayed for a month.
insert into reviews (user_id, product_id, invited_at, stars, text, author, written_at, answer, answered_at, shows_paying_since)
select user_id, :product, created_at + interval '31 days', said.stars, said.text, first, created_at + interval '33 days',
  said.answer, case when said.answer is not null then created_at + interval '34 days' end, said.n % 3 = 0
from (
  select b.user_id, p.first, b.created_at, row_number() over (order by b.dice) as nth
  from booked b join people p on p.id = b.user_id
  where b.is_last and b.status = 'active' and b.created_at < now() - interval '40 days'
  limit 36) r
join lateral (select * from (values
  (0, 5, 'Quiet for days, then one clear signal. That suits me, because I have a job.', null),
  (1, 4, 'The strategy version made the difference: I could test my own symbols before I trusted it.', null),
  (2, 5, 'I asked about a symbol and got an answer from the author within an hour.', null),
  (3, 2, 'Too few signals for me. I expected more action for the price.', 'Fair. It is selective on purpose; most days bring no signal.'),
  (4, 4, 'Good rules, and the list saves me time. I would like more European symbols.', 'More are being reviewed this month.'),
  (5, 3, 'Does what it says. The exits felt early in a strong trend.', null),
  (6, 5, 'Finally an indicator that tells me to do nothing most of the time.', null),
  (7, 5, 'I backtested KO and JPM over five years first. The results on the chart were the same rules, not a prettier version.', null),
  (8, 4, 'Setup took four minutes, as promised. The alert part could be longer.', 'Thank you. The guide has a step about alerts now.'),
  (9, 3, 'Solid, but I trade futures too, and it is clearly not made for them.', null),
  (10, 5, 'Two losses in a row in my first month, both small, both by the rules. I knew about them beforehand, so I stayed.', null),
  (11, 4, 'The daily rhythm is right for me: I look once after the close.', null),
  (12, 1, 'I wanted something that trades for me. It does not.', 'True, it never does. We say so before you pay, and your refund went out the same day.'),
  (13, 5, 'Unlocked before I had closed the payment page.', null),
  (14, 4, 'Clear entries. I would like the exits explained in more depth.', null),
  (15, 5, 'My spreadsheet and the strategy agree to the cent. That is all I needed to know.', null),
  (16, 3, 'Fine on ETFs, mixed on single stocks around earnings.', 'Yes. The list says for some of them to skip the week of earnings.'),
  (17, 4, 'I cancelled once to see whether it is easy. It is. Then I came back.', null),
  (18, 5, 'No group chat, no countdown, no hype. Just the marks on the chart.', null),
  (19, 2, 'I could not get used to waiting. Probably me, not the tool.', null),
  (20, 5, 'The Rebound List alone saves me an evening a month.', null),
  (21, 4, 'Works on my free TradingView account. For alerts on all symbols I had to upgrade there.', null),
  (22, 4, 'Good support, friendly answers, even to a beginner’s question.', null),
  (23, 3, 'I like the honesty about losing trades, but I hoped for more of the winning ones this quarter.', null),
  (24, 5, 'After years of discretionary trading, the best part is that I no longer argue with myself at 10 pm.', null),
  (25, 4, 'Holding times are as described, two to five days. My wife noticed that I check my phone less.', null),
  (26, 5, 'The changelog is short and tells me what changed. More tools should do that.', null),
  (27, 2, 'It may be fine, but the yearly price is a lot for a small account.', 'It is, for a small one. The monthly plan can be cancelled at any time.'),
  (28, 5, 'I run it on eleven symbols. Three signals in a busy month is plenty.', null),
  (29, 4, 'Solid rules and tidy charts. A Pine tutorial would be a nice extra.', null),
  (30, 3, 'It took me a while to understand why it stayed silent in a falling market. Now I get it.', null),
  (31, 5, 'Bought for a month, stayed for the year.', null),
  (32, 4, 'The example on the site shows a loss on purpose. That convinced me more than any testimonial.', null),
  (33, 4, 'Reliable since July. One symbol disappeared from the list, with a reason.', null),
  (34, 5, 'I asked for an invoice with my VAT number and had it the same day.', null),
  (35, 3, 'Useful as a second opinion next to my own system, not as the only one.', null)) as v (n, stars, text, answer)
  where v.n = r.nth - 1) said on true
on conflict do nothing;

-- Declarations that a seller has handled: one arrived too late, the others ended their contracts in time.
insert into declarations (kind, state, name, contract, email, declared_at, network_hash, user_id, purchase_id, handled_at, outcome)
select case nth when 1 then 'withdrawal' else 'cancellation' end, 'done', name, email, email, at, '', user_id, id,
  at + case nth when 1 then interval '2 days' else interval '1 minute' end,
  case nth when 1 then 'Too late by a week, and the contract had ended before.'
    else 'Ends on ' || to_char(ended_at, 'Mon FMDD, YYYY') end
from (
  select *, ended_at + case nth when 1 then interval '21 days' else interval '-12 days' end as at
  from (
    select b.id, b.user_id, b.ended_at, u.name, u.email,
      row_number() over (order by b.ended_at > now() - interval '23 days', b.ended_at desc) as nth
    from booked b join users u on u.id = b.user_id
    where b.status = 'cancelled' and b.is_last and b.ended_at > b.created_at + interval '30 days') c
  where nth <= 4) c;

-- Purchases booked by hand: two gifts to friends, and a trader who paid by wire and has a week left.
with friends as (
  insert into users (email, name, verified_at)
  values ('lena.gift@example.com', 'Lena Gift', now()), ('otto.gift@example.com', 'Otto Gift', now()),
    ('walt.wire@example.com', 'Walt Wire', now())
  returning id, name)
insert into purchases (user_id, product_id, billing_type, price, status, created_at, ends_at, booked_until, booked_as, booked_because)
select id, :product, 'yearly', case when is_gift then 0 else 39000 end, 'active', now() - interval '2 months', ends, ends,
  case when is_gift then 'gift' else 'paid_elsewhere' end, case when is_gift then 'Tested the first version' else 'Paid by wire' end
from friends, lateral (select name like '% Gift' as is_gift) g,
  lateral (select case when is_gift then now() + interval '10 months' else now() + interval '6 days' end as ends) e;

-- Messages, with and without an answer.
insert into contact_messages (first_name, last_name, email, message, created_at, answered_at, answer)
select p.first, p.last, lower(p.first) || '@example.com', asked.message, now() - asked.ago,
  case when asked.answer is not null then now() - asked.ago + interval '5 hours' end, asked.answer
from (values
  (3, 'Does it work for stocks in Zürich?', interval '9 hours', null),
  (11, 'I paid with the wrong card. Can I change it before the next renewal?', interval '2 days', null),
  (19, 'Is there a trial?', interval '6 days', 'Not at the moment. You can withdraw within 14 days, though, and get all of it back.'),
  (27, 'Which timeframe do you use yourself?', interval '20 days', 'Daily charts only, as in the guide.')
) as asked (n, message, ago, answer)
join people p on p.n = least(asked.n, :users);

-- Newsletter addresses: most are confirmed, some are not, and some have unsubscribed.
insert into newsletter_subscriptions (email, created_at, confirmed_at, unsubscribed_at)
select 'reader' || p.n || '@example.com', p.created_at, case when p.luck < 0.9 then p.created_at + interval '7 minutes' end,
  case when p.n % 23 = 0 then now() - interval '2 days' end
from people p where p.n % 9 = 0 and p.n <= 2000
on conflict do nothing;
