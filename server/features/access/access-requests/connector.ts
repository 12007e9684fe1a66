import type { Database, Transaction } from '#server/database/connect.ts'

/** Whatever unlocks access automatically, if anything does. */
export type Connector = {
  isOn(): Promise<boolean>
  isWorking(tx?: Database | Transaction): Promise<boolean>
  /** Checks on TradingView what was recorded here. */
  verify(tx: Transaction, userId: string): Promise<void>
}
