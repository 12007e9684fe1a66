import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { reviews, users } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { forTheSeller, isWritten, listReviews, type Page } from './shown.ts'

/** What the seller may do about reviews: answer all of them, hide the text of a reported one, delete none. */
export function createModeration({ db, now, mails, audit }: Context) {
  return {
    list: (page: Page) => listReviews(db, page, forTheSeller),

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
        if (!found.reportedAt)
          throw conflict('not-reported', 'Only a review that someone reported can be hidden')
        await tx.update(reviews).set({ hiddenBecause: reason }).where(eq(reviews.id, id))
        await audit.record(tx, actor, { action: 'review.hide', subject: id, aboutId: found.userId })
        if (!found.deletedAt) await mails.send(tx, found.email, 'reviewHidden', { reason })
      })
    },
  }
}
