import { and, eq } from 'drizzle-orm'
import type { Database } from '../../database/connect.ts'
import { isLivePurchase } from '../../database/live-purchase.ts'
import { accessRequests, purchases } from '../../database/schema.ts'

export const isUndecided = eq(accessRequests.status, 'requested')

/** Of a request joined with its purchase: nobody has decided it, and somebody still pays for it. */
export const isOpen = and(isUndecided, isLivePurchase)

/** What waits for the seller. The queue, the overview, the digest and the purge of keys all mean these. */
export const openRequests = (db: Database) =>
  db
    .select({ id: accessRequests.id, submittedAt: accessRequests.submittedAt })
    .from(accessRequests)
    .innerJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .where(isOpen)
