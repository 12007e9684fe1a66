import { and, asc, desc, eq, inArray, lte, or, type SQL, sql } from 'drizzle-orm'
import type { accessAdmin as calls } from '#contract/access/access-admin.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { AccessEvent } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { decodeCursor, type HistoryPart, type Page, pageOf } from '#server/database/cursor.ts'
import {
  access,
  accessEvents,
  mayNeedSeller,
  products,
  tvEvents,
  tvPeople,
  tvScripts,
  users,
} from '#server/database/schema.ts'
import { matchesUser } from '#server/database/text-search.ts'
import { notFound } from '#server/errors.ts'
import { type ConnectorInterface, isEndRequested } from './rows.ts'
import { accessSummaryOf, createTodo, matchesUnlockedName, type Paging, shownUser, type Todo } from './todo.ts'

type ListContext = Pick<Context, 'db' | 'now'>

type ListedPerson = RawOutputOf<typeof calls.people>[number]

export type AccessLists = Todo & {
  people(filter: ParsedInputOf<typeof calls.people>): Promise<Page<ListedPerson>>
  countEndRequests(): Promise<number>
  ofUser(userId: string): Promise<ListedPerson[]>
  history(id: string): Promise<RawOutputOf<typeof calls.history>>
  historyOf(
    userId: string,
    part: HistoryPart,
  ): Promise<{ key: string; at: Date; what: string; username: string | null; reason: string | null }[]>
}

const eventTexts: Record<AccessEvent, string> = {
  paid: 'Subscription paid',
  ended: 'Subscription ended',
  named: 'Gave a TradingView username',
  renamed: 'Gave another TradingView username',
  asked: 'Asked for access',
  connector_on: 'Taken over by the connector',
  connector_off: 'Handed to the seller',
  granted: 'Unlocked by hand',
  undone: 'Unlock undone',
  declined: 'Declined',
  withheld: 'Removed by the seller',
  restored: 'Restored',
  opened: 'Access unlocked',
  closed: 'Access locked',
}

const maxEventsShown = 100

export function createLists(context: ListContext, connector: ConnectorInterface): AccessLists {
  const { db, now } = context

  async function listPeople(where: SQL | undefined, { limit, cursor, q }: Paging) {
    const after = decodeCursor(cursor)
    const rows = await db
      .select({ row: access, user: shownUser, product: products.name })
      .from(access)
      .innerJoin(users, eq(users.id, access.userId))
      .innerJoin(products, eq(products.id, access.productId))
      .where(
        and(
          where,
          q ? or(matchesUser(q), and(mayNeedSeller(access), matchesUnlockedName(q))) : undefined,
          after && sql`(${access.stateSince}, ${access.id}) < (${after.at}, ${after.id})`,
        ),
      )
      .orderBy(desc(access.stateSince), desc(access.id))
      .limit(limit + 1)
    const { items, next } = pageOf(rows, limit, ({ row }) => ({ at: row.stateSince, id: row.id }))
    const userIds = items.map(({ row }) => row.userId)
    const served = await connector.servedProducts()
    const listEntries = await db
      .select({ person: tvPeople, script: tvScripts.name, productId: tvScripts.productId })
      .from(tvPeople)
      .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
      .where(inArray(tvPeople.userId, userIds))
      .orderBy(asc(tvScripts.createdAt))
    return {
      next,
      items: items.map(({ row, user, product }) => ({
        ...accessSummaryOf(row, user, now(), served.has(row.productId)),
        product,
        username: row.username ?? row.unlockedName,
        until: row.until,
        stateSince: row.stateSince,
        endRequested: row.endRequestedAt !== null && row.reason !== null,
        lists: listEntries
          .filter(({ person, productId }) => isEntryOf(row, person) && productId === row.productId)
          .map(({ person, script }) => ({ script, isPresent: person.isPresent, until: person.presentUntil })),
      })),
    }
  }

  return {
    ...createTodo(context, connector),

    people: ({ state, endRequested, ...paging }) =>
      listPeople(and(state && eq(access.state, state), endRequested && isEndRequested), paging),

    countEndRequests: () => db.$count(access, isEndRequested),

    ofUser: async (userId) => (await listPeople(eq(access.userId, userId), { limit: 10 })).items,

    async history(id) {
      const [row] = await db.select().from(access).where(eq(access.id, id))
      if (!row) throw notFound('Access')
      const events = await db
        .select({ event: accessEvents, by: users.email })
        .from(accessEvents)
        .leftJoin(users, eq(users.id, accessEvents.byAdmin))
        .where(and(eq(accessEvents.userId, row.userId), eq(accessEvents.productId, row.productId)))
        .orderBy(desc(accessEvents.id))
        .limit(maxEventsShown)
      const usernameKeys = db
        .select({ key: tvPeople.usernameKey })
        .from(tvPeople)
        .where(eq(tvPeople.userId, row.userId))
      const connectorCalls = await db
        .select({ at: tvEvents.at, what: tvEvents.call, outcome: tvEvents.outcome, detail: tvEvents.excerpt })
        .from(tvEvents)
        .where(inArray(tvEvents.usernameKey, usernameKeys))
        .orderBy(desc(tvEvents.id))
        .limit(maxEventsShown)
      const accessEntries = events.map(({ event: { at, event, toState, username, reason }, by }) => ({
        at,
        what: eventTexts[event],
        outcome: by ?? toState,
        detail: [username, reason].filter(Boolean).join(': ') || null,
      }))
      return [...accessEntries, ...connectorCalls].toSorted((a, b) => b.at.getTime() - a.at.getTime())
    },

    async historyOf(userId, { before, limit }) {
      const rows = await db
        .select()
        .from(accessEvents)
        .where(and(eq(accessEvents.userId, userId), lte(accessEvents.at, before)))
        .orderBy(desc(accessEvents.at), desc(accessEvents.id))
        .limit(limit)
      return rows.map(({ id, at, event, username, reason }) => ({
        key: String(id),
        at,
        what: eventTexts[event],
        username,
        reason,
      }))
    },
  }
}

/** True if a list entry has the username that counts for the row: the wanted one, or else the unlocked one. */
const isEntryOf = (row: typeof access.$inferSelect, { userId, usernameKey }: typeof tvPeople.$inferSelect) =>
  userId === row.userId && usernameKey === (row.nameKey ?? row.unlockedName?.toLowerCase())
