import { and, asc, desc, eq, inArray, like, or, type SQL, sql } from 'drizzle-orm'
import { type AccessState, accessStates } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import { access, accessEvents, tvEvents, tvPeople, tvScripts, users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { eventTexts } from './people.ts'
import type { ConnectorDoor } from './rows.ts'
import { countsOf, createTodo, type Paging, shownUser } from './todo.ts'

const eventsShown = 100

/** The seller's lists: what there is to do, and everybody. */
export function createLists(context: Context, connector: ConnectorDoor) {
  const { db, now } = context
  const todo = createTodo(context, connector)

  async function page(where: SQL | undefined, { limit, cursor }: Paging) {
    const after = decodeCursor(cursor)
    const rows = await db
      .select({ row: access, username: users.tradingViewUsername, user: shownUser })
      .from(access)
      .innerJoin(users, eq(users.id, access.userId))
      .where(and(where, after && sql`(${access.stateSince}, ${access.id}) < (${after.at}, ${after.id})`))
      .orderBy(desc(access.stateSince), desc(access.id))
      .limit(limit + 1)
    const { items, next } = pageOf(rows, limit, ({ row }) => ({ at: row.stateSince, id: row.id }))
    const userIds = items.map(({ row }) => row.userId)
    const seen = await db
      .select({ person: tvPeople, script: tvScripts.name, productId: tvScripts.productId })
      .from(tvPeople)
      .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
      .where(inArray(tvPeople.userId, userIds))
      .orderBy(asc(tvScripts.createdAt))
    return {
      next,
      items: items.map(({ row, username, user }) => ({
        id: row.id,
        user,
        username: username ?? row.unlockedName,
        state: row.state,
        until: row.until,
        reason: row.reason,
        stateSince: row.stateSince,
        mayUndo: row.undoUntil !== null && row.undoUntil > now(),
        lists: seen
          .filter(({ person, productId }) => isOf(row, person) && productId === row.productId)
          .map(({ person, script }) => ({ script, isPresent: person.isPresent, until: person.presentUntil })),
      })),
    }
  }

  return {
    ...todo,

    async counts() {
      const kinds = await todo.countKinds()
      const states = await db
        .select({ state: access.state, count: sql<number>`count(*)::int` })
        .from(access)
        .groupBy(access.state)
      const people = countsOf(
        accessStates,
        (state) => states.find((each) => each.state === state)?.count ?? 0,
      )
      const { stuck, name_not_found, renamed } = kinds
      return {
        todo: kinds,
        people,
        addingNow: Math.max(0, people.unlocking - stuck - name_not_found - renamed),
      }
    },

    people: ({ state, q, ...paging }: Paging & { state?: AccessState | undefined; q?: string | undefined }) =>
      page(
        and(
          state && eq(access.state, state),
          q
            ? or(
                like(users.searchText, containing(q)),
                like(sql`lower(${users.tradingViewUsername})`, containing(q)),
                like(sql`lower(${access.unlockedName})`, containing(q)),
              )
            : undefined,
        ),
        paging,
      ),

    of: async (userId: string) => (await page(eq(access.userId, userId), { limit: 10 })).items,

    /** What happened, and what TradingView was asked about the names. */
    async history(id: string) {
      const [row] = await db.select().from(access).where(eq(access.id, id))
      if (!row) throw notFound('Access')
      const events = await db
        .select({ event: accessEvents, by: users.email })
        .from(accessEvents)
        .leftJoin(users, eq(users.id, accessEvents.byAdmin))
        .where(and(eq(accessEvents.userId, row.userId), eq(accessEvents.productId, row.productId)))
        .orderBy(desc(accessEvents.id))
        .limit(eventsShown)
      const names = db
        .select({ key: tvPeople.usernameKey })
        .from(tvPeople)
        .where(eq(tvPeople.userId, row.userId))
      const calls = await db
        .select({ at: tvEvents.at, what: tvEvents.call, outcome: tvEvents.outcome, detail: tvEvents.excerpt })
        .from(tvEvents)
        .where(inArray(tvEvents.usernameKey, names))
        .orderBy(desc(tvEvents.id))
        .limit(eventsShown)
      return [
        ...events.map(({ event: { at, event, toState, username, reason }, by }) => ({
          at,
          what: eventTexts[event],
          outcome: by ?? toState,
          detail: [username, reason].filter(Boolean).join(': ') || null,
        })),
        ...calls,
      ].toSorted((a, b) => b.at.getTime() - a.at.getTime())
    },
  }
}

const isOf = (row: typeof access.$inferSelect, { userId, usernameKey }: typeof tvPeople.$inferSelect) =>
  userId === row.userId && usernameKey === (row.nameKey ?? row.unlockedName?.toLowerCase())
