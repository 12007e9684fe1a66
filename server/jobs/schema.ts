import type pg from 'pg'
import { getConstructionPlans } from 'pg-boss'

export const jobsSchema = 'jobs'

/** The data of jobs may be personal. The ids of completed jobs stay, so no job is stored twice. */
const forgetPayloadSql = `do $$ begin
  if exists (select from pg_trigger where tgname = 'forget_payload') then return; end if;
  create or replace function ${jobsSchema}.forget_payload() returns trigger language plpgsql as
    'begin new.data := null; return new; end';
  create trigger forget_payload before update on ${jobsSchema}.job
    for each row when (new.state = 'completed') execute function ${jobsSchema}.forget_payload();
end $$`

export async function installForgetTrigger(query: (text: string, values: unknown[]) => Promise<unknown>) {
  await query(forgetPayloadSql, [])
}

/** Uses the caller's transaction instead of pg-boss's own. */
export async function createJobTables(client: Pick<pg.ClientBase, 'query'>) {
  const plan = getConstructionPlans(jobsSchema)
  await client.query(plan.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, ''))
  await client.query(forgetPayloadSql)
}
