import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { access, tvPeople } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Others } from './connector.ts'
import { nextVersion, noFailure } from './plan.ts'

/** What an admin has the connector do about one person's access. */
export function createPerson({ db, now, audit }: Context, { connector, access: { names } }: Others) {
  const about = (actor: Actor, id: string, action: 'adopt' | 'retry', act: Act) =>
    db.transaction(async (tx) => {
      const [row] = await tx.select({ userId: access.userId }).from(access).where(eq(access.id, id))
      if (!row) throw notFound('Person')
      await act(tx, row.userId)
      await audit.record(tx, actor, { action: `tradingview.${action}`, subject: id, aboutId: row.userId })
    })

  return {
    retry: (actor: Actor, id: string) =>
      about(actor, id, 'retry', async (tx, userId) => {
        await tx
          .update(tvPeople)
          .set({ ...noFailure, nextTryAt: now(), ...nextVersion })
          .where(eq(tvPeople.userId, userId))
        await names.recheck(tx, userId)
      }),

    adopt: (actor: Actor, id: string) =>
      about(actor, id, 'adopt', async (tx, userId) => {
        const adopted = await tx
          .update(tvPeople)
          .set({ isOurs: true, ...nextVersion })
          .where(and(eq(tvPeople.userId, userId), eq(tvPeople.isPresent, true)))
        if (!adopted.rowCount) throw conflict('already-handled', 'This person is on none of the lists.')
        await connector.requestSync(tx, userId)
      }),
  }
}

type Act = (tx: Transaction, userId: string) => Promise<void>
