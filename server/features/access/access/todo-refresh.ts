import { and, asc, eq, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import {
  access,
  entryMayNeedSeller,
  mayNeedSeller,
  tvConnection,
  tvPeople,
  tvScripts,
} from '#server/database/schema.ts'
import type { ConnectorInterface } from './rows.ts'
import { todoOf } from './rules.ts'

/** Username that the buyer's list entry has now, if no customer has it: the buyer probably renamed their account. */
export const renamedTo = sql<string | null>`(select ${tvPeople.username} from ${tvPeople} join tv_people former
  on former.script_id = ${tvPeople.scriptId} and former.list_entry_id = ${tvPeople.listEntryId} and former.id <> ${tvPeople.id}
  where former.user_id = ${access.userId} and ${tvPeople.userId} is null and ${tvPeople.error} is not null limit 1)`

/** Selects from the list entries of the row's username on the scripts of its product. */
const selectFromEntries = (expression: SQL, condition: SQL) => sql`(select ${expression} from ${tvPeople}
  join ${tvScripts} on ${tvScripts.id} = ${tvPeople.scriptId} and ${tvScripts.productId} = ${access.productId}
  where ${tvPeople.userId} = ${access.userId} and ${tvPeople.usernameKey} = ${access.nameKey} and ${condition})`

const gaveUpSince = sql<Date | null>`${selectFromEntries(
  sql`max(${tvPeople.failingSince})`,
  sql`${tvPeople.failingSince} is not null and ${tvPeople.nextTryAt} is null`,
)}`.mapWith(access.stateSince)
const hadAccess = sql<boolean>`${selectFromEntries(sql`count(*) > 0`, sql`${tvPeople.isPresent} and not ${tvPeople.isOurs}`)}`

type Connector = Pick<ConnectorInterface, 'isOn' | 'servedProducts'>

/** Without `userIds`, for everyone whose task may have changed. Updates rows in the order of their ids, against deadlocks. */
export async function refreshTodo(tx: Database | Transaction, connector: Connector, now: Date, userIds?: string[]) {
  const isOn = await connector.isOn(tx)
  const served = await connector.servedProducts(tx)
  const [connection] = await tx.select({ mode: tvConnection.mode }).from(tvConnection)
  const usersOfEntriesForSeller = tx.select({ id: tvPeople.userId }).from(tvPeople).where(entryMayNeedSeller(tvPeople))
  const rows = await tx
    // Wrapped in `sql` again, because Drizzle omits table names in top-level SQL fields.
    .select({ row: access, renamedTo: sql<string | null>`${renamedTo}`, gaveUpSince, hadAccess })
    .from(access)
    .where(
      userIds
        ? inArray(access.userId, userIds)
        : or(isNotNull(access.todo), mayNeedSeller(access), inArray(access.userId, usersOfEntriesForSeller)),
    )
    .orderBy(asc(access.id))
  for (const { row, ...entryFacts } of rows) {
    const hasLockingConnector = served.has(row.productId) && connection?.mode === 'full'
    const newTodo = todoOf(row, { ...entryFacts, isOn, hasLockingConnector }, now)
    const isSame =
      newTodo.todo === row.todo &&
      newTodo.todoSince?.getTime() === row.todoSince?.getTime() &&
      newTodo.dueAt?.getTime() === row.dueAt?.getTime()
    if (isSame) continue
    // Skips rows that have changed meanwhile; their change refreshed them.
    await tx
      .update(access)
      .set(newTodo)
      .where(and(eq(access.id, row.id), eq(access.version, row.version)))
  }
}
