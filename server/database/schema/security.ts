import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

/** How often something was tried recently, counted across all server processes. */
export const attempts = pgTable('attempts', {
  key: text().primaryKey(),
  count: integer().notNull(),
  endsAt: moment().notNull(),
})

/** Which addresses a network has recently probed for being a customer's. Hashes only. */
export const emailQuestions = pgTable(
  'email_questions',
  { network: text().notNull(), email: text().notNull(), askedAt: moment().notNull() },
  (t) => [primaryKey({ columns: [t.network, t.email] })],
)
