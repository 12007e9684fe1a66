import { and, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** Whether there is a row, as a condition about another table's rows. */
export const hasRow = (table: PgTable, ...conditions: (SQL | undefined)[]) =>
  sql`exists (select from ${table} where ${and(...conditions)})`
