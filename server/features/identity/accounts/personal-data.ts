import { and, eq, isNull } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context, PeoplesRoom } from '#server/context.ts'
import { readPersonalData } from '#server/database/personal-data.ts'
import { users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'

type OtherRooms = {
  rooms: PeoplesRoom[]
  contact: { messagesFrom(email: string): Promise<object[]> }
  newsletter: { subscriptionOf(email: string): Promise<object | null> }
}

export type PersonalData = ReturnType<typeof createPersonalData>

export function createPersonalData(
  { db, audit, mails }: Context,
  { rooms, contact, newsletter }: OtherRooms,
) {
  /**
   * Everything stored with an account except secrets: no hashes, no exchange keys. Data that merely shares the email
   * address (a contact message, the newsletter, emails before its proof) is left out: typing an address doesn't prove
   * it's yours.
   */
  async function of(userId: string) {
    const data = await readPersonalData(db, userId)
    for (const room of rooms) Object.assign(data, await room.dataOf?.(userId))
    return data
  }

  return {
    of,

    /** Everything about one person in one file, for a customer who asks the seller for it. */
    async forCustomer(actor: Actor, userId: string): Promise<Record<string, unknown>> {
      const [user] = await db
        .select({ email: users.email })
        .from(users)
        .where(and(eq(users.id, userId), isNull(users.deletedAt)))
      if (!user) throw notFound('User')
      await audit.record(db, actor, { action: 'user.export', aboutId: userId })
      return {
        ...(await of(userId)),
        // Not proven to be theirs: check before handing it over.
        sameAddress: {
          emails: await mails.sent.sentBeforeProof(userId),
          contactMessages: await contact.messagesFrom(user.email),
          newsletter: await newsletter.subscriptionOf(user.email),
        },
      }
    },
  }
}
