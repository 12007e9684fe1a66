import { and, avg, count, desc, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { reviews as contract, type ReviewChoice, reviewsPerPage, starsToAnswer } from '#contract/site/reviews.ts'
import type { Shown, SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import { reviews } from '#server/database/schema.ts'

export type Page = { limit: number; cursor?: string | undefined }
type Row = typeof reviews.$inferSelect

/** Until then the row is only an invitation. */
export const isWritten = isNotNull(reviews.writtenAt)

export async function reviewSummary(db: Database): Promise<SiteSettings['reviews']> {
  const found = await db
    .select({ stars: reviews.stars, count: count() })
    .from(reviews)
    .where(isWritten)
    .groupBy(reviews.stars)
  const byStars = [1, 2, 3, 4, 5].map((stars) => found.find((each) => each.stars === stars)?.count ?? 0)
  const all = byStars.reduce((sum, each) => sum + each, 0)
  const sum = byStars.reduce((total, each, index) => total + each * (index + 1), 0)
  return { count: all, average: all && sum / all, byStars }
}

export async function reviewsByProduct(db: Database) {
  const found = await db
    .select({ productId: reviews.productId, count: count(), average: avg(reviews.stars).mapWith(Number) })
    .from(reviews)
    .where(isWritten)
    .groupBy(reviews.productId)
  return (productId: string) => {
    const { count: written, average } = found.find((each) => each.productId === productId) ?? nothing
    return { count: written, average }
  }
}

const nothing = { count: 0, average: 0 }

/** The first page of them as the call would answer it, for the page that shows them without asking. */
export async function latestReviews(db: Database): Promise<Shown['latestReviews']> {
  const { items, next } = await listReviews(db, { limit: reviewsPerPage }, forEveryone)
  return { items: z.parse(contract.list.output, items), next }
}

export async function listReviews<Item extends { id: string; writtenAt: Date }>(
  db: Database,
  { cursor, limit }: Page,
  present: (row: Row) => Item,
  only?: SQL,
) {
  const after = decodeCursor(cursor)
  const rows = await db
    .select()
    .from(reviews)
    .where(and(isWritten, only, after && sql`(${reviews.writtenAt}, ${reviews.id}) < (${after.at}, ${after.id}::uuid)`))
    .orderBy(desc(reviews.writtenAt), desc(reviews.id))
    .limit(limit + 1)
  return pageOf(rows.map(present), limit, ({ writtenAt: at, id }) => ({ at, id }))
}

/** Without the report, which is for the seller, and without the text if it is hidden. */
export function forEveryone(row: Row) {
  const { text, author, ...review } = whole(row)
  return review.hiddenBecause ? { ...review, text: '', author: null } : { ...review, text, author }
}

export const forTheSeller = (row: Row) => ({
  ...whole(row),
  report: row.report,
  reportedAt: row.reportedAt,
  customerId: row.author === null ? null : row.userId,
})

const isUnanswered = and(isNull(reviews.answer), isNull(reviews.hiddenBecause))
export const chosenReviews: Record<ReviewChoice, SQL | undefined> = {
  to_answer: and(isUnanswered, lte(reviews.stars, starsToAnswer)),
  unanswered: isUnanswered,
  reported: and(isNotNull(reviews.reportedAt), isNull(reviews.hiddenBecause)),
}

export const countReviewsToAnswer = (db: Database) => db.$count(reviews, and(isWritten, chosenReviews.to_answer))

function whole({ id, stars, text, author, writtenAt, invitedAt, answer, answeredAt, hiddenBecause }: Row) {
  return {
    id,
    stars: stars ?? 1,
    text: text ?? '',
    author,
    writtenAt: writtenAt ?? invitedAt,
    answer,
    answeredAt,
    hiddenBecause,
  }
}
