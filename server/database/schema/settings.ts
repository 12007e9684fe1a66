import { pgTable, text } from 'drizzle-orm/pg-core'
import { momentOfInsert } from './columns.ts'

/** Settings saved in the admin area; the environment takes precedence. */
export const shopSettings = pgTable('shop_settings', {
  name: text().primaryKey(),
  value: text().notNull(),
  updatedAt: momentOfInsert(),
})
