import { and, desc, eq, isNull, lt, not, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod/mini'
import { dayMs } from '#contract/dates.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import { type reviews as calls, type newReview, paidDaysToReview } from '#contract/site/reviews.ts'
import type { reviewsAdmin } from '#contract/site/reviews-admin.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { Page } from '#server/database/cursor.ts'
import { hasRow } from '#server/database/has-row.ts'
import { purchases, reviews, users } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import {
  filterConditions,
  isWritten,
  listReviews,
  reviewColumns,
  toAdminReview,
  toPublicReview,
} from './review-lists.ts'

export { countReviewsToAnswer, isWritten, latestReviews, reviewSummary, reviewsByProduct } from './review-lists.ts'

type ReviewContext = Pick<Context, 'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>

/** Reviews by people who have paid for 30 days. All are shown, and nobody can delete another person's review. */
export type Reviews = {
  moderation: Moderation
  list(filter: ParsedInputOf<typeof calls.list>): Promise<Page<RawOutputOf<typeof calls.list>[number]>>
  mine(userId: string): Promise<RawOutputOf<typeof calls.mine>>
  write(actor: Actor, review: z.infer<typeof newReview>): Promise<void>
  /** Emails the seller, who may hide a reported review. */
  report(id: string, reason: string): Promise<void>
  /** Invites each person who may write a review by one email. */
  invite(): Promise<void>
  forgetReports(): Promise<void>
}

/** Limit for each product and day, so that the mail server is not flooded. */
const maxInvitations = 500

export function createReviews(context: ReviewContext): Reviews {
  const { db, now, mails, supportEmail, catalog } = context

  async function findReviewableProduct(tx: Database | Transaction, userId: string) {
    for (const product of catalog.products()) {
      const [found] = await tx
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.id, userId), isEligible(product.id, now()), not(hasReview(product.id, isWritten))))
      if (found) return product
    }
    return undefined
  }

  return {
    moderation: createModeration(context),

    list: ({ stars, sort, ...page }) =>
      listReviews(db, page, toPublicReview, { condition: stars ? eq(reviews.stars, Number(stars)) : undefined, sort }),

    async mine(userId) {
      const [ownReview] = await db
        .select(reviewColumns)
        .from(reviews)
        .where(and(eq(reviews.userId, userId), isWritten))
        .orderBy(desc(reviews.writtenAt))
        .limit(1)
      const product = await findReviewableProduct(db, userId)
      if (product) return { mayWrite: true, mayWriteFrom: null, review: null, product: product.name }
      return {
        mayWrite: false,
        mayWriteFrom: ownReview ? null : await firstReviewDate(db, userId),
        review: ownReview ? toPublicReview(ownReview) : null,
        product: null,
      }
    },

    async write({ user }, { stars, text, author, showsPayingSince = false }) {
      await db.transaction(async (tx) => {
        const product = await findReviewableProduct(tx, user.id)
        if (!product && (await tx.$count(reviews, and(eq(reviews.userId, user.id), isWritten))) > 0)
          throw conflict('already-reviewed', 'You have already written a review. Thank you!')
        if (!product)
          throw new Refusal(403, 'too-soon', `You can write a review once you’ve paid for ${paidDaysToReview} days.`)
        const review = { stars, text, author, showsPayingSince, writtenAt: now() }
        const [saved] = await tx
          .insert(reviews)
          .values({ userId: user.id, productId: product.id, invitedAt: now(), ...review })
          .onConflictDoUpdate({
            target: [reviews.userId, reviews.productId],
            set: review,
            setWhere: isNull(reviews.writtenAt),
          })
          .returning({ id: reviews.id })
        if (!saved) throw conflict('already-reviewed', 'You have already written a review. Thank you!')
        await mails.send(tx, supportEmail, 'reviewWritten', { stars, text, author })
      })
    },

    async report(id, reason) {
      await db.transaction(async (tx) => {
        const [reported] = await tx
          .update(reviews)
          .set({ report: reason, reportedAt: now() })
          .where(and(eq(reviews.id, id), isWritten))
          .returning({ text: reviews.text })
        if (!reported) throw notFound('Review')
        await mails.send(tx, supportEmail, 'reviewReported', { reason, text: reported.text ?? '' })
      })
    },

    async invite() {
      for (const { id: productId, name: product } of catalog.products()) {
        const people = await db
          .select({ id: users.id, email: users.email, name: users.name })
          .from(users)
          .where(and(isEligible(productId, now()), not(hasReview(productId))))
          .limit(maxInvitations)
        for (const { id: userId, email, name } of people)
          await db.transaction(async (tx) => {
            const invitation = await tx
              .insert(reviews)
              .values({ userId, productId, invitedAt: now() })
              .onConflictDoNothing()
            if (invitation.rowCount === 1) await mails.send(tx, email, 'reviewInvitation', { name, product })
          })
      }
    },

    async forgetReports() {
      await db
        .update(reviews)
        .set({ report: null })
        .where(lt(reviews.reportedAt, retentionStart(now(), retention.reviewReports)))
    },
  }
}

const isEligible = (productId: string, now: Date) =>
  and(
    isNull(users.deletedAt),
    hasRow(
      purchases,
      eq(purchases.userId, users.id),
      eq(purchases.productId, productId),
      eq(purchases.paidThrough, 'stripe'),
      eq(purchases.refundedAmount, 0),
      eq(purchases.isDisputed, false),
      sql`coalesce(${purchases.endedAt}, ${now}) - ${purchases.createdAt} >= make_interval(days => ${paidDaysToReview})`,
    ),
  )

/** Day from which a running subscription allows a review; null without one. */
async function firstReviewDate(db: Database, userId: string) {
  const [oldestPurchase] = await db
    .select({ createdAt: purchases.createdAt })
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, userId),
        eq(purchases.paidThrough, 'stripe'),
        eq(purchases.refundedAmount, 0),
        eq(purchases.isDisputed, false),
        isNull(purchases.endedAt),
      ),
    )
    .orderBy(purchases.createdAt)
    .limit(1)
  return oldestPurchase ? new Date(oldestPurchase.createdAt.getTime() + paidDaysToReview * dayMs) : null
}

const hasReview = (productId: string, condition?: SQL) =>
  hasRow(reviews, eq(reviews.userId, users.id), eq(reviews.productId, productId), condition)

/** The seller may answer every review and hide the text of a reported one, but delete none. */
type Moderation = {
  list(filter: ParsedInputOf<typeof reviewsAdmin.list>): Promise<Page<RawOutputOf<typeof reviewsAdmin.list>[number]>>
  answer(actor: Actor, id: string, answer: string): Promise<void>
  hide(actor: Actor, id: string, reason: string): Promise<void>
}

function createModeration({ db, now, mails, audit }: Pick<Context, 'db' | 'now' | 'mails' | 'audit'>): Moderation {
  return {
    list: ({ show, ...page }) => listReviews(db, page, toAdminReview, { condition: show && filterConditions[show] }),

    async answer(actor, id, answer) {
      await db.transaction(async (tx) => {
        const [review] = await tx
          .update(reviews)
          .set({ answer, answeredAt: now() })
          .where(and(eq(reviews.id, id), isWritten))
          .returning({ userId: reviews.userId })
        if (!review) throw notFound('Review')
        await audit.record(tx, actor, { action: 'review.answer', subject: id, aboutId: review.userId })
      })
    },

    async hide(actor, id, reason) {
      await db.transaction(async (tx) => {
        const [found] = await tx
          .select({
            userId: reviews.userId,
            reportedAt: reviews.reportedAt,
            email: users.email,
            deletedAt: users.deletedAt,
          })
          .from(reviews)
          .innerJoin(users, eq(users.id, reviews.userId))
          .where(and(eq(reviews.id, id), isWritten))
        if (!found) throw notFound('Review')
        if (!found.reportedAt) throw conflict('not-reported', 'Only a review that someone reported can be hidden')
        await tx.update(reviews).set({ hiddenBecause: reason }).where(eq(reviews.id, id))
        await audit.record(tx, actor, { action: 'review.hide', subject: id, aboutId: found.userId })
        if (!found.deletedAt) await mails.send(tx, found.email, 'reviewHidden', { reason })
      })
    },
  }
}
