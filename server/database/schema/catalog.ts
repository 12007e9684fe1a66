import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id } from './columns.ts'

/** A row stays after the product's file is removed, because purchases refer to it. */
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
