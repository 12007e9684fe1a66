import { sql } from 'drizzle-orm'
import { accessPromiseHours } from '#contract/access-requests.ts'
import type { Database } from '../../database/connect.ts'
import { accessRequests, purchases, subscriptionMovements } from '../../database/schema.ts'
import type { Queue } from '../../jobs/queue.ts'
import { type Movement, monthsOf } from './months.ts'

const cap = 10_000

export type Overview = ReturnType<typeof createOverview>

/** How the shop is doing. No figure needs more than a few hundred rows, however many purchases there are. */
export function createOverview({ db, queue, now }: { db: Database; queue: Queue; now: () => Date }) {
  const { month, billingType, begun, begunAmount, ended, endedAmount } = subscriptionMovements

  queue.schedule('add-up-subscription-movements', '17 2 * * *', async () => {
    await db.execute(sql`
      with taken as (delete from ${subscriptionMovements} returning *)
      insert into ${subscriptionMovements} (month, billing_type, begun, begun_amount, ended, ended_amount)
      select month, billing_type, sum(begun), sum(begun_amount), sum(ended), sum(ended_amount)
      from taken group by month, billing_type`)
  })

  const movements = (): Promise<Movement[]> =>
    db
      .select({
        month: sql<string>`to_char(${month}, 'YYYY-MM')`,
        billingType,
        begun: sql`sum(${begun})`.mapWith(Number),
        begunAmount: sql`sum(${begunAmount})`.mapWith(Number),
        ended: sql`sum(${ended})`.mapWith(Number),
        endedAmount: sql`sum(${endedAmount})`.mapWith(Number),
      })
      .from(subscriptionMovements)
      .groupBy(month, billingType)

  async function openMatters() {
    const overdueBefore = new Date(now().getTime() - accessPromiseHours * 3_600_000)
    const { rows } = await db.execute<Record<'failed' | 'open' | 'overdue', number>>(sql`
      select
        (select count(*) from (select from ${purchases} where status = 'past_due' limit ${cap}))::int as failed,
        count(*)::int as open,
        (count(*) filter (where submitted_at < ${overdueBefore}))::int as overdue
      from (
        select r.submitted_at from ${accessRequests} r join ${purchases} p on p.id = r.purchase_id
        where r.status = 'requested' and p.status in ('active', 'pending_cancel', 'past_due')
        order by r.submitted_at limit ${cap})`)
    return rows[0] ?? { failed: 0, open: 0, overdue: 0 }
  }

  return {
    async show() {
      const [moved, { failed, open, overdue }] = await Promise.all([movements(), openMatters()])
      return {
        months: monthsOf(moved, now()),
        failedPayments: failed,
        openAccessRequests: open,
        overdueAccessRequests: overdue,
      }
    },
  }
}
