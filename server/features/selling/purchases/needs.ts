import { and, type Column, eq, gt, isNotNull, lt, lte, not, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { PurchaseNeed, PurchaseRisk } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { hasEndedPurchase, isLivePurchase, purchases } from '#server/database/schema.ts'
import { graceEnd } from './entitlement.ts'

/** Stripe finalizes a renewal's invoice within an hour or two, so a draft this old is stuck. */
const stuckDraftDays = 3
const expiringCardDays = 30

type NeedCondition = { condition: SQL | undefined; dueAt?: Column; amount?: Column }
const isDisputed = eq(purchases.isDisputed, true)

export const needConditions = (now: Date): Record<PurchaseNeed | PurchaseRisk, NeedCondition> => ({
  fraud_warnings: { condition: and(isNotNull(purchases.warnedPaymentIntentId), isLivePurchase) },
  disputes: { condition: and(isDisputed, isNotNull(purchases.disputeDueAt)), dueAt: purchases.disputeDueAt },
  // Unlike `disputes`, includes those that wait for the bank's decision.
  disputed: { condition: isDisputed, dueAt: purchases.disputeDueAt, amount: purchases.disputedAmount },
  // An earlier payment was charged back, but the subscription runs, and the seller has not chosen to keep it.
  lost_disputes: {
    condition: and(gt(purchases.lostAmount, purchases.lostAndKept), not(hasEndedPurchase)),
    amount: purchases.lostAmount,
  },
  failed_refunds: { condition: gt(purchases.failedRefunds, 0) },
  // Credit notes state more than was refunded.
  uncovered_notes: { condition: gt(purchases.uncoveredNotes, 0) },
  failed_payments: {
    condition: eq(purchases.status, 'past_due'),
    dueAt: purchases.pastDueSince,
    amount: purchases.dueAmount,
  },
  stuck_renewals: { condition: lt(purchases.draftSince, new Date(now.getTime() - stuckDraftDays * dayMs)) },
  expiring_cards: {
    condition: and(
      eq(purchases.status, 'active'),
      lt(purchases.cardExpiresAt, new Date(now.getTime() + expiringCardDays * dayMs)),
      // A renewal before the card expires still succeeds.
      lte(purchases.cardExpiresAt, purchases.currentPeriodEnd),
    ),
    dueAt: purchases.cardExpiresAt,
    amount: purchases.nextAmount,
  },
  untaxed: { condition: and(eq(purchases.taxIsOff, true), isLivePurchase) },
  missing_at_stripe: { condition: and(isNotNull(purchases.missingSince), not(hasEndedPurchase)) },
})

type Counts = { now: Date; maxCount: number }

/** Counts these needs in one statement, each up to `maxCount`. The returned function gives the result of one need. */
export async function countNeeds<Kind extends PurchaseNeed | PurchaseRisk>(
  db: Database,
  needs: readonly Kind[],
  { now, maxCount }: Counts,
) {
  const conditions = needConditions(now)
  const counts = needs.map((need) => {
    const { condition, dueAt, amount } = conditions[need]
    return sql`
      select ${need} as need, count(*)::int, min(due) as due, coalesce(sum(amount), 0)::float8 as amount
      from (select ${dueAt ?? sql`null::timestamptz`} as due, ${amount ?? sql`0`} as amount from ${purchases} where ${condition} limit ${maxCount}) found`
  })
  const { rows } = await db.execute<{ need: string; count: number; due: string | Date | null; amount: number }>(
    sql.join(counts, sql` union all `),
  )
  return (need: Kind) => {
    const { count, due, amount } = rows.find((row) => row.need === need) ?? { count: 0, due: null, amount: 0 }
    const earliest = due === null ? null : new Date(due)
    // The stored date of a failed payment is when it became due, not its deadline.
    const dueAt = earliest && need === 'failed_payments' ? graceEnd(earliest) : earliest
    return { count, amount, dueAt }
  }
}
