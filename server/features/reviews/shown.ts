import { and, avg, count, desc, isNotNull, sql } from 'drizzle-orm'
import { reviews as contract, reviewsPerPage } from '#contract/reviews.ts'
import type { Shown, SiteSettings } from '#contract/site.ts'
import * as z from '#contract/zod.ts'
import type { Database } from '../../database/connect.ts'
import { decodeCursor, pageOf } from '../../database/cursor.ts'
import { reviews } from '../../database/schema.ts'

export type Page = { limit: number; cursor?: string | undefined }

export const isWritten = isNotNull(reviews.writtenAt)

/** For the pages, which show it without asking: how many there are, and their average. */
export async function reviewSummary(db: Database): Promise<SiteSettings['reviews']> {
  const [found] = await db
    .select({ count: count(), average: avg(reviews.stars).mapWith(Number) })
    .from(reviews)
    .where(isWritten)
  return { count: found?.count ?? 0, average: found?.average ?? 0 }
}

/** The first page of them as the call would answer it, for the page that shows them without asking. */
export async function latestReviews(db: Database): Promise<Shown['latestReviews']> {
  const { items, next } = await publicPage(db, { limit: reviewsPerPage })
  return { items: z.parse(contract.list.output(z), items), next }
}

export async function publicPage(db: Database, wanted: Page) {
  const { items, next } = await managedPage(db, wanted)
  return { items: items.map(publicPart), next }
}

export async function managedPage(db: Database, { cursor, limit }: Page) {
  const after = decodeCursor(cursor)
  const rows = await db
    .select()
    .from(reviews)
    .where(
      and(isWritten, after && sql`(${reviews.writtenAt}, ${reviews.id}) < (${after.at}, ${after.id}::uuid)`),
    )
    .orderBy(desc(reviews.writtenAt), desc(reviews.id))
    .limit(limit + 1)
  return pageOf(rows.map(managed), limit, ({ writtenAt: at, id }) => ({ at, id }))
}

export function managed(row: typeof reviews.$inferSelect) {
  const { id, author, answer, answeredAt, hiddenBecause, report, reportedAt } = row
  return {
    id,
    stars: row.stars ?? 1,
    text: row.text ?? '',
    author,
    writtenAt: row.writtenAt ?? row.invitedAt,
    answer,
    answeredAt,
    hiddenBecause,
    report,
    reportedAt,
  }
}

/** Reports are nobody's business but the seller's, and a hidden text nobody's at all. */
export function publicPart({ report: _, reportedAt: __, ...review }: ReturnType<typeof managed>) {
  return review.hiddenBecause ? { ...review, text: '', author: null } : review
}
