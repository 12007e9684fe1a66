import { type Column, sql } from 'drizzle-orm'
import { type AnyPgColumn, timestamp, uuid } from 'drizzle-orm/pg-core'

export const id = () => uuid().primaryKey().defaultRandom()
export const moment = () => timestamp({ withTimezone: true, precision: 3 })
export const momentOfInsert = () => moment().notNull().defaultNow()
export const createdAt = () => momentOfInsert()

/** Foreign key to a parent; the row is deleted with its parent. */
export const parentId = (column: () => AnyPgColumn) => uuid().notNull().references(column, { onDelete: 'cascade' })

export const listed = (words: readonly string[]) => sql.raw(sqlList(words))

/** UTC is the time zone of the books. Index and condition must use the same expression. */
export const monthOf = (column: Column) => sql`date_trunc('month', ${column} at time zone 'UTC')`

export const sqlList = (words: readonly string[]) => `(${words.map((word) => `'${word}'`).join(', ')})`

/** Statuses at Stripe of refunds that never reach the buyer. */
export const failedRefundStatuses = ['failed', 'canceled']
