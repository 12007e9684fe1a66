import type { Query } from './failed-jobs.ts'
import type { Kinds } from './kinds.ts'

/** What is in the queue's table, from all processes. */
export function createStoredJobs({ kinds, query }: { kinds: Kinds; query: Query }) {
  return {
    async isSomethingDue(): Promise<boolean> {
      const due = await query(
        `select 1 from jobs.job where name = any($1) and state in ('created', 'retry', 'active') and start_after <= now() limit 1`,
        [[...kinds.keys()]],
      )
      return due.length > 0
    },

    /**
     * Drops the emails meant for an address, and what was given up about it; returns how many others are being sent right now.
     * Another job like the one that asks does not count: two that wait for each other would never end.
     * Finished jobs hold no data; those from before we saw to that do.
     */
    async forget(email: string, except: string): Promise<number> {
      const [row] = await query<{ active: number }>(
        `with about as (
           select id, name, state from jobs.job where name = any($1) and id <> $3 and (data->>'to' = $2 or data->>'email' = $2
             or (state > 'active' and data->'data'->>'email' = $2))
         ), dropped as (delete from jobs.job where id in (select id from about where state <> 'active'))
         select count(*)::int as active from about where state = 'active'
           and name is distinct from (select name from jobs.job where id = $3)`,
        [[...kinds.keys()], email, except],
      )
      return row?.active ?? 0
    },

    /** How many jobs of each kind are in which state, and how long the oldest has been due. */
    depths: () =>
      query<{ name: string; state: string; count: number; seconds: number }>(
        `select name, state, count(*)::int as count,
           greatest(0, extract(epoch from now() - min(greatest(created_on, start_after))))::float as seconds
         from jobs.job where name = any($1) and state <> 'completed' group by name, state order by name, state`,
        [[...kinds.keys()]],
      ),
  }
}
