import { sql } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { subscriptionMovements } from '#server/database/schema.ts'
import type { Movement } from './months.ts'

/** What each month gained and lost. triggers.sql adds rows with every change to a purchase. */
export function createMovements({ db }: { db: Database }) {
  const { month, billingType, begun, begunAmount, ended, endedAmount } = subscriptionMovements

  return {
    movements: (): Promise<Movement[]> =>
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
        .groupBy(month, billingType),

    /** Merges a month's rows into one, so the overview stays as fast as on day one. */
    async addUpMovements() {
      await db.execute(sql`
        with taken as (delete from ${subscriptionMovements} returning *)
        insert into ${subscriptionMovements} (month, billing_type, begun, begun_amount, ended, ended_amount)
        select month, billing_type, sum(begun), sum(begun_amount), sum(ended), sum(ended_amount)
        from taken group by month, billing_type`)
    },
  }
}
