import { type SQL, sql } from 'drizzle-orm'
import { liveStatuses } from '#contract/statuses.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { sqlList } from '#server/database/schema/columns.ts'
import {
  mailSuppressions,
  newsletterRecipients,
  newsletterSubscriptions,
  orders,
  purchases,
  users,
} from '#server/database/schema.ts'

export type Audience = { toSubscribers: boolean; buyersOf: string | null }

/**
 * Confirmed subscribers, and buyers who were told about news at the checkout and never objected. `email` selects one.
 * A guest's order for an existing account (`made_account` is false) is no consent of its owner.
 */
export function audienceOf({ toSubscribers, buyersOf }: Audience, email?: SQL): SQL {
  const isSelectedSubscriber = email ? sql`s.email = ${email}` : sql`true`
  const isSelectedBuyer = email ? sql`u.email = ${email}` : sql`true`
  return sql`(
  select s.email, 'subscriber' as why, s.id as unsubscribe_id from ${newsletterSubscriptions} s
  where ${toSubscribers} and s.confirmed_at is not null and s.unsubscribed_at is null and ${isSelectedSubscriber}
    and not exists (select from ${mailSuppressions} m where m.email = s.email)
  union all
  select u.email, 'buyer', u.id from ${users} u
  where u.verified_at is not null and u.deleted_at is null and ${isSelectedBuyer}
    and exists (select from ${purchases} p where p.user_id = u.id and p.product_id = ${buyersOf}::uuid
      and p.status in ${sql.raw(sqlList(liveStatuses))})
    and exists (select from ${orders} o
      where o.user_id = u.id and o.email = u.email and o.closed_at is not null and o.news_version is not null
        and o.made_account is distinct from false)
    and not exists (select from ${orders} o
      where o.user_id = u.id and o.news_objected_at is not null and o.made_account is distinct from false)
    and not exists (select from ${mailSuppressions} m where m.email = u.email)
    and not exists (select from ${mailSuppressions} m where m.user_id = u.id)
)`
}

export async function countAudience(db: Database, audience: Audience): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(distinct email)::int as count from ${audienceOf(audience)} a`,
  )
  return rows[0]?.count ?? 0
}

/** Stores one recipient for each address. `why desc` prefers the subscriber if a buyer has also subscribed. */
export async function storeRecipients(tx: Transaction, newsletter: Audience & { id: string }) {
  await tx.execute(
    sql`insert into ${newsletterRecipients} (newsletter_id, email, why, unsubscribe_id)
      select distinct on (email) ${newsletter.id}::uuid, email, why, unsubscribe_id from ${audienceOf(newsletter)} a
      order by email, why desc on conflict do nothing`,
  )
}

export type Unreachable = { untold: number; objected: number; refused: number; bySeller: number }

/** `untold` counts customers who were not told about news at the checkout, or have not confirmed their address. */
export async function countUnreachable(db: Database, { buyersOf }: Audience): Promise<Unreachable> {
  const { rows } = await db.execute<Unreachable>(sql`
    select (count(*) filter (where why is null))::int as untold, (count(*) filter (where why = 'objected'))::int as objected,
      (count(*) filter (where why = 'refused'))::int as refused, (count(*) filter (where why = 'by_seller'))::int as "bySeller"
    from (
      select coalesce(
        (select m.because from ${mailSuppressions} m where m.email = u.email or m.user_id = u.id limit 1),
        (select 'objected' from ${orders} o
          where o.user_id = u.id and o.news_objected_at is not null limit 1)) as why
      from ${users} u
      where u.deleted_at is null
        and exists (select from ${purchases} p where p.user_id = u.id and p.product_id = ${buyersOf}::uuid
          and p.status in ${sql.raw(sqlList(liveStatuses))})
        and not exists (select from ${audienceOf({ toSubscribers: false, buyersOf })} a where a.email = u.email)) customers`)
  return rows[0] ?? { untold: 0, objected: 0, refused: 0, bySeller: 0 }
}
