import { and, desc, eq, isNull } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { customerNotes, users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'

/** What the seller's people note about a customer. */
export function createNotes({ db, now, audit }: Context) {
  return {
    of: (userId: string) =>
      db
        .select({
          id: customerNotes.id,
          text: customerNotes.text,
          author: users.name,
          createdAt: customerNotes.createdAt,
        })
        .from(customerNotes)
        .innerJoin(users, eq(users.id, customerNotes.authorId))
        .where(eq(customerNotes.userId, userId))
        .orderBy(desc(customerNotes.createdAt), desc(customerNotes.id)),

    async add(actor: Actor, userId: string, text: string) {
      await db.transaction(async (tx) => {
        // Locked: a deletion waits, and then takes the note along.
        const [customer] = await tx
          .select({ id: users.id })
          .from(users)
          .where(and(eq(users.id, userId), isNull(users.deletedAt)))
          .for('share')
        if (!customer) throw notFound('User')
        await tx.insert(customerNotes).values({ userId, authorId: actor.user.id, text, createdAt: now() })
        await audit.record(tx, actor, { action: 'note.add', aboutId: userId })
      })
    },

    async remove(actor: Actor, id: string) {
      await db.transaction(async (tx) => {
        const [removed] = await tx.delete(customerNotes).where(eq(customerNotes.id, id)).returning()
        if (!removed) throw notFound('Note')
        await audit.record(tx, actor, { action: 'note.delete', aboutId: removed.userId })
      })
    },
  }
}
