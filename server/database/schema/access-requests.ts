import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AccessRequestStatus, accessRequestStatuses } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { createdAt, id, listed, moment } from './columns.ts'
import { purchases } from './purchases.ts'

export const accessRequests = pgTable(
  'access_requests',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    /** Null when the purchase was deleted: a grant must still be revoked. */
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    exchangeName: text().notNull(),
    tradingViewUsername: text().notNull(),
    additionalInfo: text(),
    /** The exchange's keys, sealed; null once purged. */
    sealedKeys: text(),
    status: text().$type<AccessRequestStatus>().notNull().default('requested'),
    reason: text(),
    submittedAt: createdAt(),
    decidedAt: moment(),
    decidedBy: uuid().references(() => users.id),
    /** When the purchase behind a grant ended, or the buyer switched to another username. */
    endedAt: moment(),
    /** A grant by hand can be undone until then; only then is the buyer told and are the keys deleted. */
    announceAt: moment(),
  },
  (t) => [
    index('access_requests_to_revoke')
      .on(t.submittedAt, t.id)
      .where(sql`${t.status} = 'granted' and ${t.endedAt} is not null`),
    index('access_requests_purchase').on(t.purchaseId, t.submittedAt.desc()),
    index('access_requests_open').on(t.submittedAt, t.id).where(sql`${t.status} = 'requested'`),
    // A double click must not queue twice.
    uniqueIndex('access_requests_one_open').on(t.purchaseId).where(sql`${t.status} = 'requested'`),
    index('access_requests_user').on(t.userId),
    index('access_requests_by_status').on(t.status, t.submittedAt, t.id).concurrently(),
    index('access_requests_names')
      .using('gin', sql`lower(${t.tradingViewUsername}) gin_trgm_ops`)
      .concurrently(),
    index('access_requests_sealed').on(t.submittedAt).where(sql`${t.sealedKeys} is not null`),
    check('access_requests_status', sql`${t.status} in ${listed(accessRequestStatuses)}`),
  ],
)
