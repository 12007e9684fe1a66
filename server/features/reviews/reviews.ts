import { and, eq, exists, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import { reboundSigmaPro } from '#contract/price-list.ts'
import { keptSince, retention } from '#contract/retention.ts'
import { type newReview, paidDaysToReview } from '#contract/reviews.ts'
import type { InferOutput } from '#contract/schema.ts'
import type { Actor } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { purchases, reviews, users } from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'
import { isWritten, managed, managedPage, type Page, publicPage, publicPart } from './shown.ts'

export { latestReviews, reviewSummary } from './shown.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails; audit: Audit; supportEmail: string }

export type Reviews = ReturnType<typeof createReviews>

const product = reboundSigmaPro
const batch = 500

/** Only people who have paid for a while may write; all of it is shown, and nobody can delete what another wrote. */
export function createReviews({ db, now, mails, audit, supportEmail }: Dependencies) {
  /** Paid through Stripe for long enough, with no money back. */
  const hasPaidLongEnough = () =>
    exists(
      db
        .select({ one: sql`1` })
        .from(purchases)
        .where(
          and(
            eq(purchases.userId, users.id),
            eq(purchases.productId, product.id),
            isNotNull(purchases.stripeSubscriptionId),
            eq(purchases.refundedAmount, 0),
            eq(purchases.isDisputed, false),
            sql`coalesce(${purchases.endedAt}, ${now()}) - ${purchases.createdAt} >= make_interval(days => ${paidDaysToReview})`,
          ),
        ),
    )

  async function mayWrite(tx: Transaction | Database, userId: string): Promise<boolean> {
    const [found] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt), hasPaidLongEnough()))
    return found !== undefined
  }

  return {
    list: (wanted: Page) => publicPage(db, wanted),
    adminList: (wanted: Page) => managedPage(db, wanted),

    async mine(userId: string) {
      const [found] = await db
        .select()
        .from(reviews)
        .where(and(eq(reviews.userId, userId), isWritten))
      return found
        ? { mayWrite: false, review: publicPart(managed(found)) }
        : { mayWrite: await mayWrite(db, userId), review: null }
    },

    async write({ user }: Actor, { stars, text, author }: InferOutput<typeof newReview>) {
      await db.transaction(async (tx) => {
        if (!(await mayWrite(tx, user.id)))
          throw new Refusal(403, `You can write a review once you’ve paid for ${paidDaysToReview} days.`)
        const written = { stars, text, author, writtenAt: now() }
        const [saved] = await tx
          .insert(reviews)
          .values({ userId: user.id, productId: product.id, invitedAt: now(), ...written })
          .onConflictDoUpdate({
            target: [reviews.userId, reviews.productId],
            set: written,
            setWhere: isNull(reviews.writtenAt),
          })
          .returning({ id: reviews.id })
        if (!saved) throw conflict('You have already written a review. Thank you!')
        await mails.send(tx, supportEmail, 'reviewWritten', { stars, text, author })
      })
    },

    /** The seller learns of it by email, and may hide the review if the law asks for it. */
    async report(id: string, reason: string) {
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

    async answer(actor: Actor, id: string, answer: string) {
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

    async hide(actor: Actor, id: string, reason: string) {
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
        if (!found.reportedAt) throw conflict('Only a review that someone reported can be hidden')
        await tx.update(reviews).set({ hiddenBecause: reason }).where(eq(reviews.id, id))
        await audit.record(tx, actor, { action: 'review.hide', subject: id, aboutId: found.userId })
        if (!found.deletedAt) await mails.send(tx, found.email, 'reviewHidden', { reason })
      })
    },

    /** Everyone who may write is asked once. */
    async invite() {
      const due = await db
        .select({ id: users.id, email: users.email, name: users.name })
        .from(users)
        .where(
          and(
            isNull(users.deletedAt),
            hasPaidLongEnough(),
            notExists(
              db
                .select({ one: sql`1` })
                .from(reviews)
                .where(and(eq(reviews.userId, users.id), eq(reviews.productId, product.id))),
            ),
          ),
        )
        .limit(batch)
      for (const { id: userId, email, name } of due)
        await db.transaction(async (tx) => {
          const [invited] = await tx
            .insert(reviews)
            .values({ userId, productId: product.id, invitedAt: now() })
            .onConflictDoNothing()
            .returning({ id: reviews.id })
          if (invited) await mails.send(tx, email, 'reviewInvitation', { name, product: product.name })
        })
    },

    /** What others wrote in a report is kept no longer than their messages. */
    async forgetReports() {
      await db
        .update(reviews)
        .set({ report: null })
        .where(lt(reviews.reportedAt, keptSince(now(), retention.reviewReports)))
    },

    /** What was written stays, without a name. */
    async forget(tx: Transaction, userId: string) {
      await tx.delete(reviews).where(and(eq(reviews.userId, userId), isNull(reviews.writtenAt)))
      await tx.update(reviews).set({ author: null }).where(eq(reviews.userId, userId))
    },

    async dataOf(userId: string) {
      const written = await db
        .select({
          stars: reviews.stars,
          text: reviews.text,
          author: reviews.author,
          invitedAt: reviews.invitedAt,
          writtenAt: reviews.writtenAt,
          answer: reviews.answer,
          hiddenBecause: reviews.hiddenBecause,
        })
        .from(reviews)
        .where(eq(reviews.userId, userId))
      return { reviews: written }
    },
  }
}
