import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { LegalText } from '#contract/selling/legal/text.ts'
import { momentOfInsert } from './columns.ts'

export const termsTexts = pgTable('terms_texts', {
  version: text().primaryKey(),
  since: momentOfInsert(),
  sections: jsonb().$type<LegalText[]>().notNull(),
})
