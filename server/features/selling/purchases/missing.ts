import { and, eq, isNotNull, isNull, not } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { hasEndedPurchase, purchases } from '#server/database/schema.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OrderRow, Orders } from '../orders/orders.ts'
import type { AccessEffects } from './entitlement.ts'

type Deps = { orders: Orders; ledger: Ledger; access: AccessEffects }

export type Missing = ReturnType<typeof createMissing>

/** Subscriptions that Stripe does not know, because they are gone or the keys are wrong. Nothing about them changes by itself. */
export function createMissing({ db, now }: Pick<Context, 'db' | 'now'>, { orders, ledger, access }: Deps) {
  const isMissing = and(isNotNull(purchases.missingSince), not(hasEndedPurchase))

  return {
    /** Counts as an answer, so that the reconciler asks about others first. */
    mark: (known: OrderRow) =>
      db.transaction(async (tx) => {
        await orders.nextVersion(tx, known)
        await tx
          .update(purchases)
          .set({ missingSince: now() })
          .where(and(eq(purchases.stripeSubscriptionId, known.subscriptionId), isNull(purchases.missingSince)))
      }),

    /** Ends a missing purchase as gone at Stripe; does nothing about any other. */
    async end(tx: Transaction, id: string) {
      const [ended] = await tx
        .update(purchases)
        .set({
          status: 'cancelled',
          endedAt: now(),
          endedBecause: 'gone',
          endsAt: null,
          nextAmount: null,
          laterAmount: null,
          laterAt: null,
          arr: 0,
        })
        .where(and(eq(purchases.id, id), isMissing))
        .returning()
      if (!ended) return
      await ledger.recordEnd(tx, ended, 'gone')
      await access.purchasesChanged(tx, ended.userId)
    },
  }
}
