import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import { accessPromiseHours } from '#contract/access/access-requests.ts'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { accessRequests, purchases } from '#server/database/schema.ts'

export const isUndecided = eq(accessRequests.status, 'requested')
export const isGranted = eq(accessRequests.status, 'granted')

/** Revoked while it is paid for, and nothing has replaced it since. */
export const isRestorable = and(
  eq(accessRequests.status, 'revoked'),
  isLivePurchase,
  sql`not exists (select from access_requests newer where newer.purchase_id = ${accessRequests.purchaseId}
    and newer.id <> ${accessRequests.id} and newer.submitted_at >= ${accessRequests.submittedAt})`,
)

/** For a request joined with its purchase: still undecided, and still paid for. */
export const isOpen = and(isUndecided, isLivePurchase)

/** Requests that nobody has decided and that are still paid for; of these, those that match the condition. */
export const openRequests = (db: Database, condition?: SQL) =>
  db
    .select({ id: accessRequests.id, submittedAt: accessRequests.submittedAt })
    .from(accessRequests)
    .innerJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .where(and(isOpen, condition))

/** A connector has this long before a request is handed to the seller. */
export const connectorPatience = 10 * 60_000

export const isForHand = (now: Date) =>
  lt(accessRequests.submittedAt, new Date(now.getTime() - connectorPatience))

/** Past what buyers are promised. */
export const isOverdue = (now: Date) =>
  lt(accessRequests.submittedAt, new Date(now.getTime() - accessPromiseHours * 3_600_000))
