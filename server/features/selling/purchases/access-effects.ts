import type { Database, Transaction } from '#server/database/connect.ts'

/** What the access wing does, in the same transaction, when something happens to purchases here. */
export type AccessEffects = {
  /** Any purchase of this person has begun, ended or changed. */
  purchasesChanged(tx: Transaction, userId: string): Promise<void>
  purchaseEnded(
    tx: Transaction | Database,
    of: { purchaseId: string } | { userId: string },
    at: Date,
  ): Promise<void>
  /** The buyer had bought the next one in time. */
  purchaseReplaced(tx: Transaction, fromPurchaseId: string, toPurchaseId: string): Promise<void>
  /** The buyer gave it at the checkout, and has paid. */
  usernameGiven(
    tx: Transaction,
    given: { userId: string; purchaseId: string; productId: string; username: string },
  ): Promise<void>
}
