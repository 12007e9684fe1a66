import { and, eq, isNull } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { collectMyData } from './my-data.ts'

type Dependencies = {
  db: Database
  audit: Pick<Audit, 'record'>
  rooms: Parameters<typeof collectMyData>[0]
  mails: { sentBeforeProof(userId: string): Promise<object[]> }
  contact: { messagesFrom(email: string): Promise<object[]> }
  newsletter: { subscriptionOf(email: string): Promise<object | null> }
}

export type CustomerData = ReturnType<typeof createCustomerData>

/** Everything about one person in one file, for a customer who asks the seller for it. */
export function createCustomerData({ db, audit, rooms, mails, contact, newsletter }: Dependencies) {
  return {
    async collect(actor: Actor, userId: string): Promise<Record<string, unknown>> {
      const [user] = await db
        .select({ email: users.email })
        .from(users)
        .where(and(eq(users.id, userId), isNull(users.deletedAt)))
      if (!user) throw notFound('User')
      await audit.record(db, actor, { action: 'user.export', aboutId: userId })
      return {
        ...(await collectMyData(rooms, userId)),
        // Not proven to be theirs: check before handing it over.
        sameAddress: {
          emails: await mails.sentBeforeProof(userId),
          contactMessages: await contact.messagesFrom(user.email),
          newsletter: await newsletter.subscriptionOf(user.email),
        },
      }
    },
  }
}
