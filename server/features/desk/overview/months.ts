import { sql } from 'drizzle-orm'
import type { OverviewMonth } from '#contract/desk/overview.ts'
import type { BillingType } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { subscriptionMovements } from '#server/database/schema.ts'

/** A month's changes to subscriptions of one billing type; amounts in cents per billing period. */
type Movement = {
  month: string
  billingType: BillingType
  begun: number
  begunAmount: number
  ended: number
  endedAmount: number
}

/** The last twelve months, computed from every movement ever. */
export async function lastTwelveMonths(db: Database, now: Date): Promise<OverviewMonth[]> {
  const movements = await readMovements(db)
  return namesOfLastTwelve(now).map((month) => {
    const upTo = movements.filter((movement) => movement.month <= month)
    const within = upTo.filter((movement) => movement.month === month)
    const active = sum(upTo, ({ begun, ended }) => begun - ended)
    const begun = sum(within, (movement) => movement.begun)
    const lost = sum(within, (movement) => movement.ended)
    const before = active - begun + lost
    return {
      month,
      // Rounded once, at the end: a sum of rounded twelfths would drift away from the purchases.
      revenue: Math.round(
        sum(
          upTo,
          ({ begunAmount, endedAmount, billingType }) =>
            (begunAmount - endedAmount) * (billingType === 'monthly' ? 12 : 1),
        ) / 12,
      ),
      active,
      begun,
      lost,
      churn: before > 0 ? Math.round((1000 * lost) / before) / 10 : null,
    }
  })
}

function namesOfLastTwelve(now: Date): string[] {
  return Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index)).toISOString().slice(0, 7),
  )
}

const sum = (movements: Movement[], of: (movement: Movement) => number) =>
  movements.reduce((total, movement) => total + of(movement), 0)

/** What each month gained and lost. triggers.sql adds rows with every change to a purchase. */
function readMovements(db: Database): Promise<Movement[]> {
  const { month, billingType, begun, begunAmount, ended, endedAmount } = subscriptionMovements
  return db
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
}

/** Merges a month's rows into one, so the overview stays as fast as on day one. */
export async function addUpMovements(db: Database) {
  await db.execute(sql`
    with taken as (delete from ${subscriptionMovements} returning *)
    insert into ${subscriptionMovements} (month, billing_type, begun, begun_amount, ended, ended_amount)
    select month, billing_type, sum(begun), sum(begun_amount), sum(ended), sum(ended_amount)
    from taken group by month, billing_type`)
}
