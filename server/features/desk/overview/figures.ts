import { and, desc, eq, getTableColumns, gte, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import { type AnyPgColumn, alias } from 'drizzle-orm/pg-core'
import type { figures as contract, Range } from '#contract/desk/figures.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { MovementCause, MovementKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { boundsOf, decodeCursor, pageOf } from '#server/database/cursor.ts'
import { cashMonths, cohortMonths, mrrDays, mrrMovements, purchases, users } from '#server/database/schema.ts'
import type { Wings } from '../wings.ts'
import { byKind } from './months.ts'
import { createPayments } from './payments.ts'

type Wanted = ParsedInputOf<typeof contract.adminMovements>

const monthsIn = { '3m': 3, '12m': 12, all: null }
/** How many months of first payments the table of who stayed has. */
const cohorts = 12

const monthsAgo = (now: Date, months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
const nameOf = (date: Date) => date.toISOString().slice(0, 7)

/** When a range begins, at the start of a day; all of them end now. What is old is only known by month. */
function since(range: Range | undefined, now: Date): Date | undefined {
  if (range === '30d') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 29))
  const months = monthsIn[range ?? 'all']
  return months === null ? undefined : monthsAgo(now, months - 1)
}

const taker = alias(mrrMovements, 'taker')

export function createFigures(context: Context, { selling }: Wings) {
  const { db, now } = context
  // What was taken back is no movement, and neither is taking it back.
  const stands = and(
    isNull(mrrMovements.corrects),
    notExists(db.select({ id: taker.id }).from(taker).where(eq(taker.corrects, mrrMovements.id))),
  )

  /** By kind and cause; what came before the range is one row. */
  async function readMovements(from: Date | undefined) {
    const { day, kind, cause, arr, movements } = mrrDays
    const isWithin = from ? sql`${day} >= ${from.toISOString().slice(0, 10)}::date` : sql`true`
    const { rows } = await db.execute<{
      isWithin: boolean
      kind: MovementKind
      cause: MovementCause
      arr: string
      count: string
    }>(sql`
      select ${isWithin} as "isWithin", ${kind}, ${cause}, sum(${arr}) as arr, sum(${movements}) as count
      from ${mrrDays} group by 1, 2, 3`)
    const sums = rows.map((row) => ({ ...row, arr: Number(row.arr), count: Number(row.count) }))
    const within = sums.filter((row) => row.isWithin)
    const add = (some: typeof sums) => ({
      arr: some.reduce((total, row) => total + row.arr, 0),
      count: some.reduce((total, row) => total + row.count, 0),
    })
    return {
      before: add(sums.filter((row) => !row.isWithin)).arr,
      movements: byKind((wanted) => add(within.filter((row) => row.kind === wanted))),
      lost: within
        .filter((row) => row.kind === 'churn' && row.count > 0)
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
          stands,
        ),
      )
      .groupBy(reason)
      .orderBy(desc(count), reason)
    return rows.flatMap((row) => (row.reason ? [{ ...row, reason: row.reason }] : []))
  }

  return {
    payments: createPayments(context),

    async show(range: Range | undefined) {
      const from = since(range, now())
      const [moved, reasons, stayed, cash, compared] = await Promise.all([
        readMovements(from),
        readReasons(from),
        readCohorts(context),
        readCash(context, from),
        selling.proof.show(),
      ])
      return { ...moved, reasons, cohorts: stayed, cash, proof: compared }
    },

    async movements({ limit, cursor, kind, cause, reason, month, range }: Wanted) {
      const after = decodeCursor(cursor, String.raw`\d{1,18}`)
      const { at, id } = mrrMovements
      const from = since(range, now())
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
        // Only who has left said why; deleted, a purchase says nothing anymore.
        .leftJoin(purchases, and(eq(purchases.id, mrrMovements.purchaseId), eq(mrrMovements.kind, 'churn')))
        .where(
          and(
            stands,
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

/** Who stayed, by the month of their first payment. */
async function readCohorts({ db, now }: Context) {
  const first = nameOf(monthsAgo(now(), cohorts - 1))
  const rows = await db
    .select()
    .from(cohortMonths)
    .where(gte(cohortMonths.cohort, `${first}-01`))
  return Array.from({ length: cohorts }, (_, age) => age).flatMap((age) => {
    const month = nameOf(monthsAgo(now(), age))
    const own = rows.filter(({ cohort }) => cohort.startsWith(month))
    const joined = own.reduce((total, row) => total + row.joined, 0)
    let [count, arr] = [0, 0]
    const stayed = Array.from({ length: age + 1 }, (_, place) => {
      for (const row of own.filter((each) => each.month.startsWith(nameOf(monthsAgo(now(), age - place))))) {
        count += row.people
        arr += row.arr
      }
      return { count, arr }
    })
    return joined > 0 ? [{ month, joined, stayed }] : []
  })
}

async function readCash({ db }: Context, from: Date | undefined) {
  const { month, paid, tax, refunded, lost } = cashMonths
  const sumOf = (column: AnyPgColumn) => sql<number>`sum(${column})::float8`
  const name = sql<string>`to_char(${month}, 'YYYY-MM')`
  return db
    .select({ month: name, paid: sumOf(paid), tax: sumOf(tax), refunded: sumOf(refunded), lost: sumOf(lost) })
    .from(cashMonths)
    .where(from && gte(month, `${nameOf(from)}-01`))
    .groupBy(name)
    .orderBy(desc(name))
}
