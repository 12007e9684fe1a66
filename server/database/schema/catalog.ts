import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from './columns.ts'

/** What was ever sold. A row stays when its file goes: it has buyers. */
export const products = pgTable('products', {
  id: id(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  createdAt: createdAt(),
})

export const productId = () =>
  uuid()
    .notNull()
    .references(() => products.id)
