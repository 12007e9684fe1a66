import { and, avg, count, desc, eq, getTableColumns, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import {
  reviews as contract,
  type ReviewFilter,
  type ReviewOrder,
  reviewsPerPage,
  starsToAnswer,
} from '#contract/site/reviews.ts'
import type { RenderData, SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import { isLivePurchase, purchases, reviews } from '#server/database/schema.ts'

type PageInput = { limit: number; cursor?: string | undefined }
type ReviewRow = typeof reviews.$inferSelect & { payingSince: Date | null }

/** Null unless the author shows it and still pays. */
const startOfRunning =
  sql`case when ${reviews.showsPayingSince} then (select min(${purchases.createdAt}) from ${purchases} where ${and(
    eq(purchases.userId, reviews.userId),
    eq(purchases.productId, reviews.productId),
    eq(purchases.paidThrough, 'stripe'),
    isLivePurchase,
  )}) end`.mapWith(purchases.createdAt)

export const reviewColumns = { ...getTableColumns(reviews), payingSince: startOfRunning }

/** Sorts descending; reviews with as many stars are newest first. */
const ranks: Record<ReviewOrder, SQL<number> | undefined> = {
  newest: undefined,
  highest: sql<number>`${reviews.stars}`,
  lowest: sql<number>`-${reviews.stars}`,
}

/** Rows without a text are invitations. */
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

/** First page of the list, embedded into the rendered page. */
export async function latestReviews(db: Database): Promise<RenderData['latestReviews']> {
  const { items, next } = await listReviews(db, { limit: reviewsPerPage }, forEveryone)
  return { items: z.parse(contract.list.output, items), next }
}

export async function listReviews<Item extends { id: string; writtenAt: Date }>(
  db: Database,
  { cursor, limit }: PageInput,
  present: (row: ReviewRow) => Item,
  { only, sort = 'newest' }: { only?: SQL | undefined; sort?: ReviewOrder | undefined } = {},
) {
  const after = decodeCursor(cursor)
  const rank = ranks[sort]
  const isAfter =
    after &&
    (rank
      ? sql`(${rank}, ${reviews.writtenAt}, ${reviews.id}) < (${db.select({ rank }).from(reviews).where(eq(reviews.id, after.id))}, ${after.at}, ${after.id}::uuid)`
      : sql`(${reviews.writtenAt}, ${reviews.id}) < (${after.at}, ${after.id}::uuid)`)
  const rows = await db
    .select(reviewColumns)
    .from(reviews)
    .where(and(isWritten, only, isAfter))
    .orderBy(...(rank ? [desc(rank)] : []), desc(reviews.writtenAt), desc(reviews.id))
    .limit(limit + 1)
  return pageOf(rows.map(present), limit, ({ writtenAt: at, id }) => ({ at, id }))
}

/** Public fields of a review: no report, and no text if it is hidden. */
export function forEveryone(row: ReviewRow) {
  const review = whole(row)
  return review.hiddenBecause ? { ...review, text: '', author: null, payingSince: null } : review
}

export const forTheSeller = (row: ReviewRow) => ({
  ...whole(row),
  report: row.report,
  reportedAt: row.reportedAt,
  customerId: row.author === null ? null : row.userId,
})

const isUnanswered = and(isNull(reviews.answer), isNull(reviews.hiddenBecause))
export const chosenReviews: Record<ReviewFilter, SQL | undefined> = {
  to_answer: and(isUnanswered, lte(reviews.stars, starsToAnswer)),
  unanswered: isUnanswered,
  reported: and(isNotNull(reviews.reportedAt), isNull(reviews.hiddenBecause)),
}

export const countReviewsToAnswer = (db: Database) => db.$count(reviews, and(isWritten, chosenReviews.to_answer))

function whole(row: ReviewRow) {
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
