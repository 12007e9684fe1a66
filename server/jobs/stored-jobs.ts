import { sql } from 'drizzle-orm'
import { fromDrizzle, type PgBoss } from 'pg-boss'
import type { Database, Transaction } from '../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../database/cursor.ts'
import type { Kinds } from './kinds.ts'

export function createStoredJobs({ kinds, query }: { kinds: Kinds; query: Query }) {
  return {
    /** Kinds with due or running jobs; `isWaiting` if one of the jobs has no worker yet. */
    due: () =>
      query<{ name: string; isWaiting: boolean }>(
        `select name, bool_or(state <> 'active') as "isWaiting" from jobs.job
         where name = any($1) and state in ('created', 'retry', 'active') and start_after <= now() group by name`,
        [[...kinds.keys()]],
      ),

    /**
     * Deletes waiting and finished jobs for the address. Returns how many still run, without the calling job's kind.
     * Emails to others that name the address are deleted once they have ended (`state > 'active'`).
     */
    async forget(email: string, callingJobId: string): Promise<number> {
      const [row] = await query<{ active: number }>(
        `with about as (
           select id, name, state from jobs.job where name = any($1) and id <> $3 and (data->>'to' = $2 or data->>'email' = $2
             or (state > 'active' and data->'data'->>'email' = $2))
         ), dropped as (delete from jobs.job where id in (select id from about where state <> 'active'))
         select count(*)::int as active from about where state = 'active'
           and name is distinct from (select name from jobs.job where id = $3)`,
        [[...kinds.keys()], email, callingJobId],
      )
      return row?.active ?? 0
    },

    /** Unfinished jobs. `seconds` counts from when the oldest became due. */
    depths: () =>
      query<{ name: string; state: string; count: number; seconds: number }>(
        `select name, state, count(*)::int as count,
           greatest(0, extract(epoch from now() - min(greatest(created_on, start_after))))::float as seconds
         from jobs.job where name = any($1) and state <> 'completed' group by name, state order by name, state`,
        [[...kinds.keys()]],
      ),
  }
}

type StoredJobRow = { id: string; name: string; data: object | null; output: unknown; tries: number; at: Date }
export type Query = <Result>(text: string, values: unknown[]) => Promise<Result[]>

export function createFailedJobs({ boss, kinds, query }: { boss: PgBoss; kinds: Kinds; query: Query }) {
  const describe = ({ id, name, data, output, tries, at }: StoredJobRow) => ({
    id,
    name,
    about: kinds.get(name)?.describe(data ?? {}) ?? '',
    error: errorIn(output),
    tries,
    failedAt: at,
  })

  async function nameOf(id: string) {
    const [job] = await query<{ name: string }>(
      `select name from jobs.job where id = $1 and name = any($2) and state = 'failed'`,
      [id, [...kinds.keys()]],
    )
    return job?.name
  }

  return {
    async list({ limit, cursor, q }: { limit: number; cursor?: string | undefined; q?: string | undefined }) {
      const after = decodeCursor(cursor)
      const rows = await query<StoredJobRow>(
        `select id, name, data, output, retry_count + 1 as tries, date_trunc('milliseconds', completed_on) as at
         from jobs.job
         where state = 'failed' and name = any($1)
           and ($2::timestamptz is null or (date_trunc('milliseconds', completed_on), id) < ($2, $3::uuid))
           and ($4::text is null or lower(name || ' ' || coalesce(data::text, '')) like $4)
         order by at desc, id desc limit $5`,
        [[...kinds.keys()], after?.at, after?.id, q && containing(q), limit + 1],
      )
      const { items, next } = pageOf(rows, limit, ({ at, id }) => ({ at, id }))
      return { items: items.map(describe), next }
    },

    async count(): Promise<number> {
      const [row] = await query<{ count: number }>(
        `select count(*)::int as count from jobs.job where state = 'failed' and name = any($1)`,
        [[...kinds.keys()]],
      )
      return row?.count ?? 0
    },

    /** Queues a failed job again, under its id, so an email keeps its Message-ID. False if there is no such job. */
    async retry(tx: Transaction | Database, id: string): Promise<boolean> {
      const name = await nameOf(id)
      if (!name) return false
      const options = { db: fromDrizzle(tx, sql) }
      if (kinds.get(name)?.cron) {
        // Adds nothing if the job is waiting already.
        await boss.send(name, null, options)
        await boss.deleteJob(name, id, options)
      } else {
        await boss.retry(name, id, options)
        await boss.update(name, undefined, { id, startAfter: new Date(), ...options })
      }
      return true
    },

    async discard(tx: Transaction | Database, id: string): Promise<boolean> {
      const name = await nameOf(id)
      if (name) await boss.deleteJob(name, id, { db: fromDrizzle(tx, sql) })
      return name !== undefined
    },
  }
}

/** pg-boss stores an output that is no plain object as `{ value }`. */
function errorIn(output: unknown): string {
  const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
  const error = isObject(output) && 'value' in output ? output['value'] : output
  return isObject(error) && 'message' in error ? String(error['message']) : ''
}
