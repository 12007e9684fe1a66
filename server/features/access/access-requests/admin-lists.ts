import { and, asc, desc, eq, like, or, type SQL, sql } from 'drizzle-orm'
import { promisedBy } from '#contract/access/access-requests.ts'
import type { Database } from '#server/database/connect.ts'
import { containing, decodeCursor, pageOf } from '#server/database/cursor.ts'
import { accessRequests, purchases, users } from '#server/database/schema.ts'
import type { Connector } from './connector.ts'
import { isForHand, isGranted, isOpen, isOverdue, isRestorable } from './open.ts'
import { shownColumns } from './shown-columns.ts'
import { isUnpaid } from './unpaid.ts'

type Dependencies = { db: Database; now: () => Date; connector: Pick<Connector, 'isWorking'> }
type Paging = { limit: number; cursor?: string | undefined }

const lowerName = sql`lower(${accessRequests.tradingViewUsername})`
/** A word that more people match finds what the newest of them have. */
const mostPeople = 2000
const peopleLike = (q: string) =>
  sql`array(select ${users.id} from ${users} where ${like(users.searchText, containing(q))} order by ${desc(users.createdAt)} limit ${mostPeople})`

/** What waits for an admin, and what was decided. */
export function createAdminLists({ db, now, connector }: Dependencies) {
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
    return { items: items.map((row) => ({ ...row, promisedBy: promisedBy(row.submittedAt) })), next }
  }

  /** Of the open requests, those for the seller to decide: while a connector works, only what it has not managed. */
  const isForSeller = async () => ((await connector.isWorking()) ? isForHand(now()) : undefined)

  return {
    isForSeller,

    open: async ({ show, ...paging }: Paging & { show?: 'overdue' | undefined }) =>
      page(and(isOpen, await isForSeller(), show === 'overdue' ? isOverdue(now()) : undefined), paging),

    /** How many wait to be revoked, up to a limit. */
    countToRevoke: (most: number) =>
      db.$count(
        db
          .select({ id: accessRequests.id })
          .from(accessRequests)
          .where(and(isGranted, isUnpaid))
          .limit(most)
          .as('to_revoke'),
      ),

    toRevoke: (paging: Paging) => page(and(isGranted, isUnpaid), paging),

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
