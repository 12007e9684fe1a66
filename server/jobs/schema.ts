import type pg from 'pg'
import { getConstructionPlans } from 'pg-boss'

export const jobsSchema = 'jobs'

/** Trigger that deletes the data of completed jobs, which may be personal. Their ids stay, so no job is stored twice. */
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

/** Creates pg-boss's tables, but inside the caller's transaction. */
export async function createJobTables(client: Pick<pg.ClientBase, 'query'>) {
  const plan = getConstructionPlans(jobsSchema)
  await client.query(plan.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, ''))
  await client.query(forgetPayloadSql)
}
