import { bigint, date, pgTable, text } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'

/** Subscriptions gained and lost each month; kept by triggers.sql, so that no overview reads all purchases. */
export const subscriptionMovements = pgTable('subscription_movements', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  month: date().notNull(),
  billingType: text().$type<BillingType>().notNull(),
  begun: bigint({ mode: 'number' }).notNull(),
  begunAmount: bigint({ mode: 'number' }).notNull(),
  ended: bigint({ mode: 'number' }).notNull(),
  endedAmount: bigint({ mode: 'number' }).notNull(),
})
