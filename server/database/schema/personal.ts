import type { SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/** The address is proven only if `verifiedAt` is set. */
export type Person = { id: string; email: string; verifiedAt: Date | null }

type Finder = (person: Person) => SQL | undefined

type Values = Record<string, unknown>

export type Personal = {
  table: PgTable
  /** Selects the rows about a person: by another column than `userId`, or by a condition. */
  of?: PgColumn | Finder
  /** Columns that "my data" shows, and a condition for rows if it does not show all. */
  shown?: {
    as: string
    columns: string
    /** Added to `columns`, or shown instead of the column with the same name. */
    more?: Record<string, PgColumn | SQL>
    of?: PgColumn | Finder
    order?: PgColumn | SQL
    isSingleRow?: true
  }
  /** Rows deleted with the account: all, or those that match. */
  deletes?: SQL | true
  /** Columns emptied in rows that stay for the books. */
  empties?: Values | ((person: Person, now: Date) => Values)
}

/** Used by personal-data.ts for account deletion and "my data". */
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
