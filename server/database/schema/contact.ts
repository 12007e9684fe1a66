import { sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, moment } from './columns.ts'

export const contactMessages = pgTable(
  'contact_messages',
  {
    id: id(),
    firstName: text().notNull(),
    lastName: text().notNull(),
    email: text().notNull(),
    message: text().notNull(),
    createdAt: createdAt(),
    /** The account it was sent from; null for a visitor. */
    userId: uuid(),
    answeredAt: moment(),
    /** What was replied by email; null if it was answered elsewhere. */
    answer: text(),
    answeredBy: uuid(),
  },
  (t) => [
    index('contact_messages_newest').on(t.createdAt, t.id).concurrently(),
    index('contact_messages_open').on(t.createdAt, t.id).where(sql`${t.answeredAt} is null`).concurrently(),
    index('contact_messages_user').on(t.userId).concurrently(),
    index('contact_messages_email').on(t.email).concurrently(),
  ],
)
