import { and, eq } from 'drizzle-orm'
import type { Database } from '../../database/connect.ts'
import { isLivePurchase } from '../../database/live-purchase.ts'
import { accessRequests, purchases } from '../../database/schema.ts'

export const isUndecided = eq(accessRequests.status, 'requested')

/** For a request joined with its purchase: still undecided, and still paid for. */
export const isOpen = and(isUndecided, isLivePurchase)

/** What's waiting for the seller. The queue, the overview, the digest and the key purge all use this definition. */
export const openRequests = (db: Database) =>
  db
    .select({ id: accessRequests.id, submittedAt: accessRequests.submittedAt })
    .from(accessRequests)
    .innerJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .where(isOpen)
