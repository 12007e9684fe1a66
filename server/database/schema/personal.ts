import type { SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/** Whose account it is. Typing an address doesn't prove it's yours: see `verifiedAt`. */
export type Person = { id: string; email: string; verifiedAt: Date | null }

type Finder = (person: Person) => SQL | undefined

type Values = Record<string, unknown>

export type Personal = {
  table: PgTable
  /** Which rows are about a person, if not those with their id in `userId`: by another column, or a condition. */
  of?: PgColumn | Finder
  /** What "my data" shows of them, and of which, if not of all. */
  shown?: {
    as: string
    columns: string
    /** Under other names, or from other tables. */
    more?: Record<string, PgColumn | SQL>
    of?: PgColumn | Finder
    order?: PgColumn | SQL
    /** It is their account itself, one row. */
    isAccount?: true
  }
  /** When the account is deleted: these go, or all of them. */
  deletes?: SQL | true
  /** Whatever is left stays for the books, without this. */
  empties?: Values | ((person: Person, now: Date) => Values)
}

/** What a table holds about people, for their deletion and for "my data". `personal-data.ts` does both; its test knows the rest. */
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
