import { and, desc, eq, isNull, lt, not, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod/mini'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import { type reviews as calls, type newReview, paidDaysToReview } from '#contract/site/reviews.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { Page } from '#server/database/cursor.ts'
import { hasRow } from '#server/database/has-row.ts'
import { purchases, reviews, users } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import { chosenReviews, forEveryone, forTheSeller, isWritten, listReviews, reviewColumns } from './shown.ts'

export { countReviewsToAnswer, isWritten, latestReviews, reviewSummary, reviewsByProduct } from './shown.ts'

type ReviewContext = Pick<Context, 'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>

/** Reviews by people who have paid for a while. All are shown; nobody can delete another person's review. */
export type Reviews = {
  moderation: Moderation
  list(filter: ParsedInputOf<typeof calls.list>): Promise<Page<RawOutputOf<typeof calls.list>[number]>>
  mine(userId: string): Promise<RawOutputOf<typeof calls.mine>>
  write(actor: Actor, z: z.infer<typeof newReview>): Promise<void>
  /** Emails the seller, who may hide a reported review. */
  report(id: string, reason: string): Promise<void>
  /** Invites everyone who may write a review, once. */
  invite(): Promise<void>
  /** Deletes the text of old reports. */
  forgetReports(): Promise<void>
}

/** Invitations per day. */
const batch = 500

export function createReviews(context: ReviewContext): Reviews {
  const { db, now, mails, supportEmail, catalog } = context

  async function mayWriteAbout(tx: Database | Transaction, userId: string) {
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
      listReviews(db, page, forEveryone, { only: stars ? eq(reviews.stars, Number(stars)) : undefined, sort }),

    async mine(userId) {
      const [found] = await db
        .select(reviewColumns)
        .from(reviews)
        .where(and(eq(reviews.userId, userId), isWritten))
        .orderBy(desc(reviews.writtenAt))
        .limit(1)
      const product = await mayWriteAbout(db, userId)
      return product
        ? { mayWrite: true, mayWriteFrom: null, review: null, product: product.name }
        : {
            mayWrite: false,
            mayWriteFrom: found ? null : await mayWriteFrom(db, userId),
            review: found ? forEveryone(found) : null,
            product: null,
          }
    },

    async write({ user }, { stars, text, author, showsPayingSince = false }) {
      await db.transaction(async (tx) => {
        const product = await mayWriteAbout(tx, user.id)
        if (!product && (await tx.$count(reviews, and(eq(reviews.userId, user.id), isWritten))) > 0)
          throw conflict('already-reviewed', 'You have already written a review. Thank you!')
        if (!product)
          throw new Refusal(403, 'too-soon', `You can write a review once you’ve paid for ${paidDaysToReview} days.`)
        const written = { stars, text, author, showsPayingSince, writtenAt: now() }
        const [saved] = await tx
          .insert(reviews)
          .values({ userId: user.id, productId: product.id, invitedAt: now(), ...written })
          .onConflictDoUpdate({
            target: [reviews.userId, reviews.productId],
            set: written,
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
        const due = await db
          .select({ id: users.id, email: users.email, name: users.name })
          .from(users)
          .where(and(isEligible(productId, now()), not(hasReview(productId))))
          .limit(batch)
        for (const { id: userId, email, name } of due)
          await db.transaction(async (tx) => {
            const invited = await tx
              .insert(reviews)
              .values({ userId, productId, invitedAt: now() })
              .onConflictDoNothing()
            if (invited.rowCount === 1) await mails.send(tx, email, 'reviewInvitation', { name, product })
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
async function mayWriteFrom(db: Database, userId: string) {
  const [oldest] = await db
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
  return oldest ? new Date(oldest.createdAt.getTime() + paidDaysToReview * 86_400_000) : null
}

const hasReview = (productId: string, more?: SQL) =>
  hasRow(reviews, eq(reviews.userId, users.id), eq(reviews.productId, productId), more)

/** The seller may answer every review and hide the text of a reported one, but delete none. */
type Moderation = {
  list(filter: ParsedInputOf<typeof calls.adminList>): Promise<Page<RawOutputOf<typeof calls.adminList>[number]>>
  answer(actor: Actor, id: string, answer: string): Promise<void>
  /** Hides the text of a review that someone reported. */
  hide(actor: Actor, id: string, reason: string): Promise<void>
}

function createModeration({ db, now, mails, audit }: Pick<Context, 'db' | 'now' | 'mails' | 'audit'>): Moderation {
  return {
    list: ({ show, ...page }) => listReviews(db, page, forTheSeller, { only: show && chosenReviews[show] }),

    async answer(actor, id, answer) {
      await db.transaction(async (tx) => {
        const [answered] = await tx
          .update(reviews)
          .set({ answer, answeredAt: now() })
          .where(and(eq(reviews.id, id), isWritten))
          .returning({ userId: reviews.userId })
        if (!answered) throw notFound('Review')
        await audit.record(tx, actor, { action: 'review.answer', subject: id, aboutId: answered.userId })
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
