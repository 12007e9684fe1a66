import { and, asc, desc, eq, isNotNull, like, lt, or, type SQL, sql } from 'drizzle-orm'
import { accessPromiseHours, promisedBy } from '#contract/access/access-requests.ts'
import { liveStatuses } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { accessRequests, purchases, users } from '#server/database/schema.ts'
import { sqlList } from '#server/database/sql-list.ts'

export const isUndecided = eq(accessRequests.status, 'requested')
export const isGranted = eq(accessRequests.status, 'granted')

/** For a request joined with its purchase: undecided and paid for. */
export const isOpen = and(isUndecided, isLivePurchase)

/** Revoked while it is paid for, and nothing has replaced it since. */
export const isRestorable = and(
  eq(accessRequests.status, 'revoked'),
  isLivePurchase,
  sql`not exists (select from access_requests newer where newer.purchase_id = ${accessRequests.purchaseId}
    and newer.id <> ${accessRequests.id} and newer.submitted_at >= ${accessRequests.submittedAt})`,
)

/**
 * A grant whose purchase has ended, with no live one in its place. Access belongs to a person, so a later purchase with
 * the same username keeps it.
 */
const isUnpaid = sql`${accessRequests.endedAt} is not null and not exists (
  select from access_requests claim
  join purchases on purchases.id = claim.purchase_id and purchases.status in ${sql.raw(sqlList(liveStatuses))}
  where claim.user_id = ${accessRequests.userId}
    and lower(claim.trading_view_username) = lower(${accessRequests.tradingViewUsername})
    and claim.status in ('requested', 'granted')
    and not exists (
      select from access_requests later
      where later.purchase_id = claim.purchase_id
        and later.status = 'granted'
        and later.submitted_at > claim.submitted_at
    )
)`

/** The connector has this long before a request is handed to the seller. */
export const connectorPatience = 10 * 60_000

export const hasWaitedForConnector = (now: Date) =>
  lt(accessRequests.submittedAt, new Date(now.getTime() - connectorPatience))

/** Past what buyers are promised. */
export const isOverdue = (now: Date) =>
  lt(accessRequests.submittedAt, new Date(now.getTime() - accessPromiseHours * 3_600_000))

/** The open requests that match the condition. */
export const openRequests = (db: Database, condition?: SQL) =>
  db
    .select({ id: accessRequests.id, submittedAt: accessRequests.submittedAt })
    .from(accessRequests)
    .innerJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .where(and(isOpen, condition))

/** What buyer and seller see of a request; never the sealed keys. */
const shownColumns = {
  id: accessRequests.id,
  purchaseId: accessRequests.purchaseId,
  exchangeName: accessRequests.exchangeName,
  tradingViewUsername: accessRequests.tradingViewUsername,
  additionalInfo: accessRequests.additionalInfo,
  status: accessRequests.status,
  reason: accessRequests.reason,
  submittedAt: accessRequests.submittedAt,
  decidedAt: accessRequests.decidedAt,
}

const withPromise = <Row extends { submittedAt: Date }>(row: Row) => ({
  ...row,
  promisedBy: promisedBy(row.submittedAt),
})

/** The buyer's own: the latest request for each purchase. */
export async function listOf(db: Database, userId: string) {
  const rows = await db
    .selectDistinctOn([accessRequests.purchaseId], shownColumns)
    .from(accessRequests)
    .where(and(eq(accessRequests.userId, userId), isNotNull(accessRequests.purchaseId)))
    .orderBy(accessRequests.purchaseId, desc(accessRequests.submittedAt))
  return rows.map(withPromise)
}

/** A search that more people match shows only the newest of them. */
const mostPeople = 2000
const peopleLike = (q: string) =>
  sql`array(select ${users.id} from ${users} where ${like(users.searchText, containing(q))} order by ${desc(users.createdAt)} limit ${mostPeople})`
const lowerName = sql`lower(${accessRequests.tradingViewUsername})`

type Paging = { limit: number; cursor?: string | undefined }

/** The seller's lists: what waits for a decision, and what was decided. */
export function createLists(
  { db, now }: Pick<Context, 'db' | 'now'>,
  connector: { isWorking(): Promise<boolean> },
) {
  async function page(
    condition: SQL | undefined,
    { limit, cursor }: Paging,
    sort: 'oldest' | 'newest' = 'oldest',
  ) {
    const after = decodeCursor(cursor)
    const [direction, beyond] = sort === 'oldest' ? [asc, sql.raw('>')] : [desc, sql.raw('<')]
    const rows = await db
      .select({
        ...shownColumns,
        hasKeys: sql<boolean>`${accessRequests.sealedKeys} is not null`,
        user: { id: users.id, email: users.email, name: users.name },
        purchase: {
          billingType: purchases.billingType,
          status: purchases.status,
          endedAt: purchases.endedAt,
        },
      })
      .from(accessRequests)
      .innerJoin(users, eq(users.id, accessRequests.userId))
      .leftJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
      .where(
        and(
          condition,
          after &&
            sql`(${accessRequests.submittedAt}, ${accessRequests.id}) ${beyond} (${after.at}, ${after.id})`,
        ),
      )
      .orderBy(direction(accessRequests.submittedAt), direction(accessRequests.id))
      .limit(limit + 1)
    const { items, next } = pageOf(rows, limit, ({ submittedAt, id }) => ({ at: submittedAt, id }))
    return { items: items.map(withPromise), next }
  }

  /** Of the open requests, those for the seller to decide: while the connector works, only what it has not managed. */
  const isForSeller = async () => ((await connector.isWorking()) ? hasWaitedForConnector(now()) : undefined)

  return {
    isForSeller,

    open: async ({ show, ...paging }: Paging & { show?: 'overdue' | undefined }) =>
      page(and(isOpen, await isForSeller(), show === 'overdue' ? isOverdue(now()) : undefined), paging),

    toRevoke: (paging: Paging) => page(and(isGranted, isUnpaid), paging),

    countToRevoke: (most: number) =>
      db.$count(
        db
          .select({ id: accessRequests.id })
          .from(accessRequests)
          .where(and(isGranted, isUnpaid))
          .limit(most)
          .as('to_revoke'),
      ),

    /** What is granted, or what was revoked and can be restored. */
    granted: (status: 'granted' | 'revoked', { q, ...paging }: Paging & { q?: string | undefined }) =>
      page(
        and(
          eq(accessRequests.status, status),
          status === 'revoked' ? isRestorable : undefined,
          q
            ? or(like(lowerName, containing(q)), sql`${accessRequests.userId} = any(${peopleLike(q)})`)
            : undefined,
        ),
        paging,
        'newest',
      ),
  }
}
