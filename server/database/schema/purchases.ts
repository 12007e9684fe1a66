import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import {
  type BillingType,
  type BookingKind,
  billingTypes,
  type EndReason,
  liveStatuses,
  type PurchaseStatus,
  purchaseStatuses,
} from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { createdAt, id, listed, moment, monthOf } from './columns.ts'

export const purchases = pgTable(
  'purchases',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    productId: uuid().notNull(),
    billingType: text().$type<BillingType>().notNull(),
    amount: integer().notNull(),
    status: text().$type<PurchaseStatus>().notNull(),
    createdAt: createdAt(),
    /** Null for a purchase that an admin entered by hand. */
    stripeSubscriptionId: text().unique(),
    paymentIntentId: text().unique(),
    lastPaidAt: moment(),
    currentPeriodEnd: moment(),
    endsAt: moment(),
    pastDueSince: moment(),
    /** How far the reminders about an unpaid renewal have gotten: see `dunningStep` in purchases/state.ts. */
    dunningStep: integer().notNull().default(0),
    /** No longer used; a later release will drop it. */
    failedPayments: integer().notNull().default(0),
    endedAt: moment(),
    endedBecause: text().$type<EndReason>(),
    refundedAmount: integer().notNull().default(0),
    /** What goes back when it ends: the rest of a renewed year that was ended with a month's notice. */
    restRefund: integer(),
    isDisputed: boolean().notNull().default(false),
    /** Booked by hand: how it came about, why (in the seller's words), and until when. Null if no one said so. */
    bookedAs: text().$type<BookingKind>(),
    bookedBecause: text(),
    bookedUntil: moment(),
    /** Until when the seller may answer the bank; null if nothing is disputed or nothing can be answered. */
    disputeDueAt: moment(),
    /** The payment that its card's bank takes for fraud, as long as the seller has not decided about it. */
    warnedPaymentIntentId: text(),
  },
  (t) => [
    index('purchases_warned')
      .on(t.createdAt, t.id)
      .where(sql`${t.warnedPaymentIntentId} is not null`)
      .concurrently(),
    index('purchases_disputed').on(t.createdAt, t.id).where(sql`${t.isDisputed}`).concurrently(),
    index('purchases_ended_in')
      .on(monthOf(t.endedAt), t.createdAt, t.id)
      .where(sql`${t.endedAt} is not null`)
      .concurrently(),
    index('purchases_user').on(t.userId, t.createdAt, t.id, t.status),
    index('purchases_newest').on(t.createdAt, t.id),
    index('purchases_by_status').on(t.status, t.createdAt, t.id),
    index('purchases_by_billing').on(t.billingType, t.createdAt, t.id),
    index('purchases_by_both').on(t.status, t.billingType, t.createdAt, t.id),
    index('purchases_booked_ends')
      .on(t.endsAt)
      .where(sql`${t.stripeSubscriptionId} is null and ${t.endsAt} is not null`)
      .concurrently(),
    check('purchases_billing_type', sql`${t.billingType} in ${listed(billingTypes)}`),
    check('purchases_status', sql`${t.status} in ${listed(purchaseStatuses)}`),
    check('purchases_amount', sql`${t.amount} >= 0 and ${t.refundedAmount} >= 0`),
    // Two checkouts of one account can race; the database has the last word.
    uniqueIndex('purchases_one_live')
      .on(t.userId, t.productId)
      .where(sql`${t.stripeSubscriptionId} is not null and ${t.status} in ${listed(liveStatuses)}`),
  ],
)

/** The inbox of Stripe's events, each kept once by its id. It stores only whom an event is about; Stripe has the rest. */
export const stripeEvents = pgTable(
  'stripe_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    subscriptionId: text(),
    customerId: text(),
    paymentIntentId: text(),
    receivedAt: createdAt(),
    handledAt: moment(),
    lastError: text(),
  },
  (t) => [
    index('stripe_events_unhandled').on(t.receivedAt).where(sql`${t.handledAt} is null`),
    index('stripe_events_received').on(t.receivedAt),
  ],
)

/** One row: the time up to which the reconciler has asked Stripe for missed events. */
export const stripeEventsPulled = pgTable('stripe_events_pulled', {
  id: integer().primaryKey(),
  until: moment().notNull(),
})
