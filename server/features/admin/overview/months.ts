import { sql } from 'drizzle-orm'
import type { OverviewMonth } from '#contract/admin/overview.ts'
import { type MovementKind, movementKinds } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { mrrMovements } from '#server/database/schema.ts'

// "To date" is a month's part up to today's day of the month, for comparing the previous month with the unfinished one.

/** Sum of a month's movements of one kind: of its part to date, or of the rest of the month. */
type MovementSum = {
  month: string
  isToDate: boolean
  kind: MovementKind
  count: number
  arr: number
  /** Change in the number of paying people. */
  people: number
  /** Movements that were recorded after the month had ended. */
  recordedLater: number
}
/** Number of people who paid when the month began and stopped during it. */
type StoppedSum = { month: string; stopped: number; stoppedToDate: number }

export async function readLastTwelveMonths(db: Database, now: Date) {
  const names = namesOfLastTwelve(now)
  const [movements, stopped] = await Promise.all([
    readMovements(db, now.getUTCDate()),
    readStopped(db, now.getUTCDate(), names[0] ?? ''),
  ])
  const previousMonth = names.at(-2) ?? ''
  const movementsToDate = movements.filter((row) => row.month !== previousMonth || row.isToDate)
  const stoppedIn = (name: string) => stopped.find(({ month }) => month === name)
  return {
    months: names.map((month) => figuresOf(month, movements, stoppedIn(month)?.stopped ?? 0)),
    lastMonthSoFar: figuresOf(previousMonth, movementsToDate, stoppedIn(previousMonth)?.stoppedToDate ?? 0),
  }
}

export const byKind = <Sum>(sumOf: (kind: MovementKind) => Sum) =>
  Object.fromEntries(movementKinds.map((kind) => [kind, sumOf(kind)])) as Record<MovementKind, Sum>

const add = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

function figuresOf(month: string, movements: MovementSum[], stopped: number): OverviewMonth {
  const movementsUntilMonth = movements.filter((row) => row.month <= month)
  const movementsOfMonth = movements.filter((row) => row.month === month)
  const paying = add(movementsUntilMonth.map(({ people }) => people))
  const payingBefore = paying - add(movementsOfMonth.map(({ people }) => people))
  return {
    month,
    arr: add(movementsUntilMonth.map(({ arr }) => arr)),
    paying,
    paidWhenItBegan: payingBefore,
    stopped,
    // Percent, with one decimal place.
    churn: payingBefore > 0 ? Math.round((1000 * stopped) / payingBefore) / 10 : null,
    movements: byKind((kind) => {
      const ofKind = movementsOfMonth.filter((row) => row.kind === kind)
      return { arr: add(ofKind.map(({ arr }) => arr)), count: add(ofKind.map(({ count }) => count)) }
    }),
    late: add(movementsOfMonth.map(({ recordedLater }) => recordedLater)),
  }
}

/** Oldest first, as in `2026-11`. */
function namesOfLastTwelve(now: Date): string[] {
  return Array.from({ length: 12 }, (_, index) => {
    const monthStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index))
    return monthStart.toISOString().slice(0, 7)
  })
}

/** A correction is the opposite of an earlier movement, so it is subtracted from the count. */
async function readMovements(db: Database, dayOfMonth: number) {
  const { rows } = await db.execute<MovementSum>(sql`
    select to_char(month, 'YYYY-MM') as month, day_of_month <= ${dayOfMonth} as "isToDate", kind,
      sum(case when corrects is null then 1 else -1 end)::int as count, sum(arr_after - arr_before)::float8 as arr,
      sum(people)::int as people,
      (count(*) filter (where recorded_at at time zone 'UTC' >= month + interval '1 month'))::int as "recordedLater"
    from ${mrrMovements} group by mrr_movements.month, 2, 3`)
  return rows
}

/** A person whose movements of a month add up to -1 paid when it began and doesn't pay when it ends. */
async function readStopped(db: Database, dayOfMonth: number, firstMonth: string) {
  const { rows } = await db.execute<StoppedSum>(sql`
    select to_char(month, 'YYYY-MM') as month, (count(*) filter (where change = -1))::int as stopped,
      (count(*) filter (where change_to_date = -1))::int as "stoppedToDate"
    from (
      select month, sum(people) as change, sum(people) filter (where day_of_month <= ${dayOfMonth}) as change_to_date
      from ${mrrMovements} where people <> 0 and month >= ${`${firstMonth}-01`}::date group by month, user_id) changes
    group by changes.month`)
  return rows
}
