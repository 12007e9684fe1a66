import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, id, moment } from './columns.ts'

export const newsletterSubscriptions = pgTable(
  'newsletter_subscriptions',
  {
    id: id(),
    email: text().notNull().unique(),
    createdAt: createdAt(),
    /** Confirmation emails sent since the last confirmation: no one’s mailbox can be flooded. */
    timesAsked: integer().notNull().default(1),
    confirmedAt: moment(),
    unsubscribedAt: moment(),
    /** Proof of both steps: the text agreed to, the page it was on, and hashes of the addresses they came from. */
    consentVersion: text(),
    requestedOn: text(),
    requestedFrom: text(),
    confirmedFrom: text(),
  },
  (t) => [
    index('newsletter_newest').on(t.createdAt, t.id).concurrently(),
    index('newsletter_search').using('gin', sql`${t.email} gin_trgm_ops`).concurrently(),
  ],
)
