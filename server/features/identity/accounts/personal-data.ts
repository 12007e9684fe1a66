import { and, eq, isNull } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { emailChanges, passwordTokens, users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'

/** Replaces a deleted person's email address. */
export const deletedEmail = (userId: string) => `deleted-${userId}@deleted.invalid`

export async function forget(tx: Transaction, userId: string, now: Date) {
  await tx
    .update(users)
    .set({
      email: deletedEmail(userId),
      name: 'Deleted user',
      passwordHash: null,
      isAdmin: false,
      role: null,
      tradingViewUsername: null,
      deletedAt: now,
    })
    .where(eq(users.id, userId))
  await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
}

export async function dataOf(db: Database, userId: string) {
  const [account] = await db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      isAdmin: users.isAdmin,
      role: users.role,
      tradingViewUsername: users.tradingViewUsername,
      createdAt: users.createdAt,
      verifiedAt: users.verifiedAt,
    })
    .from(users)
    .where(eq(users.id, userId))
  const changes = await db
    .select({
      from: emailChanges.oldEmail,
      to: emailChanges.newEmail,
      requestedAt: emailChanges.requestedAt,
      confirmedAt: emailChanges.confirmedAt,
    })
    .from(emailChanges)
    .where(eq(emailChanges.userId, userId))
  return { account, emailChanges: changes }
}

/**
 * Everything stored with an account except secrets: no hashes, no exchange keys. Data that merely shares the email
 * address (a contact message, the newsletter, emails before its proof) is left out: typing an address doesn't prove
 * it's yours.
 */
export async function collectMyData(
  rooms: { dataOf(userId: string): Promise<object> }[],
  userId: string,
): Promise<Record<string, unknown>> {
  const data = {}
  for (const room of rooms) Object.assign(data, await room.dataOf(userId))
  return data
}

type OtherRooms = {
  rooms: Parameters<typeof collectMyData>[0]
  contact: { messagesFrom(email: string): Promise<object[]> }
  newsletter: { subscriptionOf(email: string): Promise<object | null> }
}

export type CustomerData = ReturnType<typeof createCustomerData>

/** Everything about one person in one file, for a customer who asks the seller for it. */
export function createCustomerData(
  { db, audit, mails }: Context,
  { rooms, contact, newsletter }: OtherRooms,
) {
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
          emails: await mails.sent.sentBeforeProof(userId),
          contactMessages: await contact.messagesFrom(user.email),
          newsletter: await newsletter.subscriptionOf(user.email),
        },
      }
    },
  }
}
