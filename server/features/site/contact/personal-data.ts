import { and, desc, eq, gte, isNotNull, lt, or, sql } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { contactMessages, users } from '#server/database/schema.ts'

const message = {
  firstName: contactMessages.firstName,
  lastName: contactMessages.lastName,
  email: contactMessages.email,
  message: contactMessages.message,
  createdAt: contactMessages.createdAt,
  answer: contactMessages.answer,
  answeredAt: contactMessages.answeredAt,
}

/** The answer went to the address in the message: it is for the account whose proven address that is. */
const mayReadAnswer = and(
  eq(users.email, contactMessages.email),
  gte(contactMessages.answeredAt, users.verifiedAt),
)

export function createPersonalData({ db, now }: { db: Database; now: () => Date }) {
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
      const sent = await db
        .select({
          ...message,
          answer: sql<string | null>`case when ${mayReadAnswer} then ${contactMessages.answer} end`,
        })
        .from(contactMessages)
        .innerJoin(users, eq(users.id, contactMessages.userId))
        .where(eq(contactMessages.userId, userId))
        .orderBy(desc(contactMessages.createdAt))
      return { contactMessages: sent }
    },

    /** For the seller, who knows that typing an address proves nothing. */
    messagesFrom: (email: string) =>
      db
        .select(message)
        .from(contactMessages)
        .where(eq(contactMessages.email, email))
        .orderBy(desc(contactMessages.createdAt)),
  }
}
