import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { moment, momentOfInsert } from './columns.ts'

/** Names only the subscription that an event is about, never its content. */
export const stripeEvents = pgTable(
  'stripe_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    subscriptionId: text(),
    customerId: text(),
    paymentIntentId: text(),
    receivedAt: momentOfInsert(),
    handledAt: moment(),
    lastError: text(),
  },
  (t) => [
    index('stripe_events_unhandled').on(t.receivedAt).where(sql`${t.handledAt} is null`),
    index('stripe_events_received').on(t.receivedAt),
  ],
)

/** Single row: the time up to which the reconciler has asked Stripe for missed events. */
export const stripeEventsPulled = pgTable('stripe_events_pulled', {
  id: integer().primaryKey(),
  until: moment().notNull(),
})
