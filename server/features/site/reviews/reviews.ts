import { and, eq, isNull } from 'drizzle-orm'
import type { InferOutput } from '#contract/schema.ts'
import { reboundSigmaPro as product } from '#contract/selling/price-list.ts'
import { type newReview, paidDaysToReview } from '#contract/site/reviews.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database } from '#server/database/connect.ts'
import { reviews } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Mails } from '#server/mails/mails.ts'
import { mayWrite } from './eligibility.ts'
import { inviteToReview } from './invitations.ts'
import { createModeration } from './moderation.ts'
import { createPersonalData } from './personal-data.ts'
import { forEveryone, isWritten, listReviews, type Page } from './shown.ts'

export { latestReviews, reviewSummary } from './shown.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails; audit: Audit; supportEmail: string }

export type Reviews = ReturnType<typeof createReviews>

/** Only people who have paid for a while may write; all of it is shown, and nobody can delete what another wrote. */
export function createReviews(deps: Dependencies) {
  const { db, now, mails, supportEmail } = deps
  return {
    ...createModeration(deps),
    ...createPersonalData(deps),
    invite: () => inviteToReview(deps),

    list: (page: Page) => listReviews(db, page, forEveryone),

    async mine(userId: string) {
      const [found] = await db
        .select()
        .from(reviews)
        .where(and(eq(reviews.userId, userId), isWritten))
      return found
        ? { mayWrite: false, review: forEveryone(found) }
        : { mayWrite: await mayWrite(db, userId, now()), review: null }
    },

    async write({ user }: Actor, { stars, text, author }: InferOutput<typeof newReview>) {
      await db.transaction(async (tx) => {
        if (!(await mayWrite(tx, user.id, now())))
          throw new Refusal(
            403,
            'too-soon',
            `You can write a review once you’ve paid for ${paidDaysToReview} days.`,
          )
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
        if (!saved) throw conflict('already-reviewed', 'You have already written a review. Thank you!')
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
  }
}
