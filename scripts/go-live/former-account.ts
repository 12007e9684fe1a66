import type pg from 'pg'
import { StartError } from '#server/errors.ts'

const maxListed = 20

/** Nobody could cancel or refund the former account's subscriptions after the switch. */
export async function assertAccountIdle(client: pg.ClientBase) {
  const { rows } = await client.query<{ id: string; email: string }>(
    `select p.stripe_subscription_id as id, u.email from purchases p join users u on u.id = p.user_id
     where p.stripe_subscription_id is not null and p.former_account is null and p.status not in ('cancelled', 'expired')
     union all
     select subscription_id, email from orders where kind = 'new' and closed_at is null and created_at > now() - interval '24 hours'
     order by 2`,
  )
  if (rows.length === 0) return
  const listedRows = rows.slice(0, maxListed).map(({ id, email }) => `\n  ${id}  ${email}`)
  const more = rows.length > maxListed ? `\n  and ${rows.length - maxListed} more` : ''
  throw new StartError(
    `The former account still has ${rows.length} ongoing subscriptions. They would go on charging where the shop can neither cancel nor refund them. Put its keys back, end them, and wait until they have ended:${listedRows.join('')}${more}`,
  )
}

/** Nothing looks for marked purchases and invoices at the new account. */
export async function markFormerAccount(client: pg.ClientBase, accountId: string | null) {
  const parameters = [accountId ?? 'former account']
  await client.query(
    'update purchases set former_account = $1 where stripe_subscription_id is not null and former_account is null',
    parameters,
  )
  await client.query('update invoices set former_account = $1 where former_account is null', parameters)
  await client.query(`delete from orders where kind = 'switch' and closed_at is null`)
  await client.query('update orders set closed_at = now() where closed_at is null')
  await client.query('update prices set stripe_price_id = null')
  await client.query('delete from stripe_events')
  await client.query('delete from stripe_events_pulled')
  await client.query(
    `delete from jobs.job where state <> 'completed' and data ? 'subscriptionId'
       and name in (select name from jobs.queue where policy <> 'exclusive')`,
  )
}
