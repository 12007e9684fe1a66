import { and, desc, eq, getTableColumns, isNull, like, sql } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import { access, tvPeople, tvScripts } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import { asRefusal } from './connection.ts'
import type { Connector } from './connector.ts'
import { nextVersion, type PersonRow, storeIfUnchanged } from './plan.ts'

type Paging = { limit: number; cursor?: string | undefined; q?: string | undefined }

const isStranger = and(isNull(tvPeople.userId), eq(tvPeople.isPresent, true))

/** Who is on the lists without being a customer. The connector leaves them alone; an admin can remove them. */
export function createStrangers({ db, now, audit }: Context, connector: Connector) {
  /** No customer may have a right to this name, now or a moment later: the row's version shows it. */
  const claim = (actor: Actor, id: string) =>
    db.transaction(async (tx) => {
      const [found] = await tx
        .select({ person: tvPeople, script: tvScripts })
        .from(tvPeople)
        .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
        .where(eq(tvPeople.id, id))
        .for('update', { of: tvPeople })
      if (!found) throw notFound('Person')
      const { person, script } = found
      const isNamed = and(eq(access.productId, script.productId), eq(access.nameKey, person.usernameKey))
      if (person.userId || (await tx.$count(access, isNamed)) > 0)
        throw conflict('still-entitled', 'This is a customer’s name by now. Look for them under People.')
      await audit.record(tx, actor, { action: 'tradingview.remove', subject: id })
      return { person, script }
    })

  /** Someone who bought while TradingView was asked is let in again right away, whatever it answered. */
  async function record(person: PersonRow, isGone: boolean) {
    const seen = isGone ? { isPresent: false, presentUntil: null, observedAt: now(), error: null } : {}
    await db.transaction(async (tx) => {
      if (await storeIfUnchanged(tx, person, seen)) return
      const [owner] = await tx
        .update(tvPeople)
        .set({ ...seen, ...nextVersion })
        .where(eq(tvPeople.id, person.id))
        .returning({ userId: tvPeople.userId })
      if (owner?.userId) await connector.requestSync(tx, owner.userId)
    })
  }

  return {
    async list({ limit, cursor, q }: Paging) {
      const after = decodeCursor(cursor)
      const rows = await db
        .select({ ...getTableColumns(tvPeople), script: tvScripts.name, until: tvPeople.presentUntil })
        .from(tvPeople)
        .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
        .where(
          and(
            isStranger,
            q ? like(tvPeople.usernameKey, containing(q)) : undefined,
            after ? sql`(${tvPeople.createdAt}, ${tvPeople.id}) < (${after.at}, ${after.id})` : undefined,
          ),
        )
        .orderBy(desc(tvPeople.createdAt), desc(tvPeople.id))
        .limit(limit + 1)
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    /** The only way in which someone whom this shop did not unlock is ever removed. */
    async remove(actor: Actor, id: string) {
      const client = await connector.connection.requireClient()
      const { person, script } = await claim(actor, id)
      let isGone = false
      try {
        await client.remove(script.pineId, person.username)
        const { people, isComplete } = await client.people(script.pineId, person.username)
        const isPresent = people.some(({ username }) => keyOfName(username) === person.usernameKey)
        isGone = !isPresent && isComplete
        if (!isGone) throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
      } catch (error) {
        throw asRefusal(error)
      } finally {
        await record(person, isGone)
      }
    },
  }
}
