import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { productId } from './catalog.ts'
import { createdAt, moment } from './columns.ts'

/** What was ever asked for a plan, one row for each publication; rows are added, never changed. */
export const prices = pgTable(
  'prices',
  {
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    /** Counts the plan's publications. The latest whose time has come is current, so a newer one calls off what was planned. */
    number: integer().notNull(),
    amount: integer().notNull(),
    /** Advertised beside it, as text: no one was ever charged it. */
    regularAmount: integer(),
    startsAt: moment().notNull(),
    publishedAt: createdAt(),
    /** Null until Stripe was asked; another one if that price was archived there. */
    stripePriceId: text(),
  },
  (t) => [primaryKey({ columns: [t.productId, t.billingType, t.number] })],
)
