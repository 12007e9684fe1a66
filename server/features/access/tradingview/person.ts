import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Others } from './connector.ts'
import { nextVersion, noFailure } from './plan.ts'

/** What an admin has the connector do about one person's access. */
export function createPerson({ db, now, audit }: Context, { connector, access: { names } }: Others) {
  async function accessOf(id: string) {
    const [row] = await db.select().from(access).where(eq(access.id, id))
    if (!row) throw notFound('Person')
    return row
  }

  return {
    async retry(actor: Actor, id: string) {
      const { userId } = await accessOf(id)
      await db.transaction(async (tx) => {
        await tx
          .update(tvPeople)
          .set({ ...noFailure, nextTryAt: now(), ...nextVersion })
          .where(eq(tvPeople.userId, userId))
        await audit.record(tx, actor, { action: 'tradingview.retry', subject: id, aboutId: userId })
        await names.recheck(tx, userId)
      })
    },

    async adopt(actor: Actor, id: string) {
      const { userId } = await accessOf(id)
      await db.transaction(async (tx) => {
        const adopted = await tx
          .update(tvPeople)
          .set({ isOurs: true, ...nextVersion })
          .where(and(eq(tvPeople.userId, userId), eq(tvPeople.isPresent, true)))
        if (!adopted.rowCount) throw conflict('already-handled', 'This person is on none of the lists.')
        await audit.record(tx, actor, { action: 'tradingview.adopt', subject: id, aboutId: userId })
        await connector.requestSync(tx, userId)
      })
    },
  }
}
