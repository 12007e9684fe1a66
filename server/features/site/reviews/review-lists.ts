import { and, avg, count, desc, eq, getTableColumns, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { reviews as contract, type ReviewOrder, reviewsPerPage } from '#contract/site/reviews.ts'
import { type ReviewFilter, starsToAnswer } from '#contract/site/reviews-admin.ts'
import type { RenderData, SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import { isLivePurchase, purchases, reviews } from '#server/database/schema.ts'

type PageInput = { limit: number; cursor?: string | undefined }
type ReviewRow = typeof reviews.$inferSelect & { payingSince: Date | null }

/** Start of the author's live purchase; null unless the author shows it. */
const payingSinceColumn =
  sql`case when ${reviews.showsPayingSince} then (select min(${purchases.createdAt}) from ${purchases} where ${and(
    eq(purchases.userId, reviews.userId),
    eq(purchases.productId, reviews.productId),
    eq(purchases.paidThrough, 'stripe'),
    isLivePurchase,
  )}) end`.mapWith(purchases.createdAt)

export const reviewColumns = { ...getTableColumns(reviews), payingSince: payingSinceColumn }

/** First key of the descending order; the second is the date. */
const ranks: Record<ReviewOrder, SQL<number> | undefined> = {
  newest: undefined,
  highest: sql<number>`${reviews.stars}`,
  lowest: sql<number>`-${reviews.stars}`,
}

/** Rows without a text are invitations. */
export const isWritten = isNotNull(reviews.writtenAt)

export async function reviewSummary(db: Database): Promise<SiteSettings['reviews']> {
  const rows = await db
    .select({ stars: reviews.stars, count: count() })
    .from(reviews)
    .where(isWritten)
    .groupBy(reviews.stars)
  const byStars = [1, 2, 3, 4, 5].map((stars) => rows.find((row) => row.stars === stars)?.count ?? 0)
  let reviewCount = 0
  let starCount = 0
  for (const row of rows) {
    reviewCount += row.count
    starCount += row.count * (row.stars ?? 0)
  }
  return { count: reviewCount, average: reviewCount === 0 ? 0 : starCount / reviewCount, byStars }
}

/** Returns a function that looks up a product. */
export async function reviewsByProduct(db: Database) {
  const rows = await db
    .select({ productId: reviews.productId, count: count(), average: avg(reviews.stars).mapWith(Number) })
    .from(reviews)
    .where(isWritten)
    .groupBy(reviews.productId)
  return (productId: string) => {
    const { count: reviewCount, average } = rows.find((row) => row.productId === productId) ?? noReviews
    return { count: reviewCount, average }
  }
}

const noReviews = { count: 0, average: 0 }

export async function latestReviews(db: Database): Promise<RenderData['latestReviews']> {
  const { items, next } = await listReviews(db, { limit: reviewsPerPage }, toPublicReview)
  return { items: z.parse(contract.list.output, items), next }
}

export async function listReviews<Item extends { id: string; writtenAt: Date }>(
  db: Database,
  { cursor, limit }: PageInput,
  toItem: (row: ReviewRow) => Item,
  { condition, sort = 'newest' }: { condition?: SQL | undefined; sort?: ReviewOrder | undefined } = {},
) {
  const after = decodeCursor(cursor)
  const rank = ranks[sort]
  const byDate = [desc(reviews.writtenAt), desc(reviews.id)]
  const rows = await db
    .select(reviewColumns)
    .from(reviews)
    .where(and(isWritten, condition, after && isAfterCursor(db, after, rank)))
    .orderBy(...(rank ? [desc(rank), ...byDate] : byDate))
    .limit(limit + 1)
  return pageOf(rows.map(toItem), limit, ({ writtenAt: at, id }) => ({ at, id }))
}

function isAfterCursor(db: Database, after: { at: Date; id: string }, rank: SQL<number> | undefined): SQL {
  const { writtenAt, id } = reviews
  if (!rank) return sql`(${writtenAt}, ${id}) < (${after.at}, ${after.id}::uuid)`
  // A cursor has no rank, so a subquery reads it from the cursor's review.
  const rankOfCursor = db.select({ rank }).from(reviews).where(eq(id, after.id))
  return sql`(${rank}, ${writtenAt}, ${id}) < (${rankOfCursor}, ${after.at}, ${after.id}::uuid)`
}

/** Public fields of a review: no report, and no text if it is hidden. */
export function toPublicReview(row: ReviewRow) {
  const review = commonFields(row)
  return review.hiddenBecause ? { ...review, text: '', author: null, payingSince: null } : review
}

export const toAdminReview = (row: ReviewRow) => ({
  ...commonFields(row),
  report: row.report,
  reportedAt: row.reportedAt,
  customerId: row.author === null ? null : row.userId,
})

const isUnanswered = and(isNull(reviews.answer), isNull(reviews.hiddenBecause))
export const filterConditions: Record<ReviewFilter, SQL | undefined> = {
  to_answer: and(isUnanswered, lte(reviews.stars, starsToAnswer)),
  unanswered: isUnanswered,
  reported: and(isNotNull(reviews.reportedAt), isNull(reviews.hiddenBecause)),
}

export const countReviewsToAnswer = (db: Database) => db.$count(reviews, and(isWritten, filterConditions.to_answer))

/** Stars and text are null only for invitations, which are never listed. */
function commonFields(row: ReviewRow) {
  const { id, stars, text, author, writtenAt, invitedAt, payingSince, answer, answeredAt, hiddenBecause } = row
  return {
    id,
    stars: stars ?? 1,
    text: text ?? '',
    author,
    writtenAt: writtenAt ?? invitedAt,
    payingSince,
    answer,
    answeredAt,
    hiddenBecause,
  }
}
