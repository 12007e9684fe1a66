import { sql } from 'drizzle-orm'
import type { OverviewMonth } from '#contract/desk/overview.ts'
import { type MovementKind, movementKinds } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { mrrMovements } from '#server/database/schema.ts'

/** What moved in a month: up to today's day of the month, or after it. */
type Sum = {
  month: string
  isEarly: boolean
  kind: MovementKind
  count: number
  people: number
  arr: number
  late: number
}

/** The last twelve months, from everything that ever moved, and the last one up to the same day as the current one. */
export async function lastTwelveMonths(db: Database, now: Date) {
  const names = namesOfLastTwelve(now)
  const sums = await readSums(db, names[0] ?? '', now.getUTCDate())
  return {
    months: names.map((month) => figures(month, sums)),
    lastMonthSoFar: figures(
      names.at(-2) ?? '',
      sums.filter(({ month, isEarly }) => isEarly || month !== names.at(-2)),
    ),
  }
}

export const byKind = <Each>(sumOf: (kind: MovementKind) => Each) =>
  Object.fromEntries(movementKinds.map((kind) => [kind, sumOf(kind)])) as Record<MovementKind, Each>

const totals = (sums: Sum[]): [arr: number, paying: number] => [
  sums.reduce((total, { arr }) => total + arr, 0),
  sums.reduce((total, { people }) => total + people, 0),
]

function figures(month: string, all: Sum[]): OverviewMonth {
  const sums = all.filter((each) => each.month === month)
  const [arr, people] = totals(sums)
  const [arrBefore, payingBefore] = totals(all.filter((each) => each.month < month))
  const of = (kind: MovementKind) => sums.filter((each) => each.kind === kind)
  const lost = -totals(of('churn'))[1]
  return {
    month,
    arr: arrBefore + arr,
    paying: payingBefore + people,
    lost,
    churn: payingBefore > 0 ? Math.round((1000 * lost) / payingBefore) / 10 : null,
    movements: byKind((kind) => ({
      arr: totals(of(kind))[0],
      count: of(kind).reduce((total, { count }) => total + count, 0),
    })),
    late: sums.reduce((total, each) => total + each.late, 0),
  }
}

function namesOfLastTwelve(now: Date): string[] {
  return Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index)).toISOString().slice(0, 7),
  )
}

/** A few rows for each month; all movements before the first month are one. */
function readSums(db: Database, first: string, dayOfMonth: number): Promise<Sum[]> {
  const { kind, people, arrAfter, arrBefore, corrects, recordedAt } = mrrMovements
  const at = sql`${mrrMovements.at} at time zone 'UTC'`
  const month = sql<string>`to_char(greatest(${at}, ${first + '-01'}::timestamp - interval '1 day'), 'YYYY-MM')`
  const isLate = sql`date_trunc('month', ${recordedAt} at time zone 'UTC') > date_trunc('month', ${at})`
  return db
    .select({
      month: month.as('month'),
      isEarly: sql<boolean>`extract(day from ${at}) <= ${dayOfMonth}`.as('is_early'),
      kind,
      count: sql`sum(case when ${corrects} is null then 1 else -1 end)`.mapWith(Number),
      people: sql`sum(${people})`.mapWith(Number),
      arr: sql`sum(${arrAfter} - ${arrBefore})`.mapWith(Number),
      late: sql`count(*) filter (where ${isLate})`.mapWith(Number),
    })
    .from(mrrMovements)
    .groupBy(sql`1`, sql`2`, kind)
}
