import type pg from 'pg'
import { getConstructionPlans } from 'pg-boss'

export const jobsSchema = 'jobs'

/** The job queue's tables, as it would make them at its start, inside the caller's transaction. */
export async function createJobTables(client: Pick<pg.ClientBase, 'query'>) {
  const plan = getConstructionPlans(jobsSchema)
  await client.query(plan.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, ''))
}
