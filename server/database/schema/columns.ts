import { type Column, sql } from 'drizzle-orm'
import { type AnyPgColumn, timestamp, uuid } from 'drizzle-orm/pg-core'

export const id = () => uuid().primaryKey().defaultRandom()
export const moment = () => timestamp({ withTimezone: true, precision: 3 })
export const createdAt = () => moment().notNull().defaultNow()

export const partOf = (column: () => AnyPgColumn) => uuid().notNull().references(column, { onDelete: 'cascade' })

export const listed = (words: readonly string[]) => sql.raw(sqlList(words))

/** The month of the books, which is UTC's: its first moment. An index on it and the condition must read alike. */
export const monthOf = (column: Column) => sql`date_trunc('month', ${column} at time zone 'UTC')`

/** A list from the contract as SQL, for places that take no parameters: an index, a check, a `copy`. */
export const sqlList = (words: readonly string[]) => `(${words.map((word) => `'${word}'`).join(', ')})`
