import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { productId } from './catalog.ts'
import { moment, momentOfInsert } from './columns.ts'

/** Append-only by triggers.sql; only `stripePriceId` may change. */
export const prices = pgTable(
  'prices',
  {
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    /** Publication number; the latest one that is due is the current price. */
    number: integer().notNull(),
    amount: integer().notNull(),
    /** Price after early access; shown beside the price, never crossed out or charged. */
    regularAmount: integer(),
    startsAt: moment().notNull(),
    publishedAt: momentOfInsert(),
    /** Null until created at Stripe; replaced if the price was archived there. */
    stripePriceId: text(),
  },
  (t) => [primaryKey({ columns: [t.productId, t.billingType, t.number] })],
)
