import type { SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/** The account of a person. A typed address proves nothing: see `verifiedAt`. */
export type Person = { id: string; email: string; verifiedAt: Date | null }

type Finder = (person: Person) => SQL | undefined

type Values = Record<string, unknown>

export type Personal = {
  table: PgTable
  /** Rows about a person: by a column other than `userId`, or by a condition. */
  of?: PgColumn | Finder
  /** Columns in "my data", and which rows, if not all. */
  shown?: {
    as: string
    columns: string
    /** Columns under other names or from other tables. */
    more?: Record<string, PgColumn | SQL>
    of?: PgColumn | Finder
    order?: PgColumn | SQL
    /** The account itself: one row instead of a list. */
    isAccount?: true
  }
  /** Rows deleted with the account: all, or those that match. */
  deletes?: SQL | true
  /** Columns emptied in rows that stay for the books. */
  empties?: Values | ((person: Person, now: Date) => Values)
}

/** Declares a table's personal data for deletion and "my data", which `personal-data.ts` carries out. */
export function personal<Row extends Values>(
  table: PgTable & { $inferSelect: Row },
  about: Omit<Personal, 'table' | 'empties'> & {
    empties?: Emptied<Row> | ((person: Person, now: Date) => Emptied<Row>)
  },
): Personal {
  return { table, ...about }
}
type Emptied<Row> = { [Column in keyof Row]?: Row[Column] | SQL }

export const deletedEmail = (userId: string) => `deleted-${userId}@deleted.invalid`
