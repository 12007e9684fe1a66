import { and, eq, notExists, sql } from 'drizzle-orm'
import { reboundSigmaPro as product } from '#contract/selling/price-list.ts'
import type { Database } from '#server/database/connect.ts'
import { reviews, users } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'
import { isEligible } from './eligibility.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails }

const batch = 500

/** Everyone who may write is asked once. */
export async function inviteToReview({ db, now, mails }: Dependencies) {
  const due = await db
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(
      and(
        isEligible(db, now()),
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
}
