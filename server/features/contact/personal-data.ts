import { and, desc, eq, isNotNull, lt, or } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { contactMessages, users } from '../../database/schema.ts'

export function createPersonalData({ db, now }: { db: Database; now: () => Date }) {
  function stored(which: ReturnType<typeof eq>) {
    return db
      .select({
        firstName: contactMessages.firstName,
        lastName: contactMessages.lastName,
        email: contactMessages.email,
        message: contactMessages.message,
        createdAt: contactMessages.createdAt,
        answer: contactMessages.answer,
        answeredAt: contactMessages.answeredAt,
      })
      .from(contactMessages)
      .where(which)
      .orderBy(desc(contactMessages.createdAt))
  }

  return {
    async forgetOld() {
      await db
        .delete(contactMessages)
        .where(lt(contactMessages.createdAt, keptSince(now(), retention.contactMessages)))
    },

    /** What was sent from the account or, if its address is proven, with it. */
    async forget(tx: Transaction, userId: string) {
      const [owner] = await tx
        .select({ email: users.email })
        .from(users)
        .where(and(eq(users.id, userId), isNotNull(users.verifiedAt)))
      await tx
        .delete(contactMessages)
        .where(
          or(eq(contactMessages.userId, userId), owner ? eq(contactMessages.email, owner.email) : undefined),
        )
      await tx.update(contactMessages).set({ answeredBy: null }).where(eq(contactMessages.answeredBy, userId))
    },

    /** Typing an address doesn't prove it's yours: only what was sent while logged in. */
    async dataOf(userId: string) {
      return { contactMessages: await stored(eq(contactMessages.userId, userId)) }
    },

    /** For the seller, who knows that typing an address proves nothing. */
    messagesFrom: (email: string) => stored(eq(contactMessages.email, email)),
  }
}
