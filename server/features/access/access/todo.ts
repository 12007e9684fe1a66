import { and, asc, desc, eq, gte, inArray, isNotNull, like, lt, or, sql } from 'drizzle-orm'
import type { accessAdmin as calls } from '#contract/access/access-admin.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { promisedTodoKinds, type TodoKind, todoKinds } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { containing, decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { access, accessForms, products, tvPeople, tvScripts, users } from '#server/database/schema.ts'
import { matchesUser } from '#server/database/text-search.ts'
import type { AccessRow, ConnectorInterface } from './rows.ts'
import { renamedTo } from './todo-refresh.ts'

type TodoContext = Pick<Context, 'db' | 'now'>

export type Todo = {
  todo(filter: ParsedInputOf<typeof calls.todo>): Promise<Page<RawOutputOf<typeof calls.todo>[number]>>
  counts(): Promise<RawOutputOf<typeof calls.counts>>
  /** Counts for the overview, with the earliest due time of each kind. The sum equals that of `counts`. */
  waiting(): Promise<{ todo: Record<TodoKind, CountDue>; overdue: CountDue; requested: CountDue }>
  /** Open access requests. `oldest` is when the first of them was made. */
  countRequests(): Promise<{ open: number; overdue: number; oldest: Date | null }>
}

export type Paging = { limit: number; cursor?: string | undefined; q?: string | undefined }

export const shownUser = { id: users.id, name: users.name, email: users.email }

/** Matches the unlocked username, which may differ from the requested one. */
export const matchesUnlockedName = (q: string) => like(sql`lower(${access.unlockedName})`, containing(q))

type CountDue = { count: number; dueAt: Date | null }

export const accessSummaryOf = <User>(
  { id, state, reason, undoUntil }: AccessRow,
  user: User,
  now: Date,
  hasConnector: boolean,
) => ({ id, user, state, reason, mayUndo: undoUntil !== null && undoUntil > now, isByHand: !hasConnector })

/** Error that the connector last met with the buyer's username. */
const connectorError = sql<string | null>`(select max(${tvPeople.error}) from ${tvPeople}
  where ${tvPeople.userId} = ${access.userId} and ${tvPeople.usernameKey} = ${access.nameKey})`
const scriptNames = sql<string[]>`array(select ${tvScripts.name} from ${tvScripts}
  where ${tvScripts.productId} = ${access.productId} order by ${tvScripts.createdAt})`

export function createTodo({ db, now }: TodoContext, connector: ConnectorInterface): Todo {
  async function formsOf(userIds: string[]) {
    return db
      .selectDistinctOn([accessForms.userId])
      .from(accessForms)
      .where(inArray(accessForms.userId, userIds))
      .orderBy(accessForms.userId, desc(accessForms.submittedAt))
  }

  return {
    async todo({ limit, cursor, q, kind, overdue }) {
      const after = decodeCursor(cursor)
      const served = await connector.servedProducts()
      const rows = await db
        .select({
          row: access,
          renamedTo,
          error: connectorError,
          user: shownUser,
          product: products.name,
          scripts: scriptNames,
        })
        .from(access)
        .innerJoin(users, eq(users.id, access.userId))
        .innerJoin(products, eq(products.id, access.productId))
        .where(
          and(
            kind ? eq(access.todo, kind) : isNotNull(access.todo),
            q ? or(matchesUser(q), matchesUnlockedName(q)) : undefined,
            overdue && and(isPromised, overdue === 'yes' ? lt(access.dueAt, now()) : gte(access.dueAt, now())),
            after && sql`(${access.todoSince}, ${access.id}) > (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(asc(access.todoSince), asc(access.id))
        .limit(limit + 1)
      const { items, next } = pageOf(rows, limit, ({ row }) => ({ at: row.todoSince ?? row.stateSince, id: row.id }))
      const forms = await formsOf(items.map(({ row }) => row.userId))
      return {
        next,
        items: items.flatMap(({ row, renamedTo: presentName, error, user, product, scripts }) => {
          const form = forms.find(({ userId }) => userId === row.userId)
          if (!row.todo) return []
          return {
            ...accessSummaryOf(row, user, now(), served.has(row.productId)),
            kind: row.todo,
            ...usernamesOf(row.todo, row, presentName),
            due: row.dueAt,
            detail: detailOf(row.todo, row, error),
            exchangeName: form?.exchangeName || null,
            additionalInfo: form?.additionalInfo ?? null,
            hasKeys: Boolean(form?.sealedKeys),
            product,
            scripts,
            until: row.until,
          }
        }),
      }
    },

    ...createCounts(db, now),
  }
}

function usernamesOf(kind: TodoKind, row: AccessRow, presentName: string | null) {
  const wanted = row.username ?? row.unlockedName
  if (kind === 'renamed') return { username: presentName, oldUsername: wanted }
  if (kind === 'lock') return { username: row.unlockedName, oldUsername: null }
  return { username: wanted, oldUsername: kind === 'move' ? row.unlockedName : null }
}

function detailOf(kind: TodoKind, row: AccessRow, error: string | null) {
  if (kind === 'stuck') return error
  return kind === 'decide' ? row.declinedBecause : null
}

const isPromised = inArray(access.todo, [...promisedTodoKinds])

const sumCounts = (rows: { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

function createCounts(db: Database, now: () => Date): Pick<Todo, 'counts' | 'waiting' | 'countRequests'> {
  const countByKind = () => {
    const isOverdue = sql<boolean>`${access.dueAt} < ${now()}`
    return (
      db
        .select({
          todo: access.todo,
          isOverdue,
          count: sql<number>`count(*)::int`,
          dueAt: sql<Date | null>`min(${access.dueAt})`.mapWith(access.dueAt),
        })
        .from(access)
        .where(or(isNotNull(access.todo), eq(access.state, 'unlocking')))
        // Column 2 is `isOverdue`. Repeating it would send another parameter, which PostgreSQL takes for another expression.
        .groupBy(access.todo, sql`2`)
    )
  }

  return {
    async counts() {
      const rows = await countByKind()
      const countOf = (kind: TodoKind | null) => sumCounts(rows.filter(({ todo }) => todo === kind))
      const todo = Object.fromEntries(todoKinds.map((kind) => [kind, countOf(kind)]))
      // Rows without a task are those that the connector is unlocking.
      return { todo: todo as Record<TodoKind, number>, addingNow: countOf(null) }
    },

    async waiting() {
      const rows = await countByKind()
      const sumWithFirstDue = (summedRows: typeof rows): CountDue => {
        const [firstDue] = summedRows.flatMap(({ dueAt }) => dueAt ?? []).toSorted((a, b) => a.getTime() - b.getTime())
        return { count: sumCounts(summedRows), dueAt: firstDue ?? null }
      }
      const rowsOf = (kind: TodoKind) => rows.filter(({ todo }) => todo === kind)
      const todo = Object.fromEntries(todoKinds.map((kind) => [kind, sumWithFirstDue(rowsOf(kind))]))
      const promisedRows = promisedTodoKinds.flatMap(rowsOf)
      return {
        todo: todo as Record<TodoKind, CountDue>,
        overdue: sumWithFirstDue(promisedRows.filter(({ isOverdue }) => isOverdue)),
        requested: sumWithFirstDue(promisedRows.filter(({ isOverdue }) => !isOverdue)),
      }
    },

    async countRequests() {
      const [found] = await db
        .select({
          open: sql<number>`count(*)::int`,
          overdue: sql<number>`(count(*) filter (where ${access.dueAt} < ${now()}))::int`,
          oldest: sql<Date | null>`min(${access.askedAt})`.mapWith(access.askedAt),
        })
        .from(access)
        .where(eq(access.state, 'asked'))
      return found ?? { open: 0, overdue: 0, oldest: null }
    },
  }
}
