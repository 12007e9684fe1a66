import { sql } from 'drizzle-orm'
import { liveStatuses } from '#contract/purchases.ts'
import type { Transaction } from '../../database/connect.ts'
import { accessRequests } from '../../database/schema.ts'

const live = sql`(${sql.join(
  liveStatuses.map((status) => sql`${status}`),
  sql`, `,
)})`

/**
 * True of a grant behind which no live subscription stands: its purchase has ended or was deleted, or the buyer has
 * moved to another TradingView username. Access is a person's, so a later purchase that asks for the same username
 * keeps it.
 */
export const isUnpaid = sql`not exists (
  select from access_requests claim
  join purchases on purchases.id = claim.purchase_id and purchases.status in ${live}
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

/** A new grant to the same username replaces older ones, so that there is one to revoke when it ends. */
export async function replaceOlderGrants(tx: Transaction, ids: string[], now: Date) {
  for (const id of ids)
    await tx.execute(sql`
      update access_requests older
      set status = 'revoked', decided_at = ${now}
      from access_requests newer
      where newer.id = ${id}
        and older.id <> newer.id
        and older.status = 'granted'
        and older.user_id = newer.user_id
        and lower(older.trading_view_username) = lower(newer.trading_view_username)
        and (
          older.purchase_id = newer.purchase_id
          or not exists (
            select from purchases where purchases.id = older.purchase_id and purchases.status in ${live}
          )
        )`)
}
