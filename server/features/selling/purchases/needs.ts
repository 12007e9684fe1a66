import { and, type Column, eq, gt, isNotNull, lt, lte, not, type SQL, sql } from 'drizzle-orm'
import type { PurchaseNeed, PurchaseRisk } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { hasEndedPurchase, isLivePurchase, purchases } from '#server/database/schema.ts'
import { graceEnd } from './entitlement.ts'

/** Stripe finalizes a renewal's invoice within an hour or two. */
const draftDays = 3

type NeedQuery = { condition: SQL | undefined; dueAt?: Column; amount?: Column }
const cardDays = 30
const isDisputed = eq(purchases.isDisputed, true)

export const needQueries = (now: Date): Record<PurchaseNeed | PurchaseRisk, NeedQuery> => ({
  // May become a dispute.
  fraud_warnings: { condition: and(isNotNull(purchases.warnedPaymentIntentId), isLivePurchase) },
  disputes: { condition: and(isDisputed, isNotNull(purchases.disputeDueAt)), dueAt: purchases.disputeDueAt },
  // Also while the bank looks at the answer.
  disputed: { condition: isDisputed, dueAt: purchases.disputeDueAt, amount: purchases.disputedAmount },
  // An earlier payment was charged back, and the subscription runs on.
  lost_disputes: {
    condition: and(gt(purchases.lostAmount, purchases.lostAndKept), not(hasEndedPurchase)),
    amount: purchases.lostAmount,
  },
  failed_refunds: { condition: gt(purchases.failedRefunds, 0) },
  uncovered_notes: { condition: gt(purchases.uncoveredNotes, 0) },
  failed_payments: {
    condition: eq(purchases.status, 'past_due'),
    dueAt: purchases.pastDueSince,
    amount: purchases.dueAmount,
  },
  stuck_renewals: { condition: lt(purchases.draftSince, new Date(now.getTime() - draftDays * 86_400_000)) },
  expiring_cards: {
    condition: and(
      eq(purchases.status, 'active'),
      lt(purchases.cardExpiresAt, new Date(now.getTime() + cardDays * 86_400_000)),
      // Only a charge after that day fails.
      lte(purchases.cardExpiresAt, purchases.currentPeriodEnd),
    ),
    dueAt: purchases.cardExpiresAt,
    amount: purchases.nextAmount,
  },
  // The next renewal would be charged without tax.
  untaxed: { condition: and(eq(purchases.taxIsOff, true), isLivePurchase) },
  missing_at_stripe: { condition: and(isNotNull(purchases.missingSince), not(hasEndedPurchase)) },
})

/** Counts every need in one statement, each by its own index, up to `maxCount`. */
export async function countNeeds(db: Database, now: Date, maxCount: number) {
  const counts = Object.entries(needQueries(now)).map(
    ([need, { condition, dueAt, amount }]) => sql`
      select ${need} as need, count(*)::int, min(due) as due, coalesce(sum(amount), 0)::int as amount
      from (select ${dueAt ?? sql`null::timestamptz`} as due, ${amount ?? sql`0`} as amount from ${purchases} where ${condition} limit ${maxCount}) found`,
  )
  const { rows } = await db.execute<{ need: string; count: number; due: string | Date | null; amount: number }>(
    sql.join(counts, sql` union all `),
  )
  return (need: PurchaseNeed | PurchaseRisk) => {
    const none = { count: 0, due: null, amount: 0 }
    const { count, due, amount } = rows.find((row) => row.need === need) ?? none
    const first = due === null ? null : new Date(due)
    return { count, amount, dueAt: first && need === 'failed_payments' ? graceEnd(first) : first }
  }
}
