import type { AssertFresh } from './actor.ts'
import type { Transaction } from './database/connect.ts'

/** Entered by a buyer at the checkout for one product, or in the profile for all. */
type EnteredUsername = {
  userId: string
  username: string
  productId?: string
  /** Form field that a refused username is reported at; unset if no person waits for the answer. */
  field?: 'tradingViewUsername'
  /** Called before access moves to another TradingView account; throws if the buyer may not move it. */
  beforeMove?: AssertFresh
}

/** Called in the transaction of the change. `areas.ts` connects each event with the module that implements it. */
export type AreaEvents = {
  /** Name or email address changed. Implemented by selling/checkout (stripe-customers.ts). */
  accountChanged(tx: Transaction, userId: string): Promise<void>
  /** Invalidates links that were mailed to an address its owner has lost. Implemented by selling/declarations. */
  endDeclarationLinks(tx: Transaction, userId: string): Promise<void>
  /** Purchases of a person began, changed or ended. Implemented by access/access (`refresh`). */
  purchasesChanged(tx: Transaction, userId: string): Promise<void>
  /** Implemented by access/access (names.ts, `setUsername`). */
  usernameEntered(tx: Transaction, entered: EnteredUsername): Promise<void>
  /** True if the connector unlocks buyers of this product. Implemented by access/tradingview. */
  isUnlockedByConnector(tx: Transaction, productId: string): Promise<boolean>
}
