import { type SQL, sql } from 'drizzle-orm'
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
  /** Movements that were recorded after the month had ended. */
  recordedLater: number
}
/** Number of people who began and stopped paying in a month. */
type PeopleSum = { month: string; began: number; stopped: number; beganToDate: number; stoppedToDate: number }

/** A row for each person and month with a change: yearly revenue before the month, after its part to date, and after the month. */
export const personMonths = (dayOfMonth: number): SQL => sql`(
  select user_id, month, coalesce(sum(arr) over earlier, 0) as arr_before,
    coalesce(sum(arr) over earlier, 0) + arr as arr_after,
    coalesce(sum(arr) over earlier, 0) + change_to_date as arr_to_date
  from (
    select user_id, month, sum(arr_after - arr_before)::int as arr,
      coalesce(sum(arr_after - arr_before) filter (where day_of_month <= ${dayOfMonth}), 0)::int as change_to_date
    from ${mrrMovements} group by 1, 2) changes
  window earlier as (partition by user_id order by month rows between unbounded preceding and 1 preceding))`

export async function readLastTwelveMonths(db: Database, now: Date) {
  const names = namesOfLastTwelve(now)
  const [movements, people] = await Promise.all([readMovements(db, now.getUTCDate()), readPeople(db, now.getUTCDate())])
  const previousMonth = names.at(-2) ?? ''
  const movementsToDate = movements.filter((row) => row.month !== previousMonth || row.isToDate)
  const peopleToDate = people.map((row) =>
    row.month === previousMonth ? { ...row, began: row.beganToDate, stopped: row.stoppedToDate } : row,
  )
  return {
    months: names.map((month) => figuresOf(month, movements, people)),
    lastMonthSoFar: figuresOf(previousMonth, movementsToDate, peopleToDate),
  }
}

export const byKind = <Sum>(sumOf: (kind: MovementKind) => Sum) =>
  Object.fromEntries(movementKinds.map((kind) => [kind, sumOf(kind)])) as Record<MovementKind, Sum>

const add = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

function figuresOf(month: string, movements: MovementSum[], people: PeopleSum[]): OverviewMonth {
  const movementsUntilMonth = movements.filter((row) => row.month <= month)
  const movementsOfMonth = movements.filter((row) => row.month === month)
  const peopleBefore = people.filter((row) => row.month < month)
  const payingBefore = add(peopleBefore.map(({ began, stopped }) => began - stopped))
  const { began = 0, stopped = 0 } = people.find((row) => row.month === month) ?? {}
  return {
    month,
    arr: add(movementsUntilMonth.map(({ arr }) => arr)),
    paying: payingBefore + began - stopped,
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
      (count(*) filter (where recorded_at at time zone 'UTC' >= month + interval '1 month'))::int as "recordedLater"
    from ${mrrMovements} group by mrr_movements.month, 2, 3`)
  return rows
}

async function readPeople(db: Database, dayOfMonth: number) {
  const { rows } = await db.execute<PeopleSum>(sql`
    select to_char(month, 'YYYY-MM') as month,
      (count(*) filter (where arr_before <= 0 and arr_after > 0))::int as began,
      (count(*) filter (where arr_before > 0 and arr_after <= 0))::int as stopped,
      (count(*) filter (where arr_before <= 0 and arr_to_date > 0))::int as "beganToDate",
      (count(*) filter (where arr_before > 0 and arr_to_date <= 0))::int as "stoppedToDate"
    from ${personMonths(dayOfMonth)} people group by people.month`)
  return rows
}
