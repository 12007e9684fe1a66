import { pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, id } from './columns.ts'

export const contactMessages = pgTable('contact_messages', {
  id: id(),
  firstName: text().notNull(),
  lastName: text().notNull(),
  email: text().notNull(),
  message: text().notNull(),
  createdAt: createdAt(),
})
