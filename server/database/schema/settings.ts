import { pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt } from './columns.ts'

/** What the seller set in the admin area; the environment goes first. */
export const shopSettings = pgTable('shop_settings', {
  name: text().primaryKey(),
  value: text().notNull(),
  updatedAt: createdAt(),
})
