-- Activity of buyers and staff after the purchases. Needs the admin that the first start creates.

update users set verified_at = created_at + interval '4 minutes'
where verified_at is null and (email = 'buyer@example.com' or email like '%.demo@example.com')
  and name not in ('Paul Demo', 'Wim Demo');

insert into customer_notes (user_id, author_id, text)
select u.id, a.id, notes.text
from (values
  ('buyer@example.com', 'Asked for European symbols. Tell them when the list grows.'),
  ('ada.demo@example.com', 'Travels until the end of the month; no hurry with the access.')
) as notes (email, text)
join users u on u.email = notes.email, (select id from users where is_admin limit 1) a;

-- Newsletters: one that went out last week, and a draft.
with author as (select id from users where is_admin order by created_at limit 1),
written as (
  insert into newsletters (subject, preheader, markdown, to_subscribers, state, created_at, updated_at, updated_by,
    approved_at, started_at, finished_at)
  select v.subject, v.preheader, v.markdown, true, v.state, now() - v.age, now() - v.age, author.id,
    case when v.state = 'sent' then now() - v.age end, case when v.state = 'sent' then now() - v.age end,
    case when v.state = 'sent' then now() - v.age + interval '2 minutes' end
  from author, (values
    ('Exits are drawn on the chart', 'And the strategy reports what each one cost.',
      E'Exits are now **drawn** where they happen.\n\n## What to do\n\n- Open the indicator once; it updates by itself.\n- Set `Show exits` if you want them.\n\nMore in the [changelog](/changelog).',
      'sent', interval '6 days'),
    ('The Rebound List in December', '',
      E'Three symbols leave the list, two join it.\n\n## Why\n\n- …', 'draft', interval '5 hours')
  ) as v (subject, preheader, markdown, state, age)
  returning id, state, started_at
)
insert into newsletter_recipients (newsletter_id, email, why, unsubscribe_id, state, done_at, reply, left_at)
select w.id, s.email, 'subscriber', s.id, case when s.n = 4 then 'refused' else 'sent' end,
  w.started_at + interval '1 minute', case when s.n = 4 then '550 5.1.1 No such user' end,
  case when s.unsubscribed_at is not null then s.unsubscribed_at end
from written w, (select *, row_number() over (order by email) as n from newsletter_subscriptions
  where confirmed_at is not null) s
where w.state = 'sent' and s.confirmed_at < w.started_at;
