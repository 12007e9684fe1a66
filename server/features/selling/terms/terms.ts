import { eq } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { termsTexts } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { type TermsSite, termsInForce } from '#server/mails/template.ts'

export type TermsText = typeof termsTexts.$inferSelect

/** Stores the terms in force, so that every accepted version is on record. */
export async function storeTerms(db: Database, at: Date, site: TermsSite): Promise<TermsText> {
  const { version, sections } = termsInForce(site)
  const [stored] = await db.select().from(termsTexts).where(eq(termsTexts.version, version))
  if (stored) return stored
  await db.insert(termsTexts).values({ version, sections, since: at }).onConflictDoNothing()
  return { version, sections, since: at }
}

export async function findTerms(db: Database, version: string): Promise<TermsText> {
  const [stored] = await db.select().from(termsTexts).where(eq(termsTexts.version, version))
  if (!stored) throw notFound('Version')
  return stored
}

/** The date is text, because page data is JSON. */
export async function termsForPages(db: Database, at: Date, site: TermsSite) {
  const { since, ...text } = await storeTerms(db, at, site)
  return { ...text, since: since.toISOString() }
}
