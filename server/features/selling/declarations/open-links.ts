import { and, eq, gt, inArray, isNull, lte, or } from 'drizzle-orm'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { Transaction } from '#server/database/connect.ts'
import { declarations, purchases } from '#server/database/schema.ts'
import type { DeclarationRow } from './dependencies.ts'

const day = 86_400_000
/** How long only the owner's click is waited for. */
const daysToConfirm = 3

/** Open, and the seller's to decide: without a link that still works, or not confirmed for three days. */
export const isSellers = (now: Date) =>
  and(
    eq(declarations.state, 'open'),
    or(
      isNull(declarations.linkEndsAt),
      lte(declarations.linkEndsAt, now),
      lte(declarations.declaredAt, new Date(now.getTime() - daysToConfirm * day)),
    ),
  )

/**
 * When an account gets another address: links that went to the old mailbox carry out nothing anymore. What was declared
 * stays, for the seller to decide.
 */
export async function endOpenLinks(tx: Transaction, userId: string, now: Date) {
  await tx
    .update(declarations)
    .set({ linkEndsAt: now })
    .where(
      and(
        eq(declarations.state, 'open'),
        or(isNull(declarations.linkEndsAt), gt(declarations.linkEndsAt, now)),
        inArray(
          declarations.purchaseId,
          tx.select({ id: purchases.id }).from(purchases).where(eq(purchases.userId, userId)),
        ),
      ),
    )
}

/** Within the time we have to act on it; a declaration that a previous version took has no end of its own. */
export const hasLiveLink = ({ linkEndsAt, declaredAt }: DeclarationRow, now: Date) =>
  now < (linkEndsAt ?? declarationDue(declaredAt))
