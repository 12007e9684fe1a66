import type pg from 'pg'
import { createTables } from '#sandbox/schema.ts'
import { createJobTables } from '../jobs/schema.ts'

export async function createUnmigratedTables(client: pg.ClientBase) {
  await createJobTables(client)
  await createTables(client)
}
