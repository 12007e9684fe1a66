import { and, eq, ne, sql } from 'drizzle-orm'
import { keptSinceNewYear, retention } from '#contract/retention.ts'
import type { MovementKind } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { cashMonths, cohortMonths, mrrDays, mrrMovements } from '#server/database/schema.ts'
import type { Movement } from './movements.ts'

export { arrOf, type Movement, movementsOf, movementsOfBooked } from './movements.ts'
export { createProof } from './proof.ts'
export type Ledger = ReturnType<typeof createLedger>

type Purchase = { id: string; userId: string; productId: string }
type Row = typeof mrrMovements.$inferSelect
type NewRow = typeof mrrMovements.$inferInsert

function standingOf(rows: Row[]) {
  const corrected = new Set(rows.map(({ corrects }) => corrects))
  return rows.filter((row) => row.corrects === null && !corrected.has(row.id))
}

const rowOf = (
  { id: purchaseId, userId, productId }: Purchase,
  { at, source, cause, billing: billingType, before: arrBefore, after: arrAfter }: Movement,
) => ({ purchaseId, userId, productId, at, source, cause, billingType, arrBefore, arrAfter })

export function createLedger(context: Context) {
  const { now } = context
  const rowsOf = (tx: Transaction, { id }: Purchase) =>
    tx.select().from(mrrMovements).where(eq(mrrMovements.purchaseId, id)).orderBy(mrrMovements.id)

  async function add(tx: Transaction, rows: NewRow[]) {
    if (rows.length > 0) await tx.insert(mrrMovements).values(rows)
  }

  /** What the same person's other purchases moved: only who pays for none is new, and only who keeps none is lost. */
  async function kindsFor(tx: Transaction, { id, userId, productId }: Purchase) {
    const found = await tx
      .select()
      .from(mrrMovements)
      .where(
        and(eq(mrrMovements.userId, userId), eq(mrrMovements.productId, productId), ne(mrrMovements.purchaseId, id)),
      )
    const others = standingOf(found)
    return ({ at, before, after }: Movement, isFirst: boolean): { kind: MovementKind; people: number } => {
      const earlier = others.filter((row) => row.at <= at)
      const paysAnyway = earlier.reduce((sum, { arrBefore, arrAfter }) => sum + arrAfter - arrBefore, 0) > 0
      const kind = after > before ? 'expansion' : 'contraction'
      if (paysAnyway || (before > 0 && after > 0)) return { kind, people: 0 }
      if (after === 0) return { kind: 'churn', people: -1 }
      return { kind: isFirst && earlier.length === 0 ? 'new' : 'reactivation', people: 1 }
    }
  }

  return {
    /** What is right is left alone; what turned out differently is taken back by a row of its own. The caller holds the purchase. */
    async record(tx: Transaction, purchase: Purchase, wanted: Movement[], isFirstLook = false) {
      const rows = await rowsOf(tx, purchase)
      const standing = standingOf(rows)
      const isSame = (row: Row, movement: Movement) =>
        row.source === movement.source &&
        row.at.getTime() === movement.at.getTime() &&
        row.arrBefore === movement.before &&
        row.arrAfter === movement.after &&
        row.cause === movement.cause
      const wrong = standing.filter((row) => !wanted.some((movement) => isSame(row, movement)))
      const missing = wanted.filter((movement) => !standing.some((row) => isSame(row, movement)))
      if (wrong.length + missing.length === 0) return
      const revisions = new Map<string, number>()
      for (const { source, revision } of rows) revisions.set(source, revision + 1)
      const revisionOf = (source: string) => {
        const revision = revisions.get(source) ?? 0
        revisions.set(source, revision + 1)
        return revision
      }
      const kindOf = missing.length > 0 ? await kindsFor(tx, purchase) : undefined
      await add(tx, [
        ...wrong.map(({ id, ...row }) => ({
          ...row,
          recordedAt: now(),
          revision: revisionOf(row.source),
          arrBefore: row.arrAfter,
          arrAfter: row.arrBefore,
          people: -row.people,
          corrects: id,
        })),
        ...missing.map((movement) => ({
          ...rowOf(purchase, movement),
          recordedAt: isFirstLook ? movement.at : now(),
          revision: revisionOf(movement.source),
          ...(kindOf?.(movement, movement === wanted[0]) ?? { kind: 'new' as const, people: 0 }),
        })),
      ])
    },

    /** Deleted today, it earned until today: earlier rows stay. */
    async recordDeletion(tx: Transaction, purchase: Purchase) {
      const rows = await rowsOf(tx, purchase)
      const before = rows.reduce((sum, { arrBefore, arrAfter }) => sum + arrAfter - arrBefore, 0)
      if (before === 0) return
      const billing = rows.at(-1)?.billingType ?? null
      const end: Movement = { source: 'deleted', at: now(), before, after: 0, cause: 'deleted', billing }
      await add(tx, [
        { ...rowOf(purchase, end), recordedAt: end.at, revision: 0, ...(await kindsFor(tx, purchase))(end, false) },
      ])
    },
    ...createKeeping(context),
  }
}

/** Days are told apart for as long as figures compare them. */
const monthsByDay = 3

function createKeeping({ db, now }: Context) {
  return {
    /** Merges each day's rows into one of a kind, and what is no longer compared by day into its month. */
    async addUp() {
      const byDay = new Date(now())
      byDay.setUTCMonth(byDay.getUTCMonth() - monthsByDay, 1)
      await db.execute(sql`
        with taken as (delete from ${mrrDays} returning *)
        insert into ${mrrDays} (day, kind, cause, movements, people, arr, late)
        select case when day < ${byDay.toISOString().slice(0, 10)}::date then date_trunc('month', day)::date else day end,
          kind, cause, sum(movements), sum(people), sum(arr), sum(late)
        from taken group by 1, 2, 3`)
      await db.execute(sql`
        with taken as (delete from ${cashMonths} returning *)
        insert into ${cashMonths} (month, paid, tax, refunded, lost)
        select month, sum(paid), sum(tax), sum(refunded), sum(lost) from taken group by 1`)
    },

    /** Who stayed, from everything that ever moved: what was taken back may have moved someone to another month. */
    async countCohorts() {
      await db.execute(sql`
        with firsts as (
          select m.user_id, m.product_id, date_trunc('month', min(m.at) at time zone 'UTC')::date as cohort
          from ${mrrMovements} m where m.kind = 'new' and m.corrects is null
            and not exists (select from ${mrrMovements} taker where taker.corrects = m.id)
          group by 1, 2),
        counted as (
          select cohort, date_trunc('month', m.at at time zone 'UTC')::date as month,
            sum(people) as people, sum(arr_after - arr_before) as arr
          from ${mrrMovements} m join firsts using (user_id, product_id) group by 1, 2),
        gone as (
          delete from ${cohortMonths} old where not exists (
            select from counted where counted.cohort = old.cohort and counted.month = old.month))
        insert into ${cohortMonths} (cohort, month, joined, people, arr)
        select cohort, month, case when month = cohort then
          (select count(*) from firsts where firsts.cohort = counted.cohort) else 0 end, people, arr from counted
        on conflict (cohort, month) do update set joined = excluded.joined, people = excluded.people, arr = excluded.arr`)
    },

    /** What the books no longer need: all of a purchase whose last movement is that old, so that no later sum changes. */
    async forgetOld() {
      const limit = keptSinceNewYear(now(), retention.books)
      await db.delete(mrrMovements).where(sql`${mrrMovements.purchaseId} in (
        select old.purchase_id from ${mrrMovements} old where old.at < ${limit} group by old.purchase_id
        having sum(old.arr_after - old.arr_before) = 0 and not exists (
          select from ${mrrMovements} later where later.purchase_id = old.purchase_id and later.at >= ${limit}))`)
    },
  }
}
