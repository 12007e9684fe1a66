import type pg from 'pg'
import { getConstructionPlans } from 'pg-boss'

export const jobsSchema = 'jobs'

/** Creates the job queue's tables, as it would at its own start, but inside the caller's transaction. */
export async function createJobTables(client: Pick<pg.ClientBase, 'query'>) {
  const plan = getConstructionPlans(jobsSchema)
  await client.query(plan.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, ''))
}
