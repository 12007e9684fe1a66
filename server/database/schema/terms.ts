import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { LegalText } from '#contract/selling/legal/text.ts'
import { createdAt } from './columns.ts'

/** Every text the terms ever had here, so that what an order's version says can be read later. No one's data. */
export const termsTexts = pgTable('terms_texts', {
  version: text().primaryKey(),
  /** When this shop first showed it. */
  since: createdAt(),
  sections: jsonb().$type<LegalText[]>().notNull(),
})
