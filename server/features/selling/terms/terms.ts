import { eq } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { termsTexts } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { type TermsSite, termsInForce } from '#server/mails/template.ts'

export type TermsText = typeof termsTexts.$inferSelect

/** Stores the terms in force before anyone sees or accepts them. Returns them with their first day. */
export async function storeTerms(db: Database, at: Date, site: TermsSite): Promise<TermsText> {
  const { version, sections } = termsInForce(site)
  const [kept] = await db.select().from(termsTexts).where(eq(termsTexts.version, version))
  if (kept) return kept
  await db.insert(termsTexts).values({ version, sections, since: at }).onConflictDoNothing()
  return { version, sections, since: at }
}

export async function termsOf(db: Database, version: string): Promise<TermsText> {
  const [kept] = await db.select().from(termsTexts).where(eq(termsTexts.version, version))
  if (!kept) throw notFound('Version')
  return kept
}

/** Terms for pages, whose data is plain JSON. */
export async function shownTerms(db: Database, at: Date, site: TermsSite) {
  const { since, ...text } = await storeTerms(db, at, site)
  return { ...text, since: since.toISOString() }
}
