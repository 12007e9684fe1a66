import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'
import { purchases } from './purchases.ts'

/** `purchaseId` has no foreign key, because invoices are kept longer than deleted purchases. */
export const invoices = pgTable(
  'invoices',
  {
    id: text().primaryKey(),
    purchaseId: uuid(),
    userId: uuid().notNull(),
    subscriptionId: text().notNull(),
    number: text(),
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
    paidOutOfBand: integer().notNull(),
    periodStart: moment(),
    periodEnd: moment(),
    isProration: boolean().notNull(),
    /** Credit for unused time paid before. */
    credit: integer().notNull(),
    /** Without prorations and other items, after discounts and without tax. */
    periodNet: integer().notNull(),
    country: text(),
    region: text(),
    /** In percent; 0 under reverse charge, null without tax. */
    taxRate: doublePrecision(),
    /** Set if the shop uses another Stripe account today. */
    formerAccount: text(),
  },
  (t) => [
    index('invoices_purchase').on(t.purchaseId, t.createdAt),
    index('invoices_subscription').on(t.subscriptionId),
    index('invoices_user').on(t.userId),
    index('invoices_number').on(t.number),
  ],
)

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

/** A payment outside Stripe has the invoice's id in place of a payment intent's. */
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
    invoiceNumber: text(),
    periodStart: moment(),
    periodEnd: moment(),
    country: text(),
    /** Withdrawn by the bank in a dispute. */
    lostAt: moment(),
    lostAmount: integer().notNull().default(0),
    /** A dispute can make Stripe refuse refunds. */
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

/** Also holds failed refunds: `status` is Stripe's. */
export const refunds = pgTable(
  'refunds',
  {
    id: text().primaryKey(),
    paymentIntentId: text()
      .notNull()
      .references(() => payments.paymentIntentId),
    at: moment().notNull(),
    amount: integer().notNull(),
    tax: integer().notNull().default(0),
    status: text().notNull(),
    keepsAccess: boolean().notNull().default(false),
  },
  (t) => [index('refunds_payment').on(t.paymentIntentId), index('refunds_newest').on(t.at, t.id)],
)
