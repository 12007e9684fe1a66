import { and, asc, desc, eq, inArray, like, lt, or, type SQL, sql } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import { accessPromiseHours, promisedBy } from '#contract/access/promise.ts'
import { type AccessState, promisedKinds, type TodoKind, todoKinds } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import {
  access,
  accessForms,
  isNoticed,
  mayBeOpen,
  products,
  tvConnection,
  tvPeople,
  tvScripts,
  users,
} from '#server/database/schema.ts'
import { matchesUser } from '#server/database/text-search.ts'
import type { AccessRow, ConnectorDoor } from './rows.ts'
import { connectorPatience } from './seen.ts'

export type Paging = { limit: number; cursor?: string | undefined; q?: string | undefined }

export const shownUser = { id: users.id, name: users.name, email: users.email }

/** By the username that has access; where it is not the one that is wanted, the seller has something to do. */
export const isOpenSearched = (q: string) => like(sql`lower(${access.unlockedName})`, containing(q))

const since =
  sql<Date>`case when ${access.state} in ('asked', 'unlocking') then coalesce(${access.askedAt}, ${access.stateSince}) else ${access.stateSince} end`.mapWith(
    access.stateSince,
  )

/** The same row of TradingView's under a name that no customer has: they may have renamed themselves. */
const newName = sql<string | null>`(select ${tvPeople.username} from ${tvPeople} join tv_people former
  on former.script_id = ${tvPeople.scriptId} and former.row_id = ${tvPeople.rowId} and former.id <> ${tvPeople.id}
  where former.user_id = ${access.userId} and ${tvPeople.userId} is null and ${tvPeople.error} is not null limit 1)`

const onLists = (condition: SQL) => sql`exists (select from ${tvPeople}
  join ${tvScripts} on ${tvScripts.id} = ${tvPeople.scriptId} and ${tvScripts.productId} = ${access.productId}
  where ${tvPeople.userId} = ${access.userId} and ${tvPeople.usernameKey} = ${access.nameKey} and ${condition})`

/** What failed before the seller unlocked it by hand is settled. */
const hasGivenUp = sql`${tvPeople.failingSince} is not null and ${tvPeople.nextTryAt} is null
  and (${access.state} = 'unlocking' or ${tvPeople.failingSince} >= ${access.stateSince})`

/** What the seller has to do about a person, as docs/access.md lists it; null for nothing. */
function kindOf(now: Date, isOn: boolean, served: ReadonlySet<string>): SQL<TodoKind | null> {
  const patience = new Date(now.getTime() - connectorPatience)
  const { state, reason, nameProblem, unlockedName, needsDecision } = access
  const isLeftOpen = sql`${unlockedName} is not null and ((${state} = 'unlocked' and ${reason} is null) or ${state} = 'withheld')`
  // The connector locks in seconds, in the mode that lets it.
  const isServed = sql`${access.productId} = any(${sql.param([...served])}::uuid[])`
  const locksItself = sql`${isServed} and coalesce((select ${tvConnection.mode} = 'full' from ${tvConnection}), false) and ${access.stateSince} > ${patience}`
  const isManaged = sql`${isOn} and ${reason} is not null and ${state} in ('unlocking', 'unlocked')`
  return sql`case
    when ${state} = 'asked' and ${needsDecision} then 'decide'
    when ${nameProblem} = 'taken' and ${reason} is not null and ${state} not in ('declined', 'withheld') then 'name_taken'
    when ${nameProblem} = 'unreadable' and ${isOn} and ${state} = 'asked' then 'name_unreadable'
    when ${state} = 'asked' and ${unlockedName} is not null then 'move'
    when ${state} = 'asked' then 'unlock'
    when ${isLeftOpen} and not (${locksItself}) then 'lock'
    when ${isManaged} and ${nameProblem} = 'not_found' and ${newName} is not null then 'renamed'
    when ${isManaged} and ${nameProblem} = 'not_found' then 'name_not_found'
    when ${isManaged} and (${onLists(hasGivenUp)}
      or (${state} = 'unlocking' and ${access.undoUntil} is null and ${access.askedAt} < ${patience})) then 'stuck'
    when ${isManaged} and ${onLists(sql`${tvPeople.isPresent} and not ${tvPeople.isOurs}`)} then 'had_access'
  end`
}

const isWaiting = (state: AccessState) => state === 'asked' || state === 'unlocking'

type Chosen = { kind?: TodoKind | undefined; overdue?: 'yes' | 'no' | undefined }

export const whoseOf = <User>({ id, state, reason, undoUntil }: AccessRow, user: User, now: Date, works: boolean) => ({
  id,
  user,
  state,
  reason,
  mayUndo: undoUntil !== null && undoUntil > now,
  isByHand: !works,
})

export function createTodo({ db, now }: Context, connector: ConnectorDoor) {
  const kind = async () => kindOf(now(), await connector.isOn(), await connector.servedProducts())
  const overdueSince = () => new Date(now().getTime() - accessPromiseHours * 3_600_000)
  const isOverdue = () => and(eq(access.state, 'asked'), lt(access.askedAt, overdueSince()))
  const isNew = () => and(eq(access.state, 'asked'), sql`${isOverdue()} is not true`)

  /** Only these are looked at, however many have ever bought. As an array, so that the planner knows that they are few. */
  const mayBeHere = sql`${access.userId} = any(array(${union(
    db.select({ id: access.userId }).from(access).where(mayBeOpen(access)),
    db
      .select({ id: sql<string>`${tvPeople.userId}` })
      .from(tvPeople)
      .where(isNoticed(tvPeople)),
  )}))`

  async function formsOf(userIds: string[]) {
    return db
      .selectDistinctOn([accessForms.userId])
      .from(accessForms)
      .where(inArray(accessForms.userId, userIds))
      .orderBy(accessForms.userId, desc(accessForms.submittedAt))
  }

  return {
    async todo({ limit, cursor, q, kind: only, overdue }: Paging & Chosen) {
      const after = decodeCursor(cursor)
      const [kindHere, served] = await Promise.all([kind(), connector.servedProducts()])
      const rows = await db
        .select({
          row: access,
          kind: sql<TodoKind>`${kindHere}`,
          since,
          newName,
          error: sql<string | null>`(select max(${tvPeople.error}) from ${tvPeople}
            where ${tvPeople.userId} = ${access.userId} and ${tvPeople.usernameKey} = ${access.nameKey})`,
          user: shownUser,
          product: products.name,
          scripts: sql<string[]>`array(select ${tvScripts.name} from ${tvScripts}
            where ${tvScripts.productId} = ${access.productId} order by ${tvScripts.createdAt})`,
        })
        .from(access)
        .innerJoin(users, eq(users.id, access.userId))
        .innerJoin(products, eq(products.id, access.productId))
        .where(
          and(
            mayBeHere,
            q ? or(matchesUser(q), isOpenSearched(q)) : undefined,
            overdue && and(overdue === 'yes' ? isOverdue() : isNew(), inArray(sql`${kindHere}`, promisedKinds)),
            only ? sql`${kindHere} = ${only}` : sql`${kindHere} is not null`,
            after && sql`(${since}, ${access.id}) > (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(asc(since), asc(access.id))
        .limit(limit + 1)
      const { items, next } = pageOf(rows, limit, (each) => ({ at: each.since, id: each.row.id }))
      const forms = await formsOf(items.map(({ row }) => row.userId))
      return {
        next,
        items: items.map(({ row, kind: what, newName: seenAs, error, user, product, scripts }) => {
          const form = forms.find(({ userId }) => userId === row.userId)
          const wanted = row.username ?? row.unlockedName
          return {
            ...whoseOf(row, user, now(), served.has(row.productId)),
            kind: what,
            username: what === 'renamed' ? seenAs : what === 'lock' ? row.unlockedName : wanted,
            oldUsername: what === 'move' ? row.unlockedName : what === 'renamed' ? wanted : null,
            due: isWaiting(row.state) && row.askedAt ? promisedBy(row.askedAt) : null,
            detail: what === 'stuck' ? error : what === 'decide' ? row.declinedBecause : null,
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

    ...createCounts(db, { kind, isOverdue, mayBeHere }),
  }
}

type CountDeps = { kind: () => Promise<SQL<TodoKind | null>>; isOverdue: () => SQL | undefined; mayBeHere: SQL }

function createCounts(db: Database, { kind, isOverdue, mayBeHere }: CountDeps) {
  async function countByKind() {
    const { state, askedAt } = access
    const found = db
      .select({
        kind: sql<TodoKind | null>`${await kind()}`.as('kind'),
        isOverdue: sql<boolean>`${isOverdue()} is true`.as('is_overdue'),
        state,
        askedAt: sql`case when ${state} in ('asked', 'unlocking') then ${askedAt} end`.as('waits_since'),
      })
      .from(access)
      .where(mayBeHere)
      .as('found')
    return db
      .select({
        kind: found.kind,
        isOverdue: found.isOverdue,
        count: sql<number>`count(*)::int`,
        askedAt: sql<Date | null>`min(${found.askedAt})`.mapWith(askedAt),
      })
      .from(found)
      .where(sql`${found.kind} is not null or ${found.state} = 'unlocking'`)
      .groupBy(found.kind, found.isOverdue)
  }

  return {
    async counts() {
      const rows = await countByKind()
      const countOf = (what: TodoKind | null) =>
        rows.filter((row) => row.kind === what).reduce((sum, row) => sum + row.count, 0)
      const todo = Object.fromEntries(todoKinds.map((what) => [what, countOf(what)]))
      return { todo: todo as Record<TodoKind, number>, addingNow: countOf(null) }
    },

    /** Counts for the inbox, with when the first of each kind is due. Their sum is that of `counts`. */
    async waiting() {
      const rows = await countByKind()
      const sumOf = (some: typeof rows) => {
        const first = Math.min(...some.map(({ askedAt }) => askedAt?.getTime() ?? Number.POSITIVE_INFINITY))
        const count = some.reduce((sum, row) => sum + row.count, 0)
        return { count, dueAt: Number.isFinite(first) ? promisedBy(new Date(first)) : null }
      }
      const isPromised = ({ kind: what }: { kind: TodoKind | null }) => promisedKinds.some((each) => each === what)
      const todo = Object.fromEntries(todoKinds.map((what) => [what, sumOf(rows.filter((row) => row.kind === what))]))
      return {
        todo: todo as Record<TodoKind, ReturnType<typeof sumOf>>,
        overdue: sumOf(rows.filter((row) => isPromised(row) && row.isOverdue)),
        requested: sumOf(rows.filter((row) => isPromised(row) && !row.isOverdue)),
      }
    },

    async promised() {
      const [found] = await db
        .select({
          open: sql<number>`count(*)::int`,
          overdue: sql<number>`(count(*) filter (where ${isOverdue()}))::int`,
          oldest: sql<Date | null>`min(${access.askedAt})`.mapWith(access.askedAt),
        })
        .from(access)
        .where(eq(access.state, 'asked'))
      return found ?? { open: 0, overdue: 0, oldest: null }
    },
  }
}
