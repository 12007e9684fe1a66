import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'
import { purchases } from './purchases.ts'

/**
 * Invoices of subscriptions, as Stripe has them. `purchaseId` and `userId` may refer to deleted rows, because the books
 * are kept longer. Total and tax of a finalized invoice never change (triggers.sql).
 */
export const invoices = pgTable(
  'invoices',
  {
    id: text().primaryKey(),
    purchaseId: uuid(),
    userId: uuid().notNull(),
    subscriptionId: text().notNull(),
    number: text(),
    /** Stripe's: draft, open, paid, uncollectible or void. */
    status: text().notNull(),
    reason: text(),
    collection: text().notNull(),
    createdAt: moment().notNull(),
    finalizedAt: moment(),
    dueAt: moment(),
    paidAt: moment(),
    closedAt: moment(),
    total: integer().notNull(),
    tax: integer().notNull(),
    amountPaid: integer().notNull(),
    amountRemaining: integer().notNull(),
    /** Amount paid by other means than Stripe, such as a bank transfer. */
    paidOutOfBand: integer().notNull(),
    periodStart: moment(),
    periodEnd: moment(),
    isProration: boolean().notNull(),
    /** Credit for unused time paid before. */
    credit: integer().notNull(),
    /** Cost of the period itself: without prorations and other items, after discounts and without tax. */
    periodNet: integer().notNull(),
    country: text(),
    /** State or province of the buyer's address. */
    region: text(),
    /** In percent; 0 under reverse charge, null without tax. */
    taxRate: doublePrecision(),
    /** Stripe account of the invoice, if the shop uses another one today. */
    formerAccount: text(),
  },
  (t) => [
    index('invoices_purchase').on(t.purchaseId, t.createdAt),
    index('invoices_user').on(t.userId),
    index('invoices_number').on(t.number),
  ],
)

/** Credit notes of invoices, as Stripe has them. */
export const creditNotes = pgTable(
  'credit_notes',
  {
    id: text().primaryKey(),
    invoiceId: text()
      .notNull()
      .references(() => invoices.id),
    number: text().notNull(),
    status: text().notNull(),
    createdAt: moment().notNull(),
    total: integer().notNull(),
    tax: integer().notNull(),
    refunded: integer().notNull(),
  },
  (t) => [index('credit_notes_invoice').on(t.invoiceId)],
)

/** Payments for invoices. A payment outside Stripe has the invoice's id in place of a payment intent's. */
export const payments = pgTable(
  'payments',
  {
    paymentIntentId: text().primaryKey(),
    /** Null once the seller has deleted the purchase; the invoice still names its owner. */
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    invoiceId: text()
      .notNull()
      .references(() => invoices.id),
    paidAt: moment().notNull(),
    amount: integer().notNull(),
    tax: integer().notNull(),
    /** Copied from the invoice. */
    invoiceNumber: text(),
    periodStart: moment(),
    periodEnd: moment(),
    country: text(),
    /** Amount lost in a dispute, and when the bank withdrew it. */
    lostAt: moment(),
    lostAmount: integer().notNull().default(0),
    /** True if a dispute makes Stripe refuse refunds. */
    isRefundBlocked: boolean().notNull().default(false),
  },
  (t) => [
    index('payments_purchase').on(t.purchaseId),
    index('payments_newest').on(t.paidAt, t.paymentIntentId),
    index('payments_lost').on(t.lostAt, t.paymentIntentId).where(sql`${t.lostAt} is not null`),
    index('payments_invoice').on(t.invoiceId),
    index('payments_number').on(t.invoiceNumber),
  ],
)

/** Refunds of a payment, also those that failed: `status` is Stripe's. */
export const refunds = pgTable(
  'refunds',
  {
    id: text().primaryKey(),
    paymentIntentId: text()
      .notNull()
      .references(() => payments.paymentIntentId),
    at: moment().notNull(),
    amount: integer().notNull(),
    /** Tax included in the refunded amount. */
    tax: integer().notNull().default(0),
    status: text().notNull(),
    /** Goodwill refund: access stays. */
    keepsAccess: boolean().notNull().default(false),
  },
  (t) => [index('refunds_payment').on(t.paymentIntentId), index('refunds_newest').on(t.at, t.id)],
)
