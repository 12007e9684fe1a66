import { sql } from 'drizzle-orm'
import { keptSinceNewYear, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import { cashMonths, cohortMonths, mrrDays, mrrMovements } from '#server/database/schema.ts'

/** Days are told apart for as long as figures compare them. */
const monthsByDay = 3

/** What becomes of the rows over time, and what they say about a person. */
export function createKeeping({ db, now }: Context) {
  return {
    /** Merges each day's rows into one of a kind, and what nobody compares by day anymore into its month. */
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

    /** Who stayed, from everything that ever moved: what was taken back may have moved somebody to another month. */
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
