import { and, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

export const hasRow = (table: PgTable, ...conditions: (SQL | undefined)[]) =>
  sql`exists (select from ${table} where ${and(...conditions)})`
