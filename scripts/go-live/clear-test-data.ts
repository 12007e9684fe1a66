import type pg from 'pg'
import { sellersAddress } from '#server/mails/mails.ts'
import { accessMails } from '#server/mails/templates/access.ts'
import { declarationMails } from '#server/mails/templates/declarations.ts'
import { paymentMails } from '#server/mails/templates/payments.ts'
import { purchaseMails } from '#server/mails/templates/purchases.ts'
import type { MailKind } from '#server/mails/templates.ts'

/**
 * Keeps purchases booked by hand or imported, with their people, access and declarations.
 * Expects a transaction in a database that nobody else uses.
 */
export async function clearTestData(client: pg.ClientBase) {
  for (const statement of statements) await client.query(statement)
}

export async function countTestData(client: pg.ClientBase) {
  const { rows } = await client.query<{ purchases: number; orders: number; accounts: number }>(
    `select (select count(*)::int from purchases where stripe_subscription_id is not null) as purchases,
       (select count(*)::int from orders) as orders,
       (select count(*)::int from users where ${isTestAccount}) as accounts`,
  )
  return rows[0] ?? { purchases: 0, orders: 0, accounts: 0 }
}

/** No password, no passkey and no purchase booked by hand. */
const isTestAccount = `password_hash is null and not is_admin and role is null
  and not exists (select from passkeys where passkeys.user_id = users.id)
  and not exists (select from purchases p where p.user_id = users.id and p.stripe_subscription_id is null)
  and (exists (select from purchases p where p.user_id = users.id) or exists (select from orders c where c.user_id = users.id))`

/** All purchases of the product by the row's user are test purchases. */
const hasOnlyTestPurchases = (table: string) => `${table}.user_id in (select user_id from test_buyers)
  and not exists (select from purchases p where p.user_id = ${table}.user_id and p.product_id = ${table}.product_id
    and p.stripe_subscription_id is null)`

const otherMailsAboutPurchases: MailKind[] = [
  'accessRequested',
  'disputeOpened',
  'adminDigest',
  'reviewInvitation',
  'reviewWritten',
]
const mailTemplates = { ...paymentMails, ...purchaseMails, ...accessMails, ...declarationMails }
const kindsAboutPurchases = [...Object.keys(mailTemplates), ...otherMailsAboutPurchases]
const mailsAboutPurchases = kindsAboutPurchases.map((kind) => `'${kind}'`).join(', ')

const statements = [
  `set local shop.clears_test_data = 'on'`,
  // A deleted purchase is still found through its invoices.
  `create temporary table test_purchases on commit drop as
     select id from purchases where stripe_subscription_id is not null
     union select purchase_id from invoices where purchase_id is not null`,
  `create temporary table test_buyers on commit drop as
     select user_id from purchases where stripe_subscription_id is not null
     union select user_id from orders where user_id is not null union select user_id from invoices`,
  `create temporary table testers on commit drop as select id, email from users where ${isTestAccount}`,

  `delete from jobs.job where state <> 'completed' and name in (select name from jobs.queue where policy <> 'exclusive')
     and (data ? 'subscriptionId' or data->>'id' in (select d.id::text from declarations d where d.purchase_id in (select id from test_purchases))
       or data->>'userId' in (select user_id::text from test_buyers)
       or coalesce(data->>'to', data->>'email') in (select email from testers)
       or data->>'kind' in (${mailsAboutPurchases}) and data->>'to' in (
         select '${sellersAddress}' union select email from orders
         union select u.email from users u join test_buyers b on b.user_id = u.id))`,
  `delete from sent_mails where user_id in (select user_id from test_buyers) and kind in (${mailsAboutPurchases})
     or user_id in (select id from testers)`,
  `delete from declarations where purchase_id in (select id from test_purchases) or user_id in (select id from testers)`,
  'delete from balance_transactions',
  'delete from payouts',
  'delete from balance_reads',
  'delete from refunds',
  'delete from payments',
  'delete from credit_notes',
  'delete from invoices',
  'delete from mrr_movements where purchase_id in (select id from test_purchases)',
  'delete from mrr_proofs',
  'delete from code_uses',
  'delete from orders',
  `delete from reviews where ${hasOnlyTestPurchases('reviews')}`,
  `delete from access_forms where purchase_id in (select id from test_purchases)
     or (purchase_id is null and user_id in (select id from testers))`,
  `delete from access_events where ${hasOnlyTestPurchases('access_events')}`,
  `delete from access where ${hasOnlyTestPurchases('access')}`,
  'delete from purchases where stripe_subscription_id is not null',
  'delete from stripe_events',
  'delete from stripe_events_pulled',
  'update prices set stripe_price_id = null',

  // Recomputes access from purchases booked by hand.
  `update access a set version = version + 1, (reason, until) = (
     select case when p.ends_at is null then 'renews' else 'ends' end, p.ends_at from purchases p
     where p.user_id = a.user_id and p.product_id = a.product_id and p.status in ('active', 'pending_cancel')
     order by p.ends_at desc nulls first limit 1)
   where user_id in (select user_id from test_buyers)`,
  // Access unlocked only in the sandbox waits again for the seller or the real connection.
  `update access set version = version + 1, state = case when reason is null then 'locked' else 'asked' end,
     state_since = now(), asked_at = now(), unlocked_name = null
   where decided_by is null and state in ('unlocking', 'unlocked') and exists (select from tv_connection where host = 'sandbox')`,

  // Deletes the sandbox's TradingView data; a real connection stays, with what it read.
  `delete from tv_events where exists (select from tv_connection where host = 'sandbox')`,
  `delete from tv_scripts where exists (select from tv_connection where host = 'sandbox')`,
  `delete from tv_connection where host = 'sandbox'`,
  `delete from tv_people where is_present is not true and user_id in (select user_id from test_buyers)`,
  `update tv_people set user_id = null, is_ours = false where user_id in (select id from testers)`,

  'delete from customer_notes where user_id in (select id from testers)',
  'update contact_messages set user_id = null where user_id in (select id from testers)',
  'update mail_suppressions set user_id = null where user_id in (select id from testers)',
  'delete from reviews where user_id in (select id from testers)',
  'delete from access_events where user_id in (select id from testers)',
  'delete from access where user_id in (select id from testers)',
  'delete from users where id in (select id from testers)',
  'drop schema if exists sandbox cascade',
]
