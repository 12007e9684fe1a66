import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { productId } from './catalog.ts'
import { moment, momentOfInsert } from './columns.ts'

/** Every published price of a plan; rows are added, never changed. */
export const prices = pgTable(
  'prices',
  {
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    /** Number of the publication. Of all that are due, the latest is the current price. */
    number: integer().notNull(),
    amount: integer().notNull(),
    /** Crossed-out price in the advertisement; never charged. */
    regularAmount: integer(),
    startsAt: moment().notNull(),
    publishedAt: momentOfInsert(),
    /** Null until created at Stripe; replaced if the price was archived there. */
    stripePriceId: text(),
  },
  (t) => [primaryKey({ columns: [t.productId, t.billingType, t.number] })],
)
