import { and, eq, isNull, lt } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { reviews } from '#server/database/schema.ts'

export function createPersonalData({ db, now }: { db: Database; now: () => Date }) {
  return {
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
