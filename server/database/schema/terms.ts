import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { LegalText } from '#contract/selling/legal/text.ts'
import { createdAt } from './columns.ts'

/** Every version of the terms shown by this shop, so that an order's version can be read later. */
export const termsTexts = pgTable('terms_texts', {
  version: text().primaryKey(),
  /** First shown. */
  since: createdAt(),
  sections: jsonb().$type<LegalText[]>().notNull(),
})
