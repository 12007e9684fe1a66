import { and, eq, isNotNull, isNull, not } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { hasEndedPurchase, purchases } from '#server/database/schema.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OrderRow, Orders } from '../orders/orders.ts'
import { type AccessEffects, updatePurchase, updatePurchases } from '../purchases/purchases.ts'

type MissingDeps = Pick<Context, 'db' | 'now'> & {
  orders: Pick<Orders, 'advanceVersion'>
  ledger: Pick<Ledger, 'recordEnd'>
  access: Pick<AccessEffects, 'purchasesChanged'>
}

/** Purchases whose subscription Stripe doesn't know: it was deleted there, or the keys are wrong. Only the seller ends them. */
export type MissingPurchases = {
  /** Sets `missingSince` once, and `syncedAt`, so that the reconciler asks about other subscriptions first. */
  mark(order: OrderRow): Promise<void>
  end(tx: Transaction, id: string): Promise<void>
}

export function createMissingPurchases({ db, now, orders, ledger, access }: MissingDeps): MissingPurchases {
  const isMissing = and(isNotNull(purchases.missingSince), not(hasEndedPurchase))

  return {
    mark: (order) =>
      db.transaction(async (tx) => {
        await orders.advanceVersion(tx, order)
        const isUnmarked = and(eq(purchases.stripeSubscriptionId, order.subscriptionId), isNull(purchases.missingSince))
        await updatePurchases(tx, isUnmarked, { missingSince: now() })
      }),

    async end(tx, id) {
      const changes = {
        status: 'cancelled' as const,
        endedAt: now(),
        endedBecause: 'gone' as const,
        endsAt: null,
        nextAmount: null,
        laterAmount: null,
        laterAt: null,
        arr: 0,
      }
      const ended = await updatePurchase(tx, id, changes, isMissing)
      if (!ended) return
      await ledger.recordEnd(tx, ended, 'gone')
      await access.purchasesChanged(tx, ended.userId)
    },
  }
}
