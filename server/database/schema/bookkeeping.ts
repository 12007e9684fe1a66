import { boolean, doublePrecision, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

export const payouts = pgTable(
  'payouts',
  {
    id: text().primaryKey(),
    amount: integer().notNull(),
    currency: text().notNull(),
    status: text().notNull(),
    isAutomatic: boolean().notNull(),
    /** True once the payout's balance transactions are stored. */
    isItemized: boolean().notNull().default(false),
    createdAt: moment().notNull(),
    arrivesAt: moment().notNull(),
    failure: text(),
  },
  (t) => [index('payouts_newest').on(t.arrivesAt, t.id)],
)

/** In the currency that the account settles in. Amounts never change (triggers.sql). */
export const balanceTransactions = pgTable(
  'balance_transactions',
  {
    id: text().primaryKey(),
    category: text().notNull(),
    description: text(),
    createdAt: moment().notNull(),
    availableAt: moment().notNull(),
    amount: integer().notNull(),
    fee: integer().notNull(),
    net: integer().notNull(),
    currency: text().notNull(),
    exchangeRate: doublePrecision(),
    /** No foreign key: the line may arrive before the payment, or belong to another shop of the account. */
    paymentIntentId: text(),
    refundId: text(),
    payoutId: text().references(() => payouts.id),
  },
  (t) => [
    index('balance_transactions_newest').on(t.createdAt, t.id),
    index('balance_transactions_payment').on(t.paymentIntentId, t.createdAt),
    index('balance_transactions_payout').on(t.payoutId),
  ],
)

/** Single row. */
export const balanceReads = pgTable('balance_reads', {
  id: integer().primaryKey().default(1),
  readAt: moment(),
  fault: text(),
})
