import { Readable } from 'node:stream'
import { and, desc, eq, getTableColumns, gte, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { figures as contract, Range } from '#contract/admin/figures.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { Context } from '#server/context.ts'
import { boundsOf, decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { failedRefundStatuses } from '#server/database/schema/columns.ts'
import { mrrMovements, payments, purchases, refunds, users } from '#server/database/schema.ts'
import type { Areas } from '../areas.ts'
import { csvOfMonths } from './figures-csv.ts'
import { byKind, readLastTwelveMonths } from './months.ts'
import { createPayments, type ListPayments } from './payments.ts'

type FigureContext = Pick<Context, 'db' | 'now'>

export type Figures = {
  payments: ListPayments
  show(range: Range | undefined): Promise<RawOutputOf<typeof contract.adminShow>>
  csv(): Promise<{ name: string; stream: Readable }>
  movements(filter: MovementFilter): Promise<Page<RawOutputOf<typeof contract.adminMovements>[number]>>
}

type MovementFilter = ParsedInputOf<typeof contract.adminMovements>

const monthsInRange = { '3m': 3, '12m': 12, all: null }
/** Months of first payments in the cohort table. */
const cohortCount = 12

const startOfMonth = (date: Date, monthsAgo = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsAgo))
const monthName = (date: Date) => date.toISOString().slice(0, 7)

/** Start of a range, at the start of a UTC day; undefined for all time. Ranges end now. */
function startOfRange(range: Range | undefined, now: Date): Date | undefined {
  if (range === '30d') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 29))
  const months = monthsInRange[range ?? 'all']
  return months === null ? undefined : startOfMonth(now, months - 1)
}

const correction = alias(mrrMovements, 'correction')

export function createFigures(context: FigureContext, { selling }: Areas): Figures {
  const { db, now } = context
  // Skips corrected rows and their corrections.
  const isUncorrected = and(
    isNull(mrrMovements.corrects),
    notExists(db.select({ id: correction.id }).from(correction).where(eq(correction.corrects, mrrMovements.id))),
  )

  /** Sums by kind and cause; movements before the range are one row. */
  async function readMovements(from: Date | undefined) {
    const { at, kind, cause, arrAfter, arrBefore, corrects } = mrrMovements
    const isWithin = from ? sql<boolean>`${at} >= ${from}` : sql<boolean>`true`
    const rows = await db
      .select({
        isWithin: isWithin.as('is_within'),
        kind,
        cause,
        arr: sql<string>`sum(${arrAfter} - ${arrBefore})`,
        count: sql<string>`sum(case when ${corrects} is null then 1 else -1 end)`,
      })
      .from(mrrMovements)
      .groupBy(sql`1`, kind, cause)
    const sums = rows.map((row) => ({ ...row, arr: Number(row.arr), count: Number(row.count) }))
    const sumsBefore = sums.filter((row) => !row.isWithin)
    const sumsWithin = sums.filter((row) => row.isWithin)
    const addUp = (rowsToAdd: typeof sums) => ({
      arr: rowsToAdd.reduce((total, row) => total + row.arr, 0),
      count: rowsToAdd.reduce((total, row) => total + row.count, 0),
    })
    const churnByCause = sumsWithin.filter((row) => row.kind === 'churn' && row.count > 0)
    return {
      before: addUp(sumsBefore).arr,
      movements: byKind((movementKind) => addUp(sumsWithin.filter((row) => row.kind === movementKind))),
      lost: churnByCause
        .map((row) => ({ cause: row.cause, arr: row.arr, count: row.count }))
        .toSorted((a, b) => b.count - a.count),
    }
  }

  async function readReasons(from: Date | undefined) {
    const { leaveReason: reason, endedAt } = purchases
    const count = sql<number>`count(*)::int`
    const rows = await db
      .select({ reason, count, arr: sql<number>`sum(${mrrMovements.arrAfter} - ${mrrMovements.arrBefore})::float8` })
      .from(purchases)
      .innerJoin(mrrMovements, eq(mrrMovements.purchaseId, purchases.id))
      .where(
        and(
          isNotNull(reason),
          isNotNull(endedAt),
          from && gte(endedAt, from),
          from && gte(mrrMovements.at, from),
          eq(mrrMovements.kind, 'churn'),
          isUncorrected,
        ),
      )
      .groupBy(reason)
      .orderBy(desc(count), reason)
    // The condition already excludes rows without a reason; this tells the type checker.
    return rows.flatMap((row) => (row.reason ? [{ ...row, reason: row.reason }] : []))
  }

  return {
    payments: createPayments(context),

    async show(range) {
      const from = startOfRange(range, now())
      const [movements, reasons, cohorts, cash, proof] = await Promise.all([
        readMovements(from),
        readReasons(from),
        readCohorts(context),
        readCash(context, from),
        selling.proof.show(),
      ])
      return { ...movements, reasons, cohorts, cash, proof }
    },

    async csv() {
      const [{ months }, cash] = await Promise.all([
        readLastTwelveMonths(db, now()),
        readCash(context, startOfMonth(now(), 11)),
      ])
      return {
        name: `figures-${now().toISOString().slice(0, 10)}.csv`,
        stream: Readable.from([csvOfMonths(months, cash)]),
      }
    },

    async movements({ limit, cursor, kind, cause, reason, month, range }) {
      const after = decodeCursor(cursor, String.raw`\d{1,18}`)
      const { at, id } = mrrMovements
      const from = startOfRange(range, now())
      const [begin, end] = month ? boundsOf(month) : []
      const rows = await db
        .select({
          ...getTableColumns(mrrMovements),
          reason: purchases.leaveReason,
          comment: purchases.leaveComment,
          user: { id: users.id, name: users.name, email: users.email },
        })
        .from(mrrMovements)
        .innerJoin(users, eq(users.id, mrrMovements.userId))
        // Only churn has a reason; a deleted purchase has none.
        .leftJoin(purchases, and(eq(purchases.id, mrrMovements.purchaseId), eq(mrrMovements.kind, 'churn')))
        .where(
          and(
            isUncorrected,
            kind && eq(mrrMovements.kind, kind),
            cause && eq(mrrMovements.cause, cause),
            reason && eq(purchases.leaveReason, reason),
            begin && end ? and(gte(at, begin), lt(at, end)) : undefined,
            from && gte(at, from),
            after && sql`(${at}, ${id}) < (${after.at}, ${Number(after.id)})`,
          ),
        )
        .orderBy(desc(at), desc(id))
        .limit(limit + 1)
      return pageOf(rows, limit, (row) => ({ at: row.at, id: String(row.id) }))
    },
  }
}

/** Cohorts by month of first payment, newest first. A correction may move a person to another month. */
async function readCohorts({ db, now }: Pick<Context, 'db' | 'now'>) {
  const { rows } = await db.execute<{ cohort: string; month: string; joined: number; people: number; arr: number }>(sql`
    with firsts as (
      select m.user_id, date_trunc('month', min(m.at) at time zone 'UTC') as cohort
      from ${mrrMovements} m where m.kind = 'new' and m.corrects is null
        and not exists (select from ${mrrMovements} correction where correction.corrects = m.id)
      group by 1 having min(m.at) >= ${startOfMonth(now(), cohortCount - 1)})
    select to_char(cohort, 'YYYY-MM') as cohort, to_char(month, 'YYYY-MM') as month,
      (count(distinct user_id) filter (where month = cohort))::int as joined,
      sum(people)::int as people, sum(arr_after - arr_before)::float8 as arr
    from ${mrrMovements} join firsts using (user_id) group by 1, 2`)

  const today = now()
  const monthsNewestFirst = Array.from({ length: cohortCount }, (_, age) => monthName(startOfMonth(today, age)))
  const cohorts = []
  for (const [age, month] of monthsNewestFirst.entries()) {
    const cohortRows = rows.filter((row) => row.cohort === month)
    const joined = cohortRows.find((row) => row.month === month)?.joined ?? 0
    if (joined === 0) continue

    // Rows hold changes, so each month adds to the sums of the months before it.
    let [count, arr] = [0, 0]
    const stayed = []
    const monthsSinceCohort = monthsNewestFirst.slice(0, age + 1).toReversed()
    for (const monthSince of monthsSinceCohort) {
      const change = cohortRows.find((row) => row.month === monthSince)
      count += change?.people ?? 0
      arr += change?.arr ?? 0
      stayed.push({ count, arr })
    }
    cohorts.push({ month, joined, stayed })
  }
  return cohorts
}

/** By the month in which it moved, newest first. */
async function readCash({ db }: Pick<Context, 'db'>, from: Date | undefined) {
  const movedCash = sql`
    select paid_at as at, amount as paid, tax, 0 as refunded, 0 as lost from ${payments}
    union all select at, 0, -tax, amount, 0 from ${refunds} where status not in ${failedRefundStatuses}
    union all select lost_at, 0, -round(tax * lost_amount / amount::numeric), 0, lost_amount
      from ${payments} where lost_at is not null`
  const { rows } = await db.execute<{ month: string; paid: number; tax: number; refunded: number; lost: number }>(sql`
    select to_char(at at time zone 'UTC', 'YYYY-MM') as month, sum(paid)::float8 as paid, sum(tax)::float8 as tax,
      sum(refunded)::float8 as refunded, sum(lost)::float8 as lost
    from (${movedCash}) moved where ${from ? sql`at >= ${startOfMonth(from)}` : sql`true`} group by 1 order by 1 desc`)
  return rows
}
