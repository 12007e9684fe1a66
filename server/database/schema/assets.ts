import { boolean, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { productId } from './catalog.ts'
import { createdAt, id, momentOfInsert } from './columns.ts'

export const recommendedAssets = pgTable(
  'recommended_assets',
  {
    id: id(),
    productId: productId(),
    ticker: text().notNull(),
    note: text(),
    sortOrder: integer().notNull(),
    isActive: boolean().notNull().default(true),
    reviewedAt: momentOfInsert(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('recommended_assets_ticker').on(t.productId, t.ticker)],
)
