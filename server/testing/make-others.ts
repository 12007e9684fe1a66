import type pg from 'pg'
import { createTables } from '#sandbox/schema.ts'
import { createJobTables } from '../jobs/schema.ts'

/** Creates the tables that are not in the shop's migrations. */
export async function createUnmigratedTables(client: pg.ClientBase) {
  await createJobTables(client)
  await createTables(client)
}
