import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { products } from './catalog.ts'
import { createdAt, id, moment, momentOfInsert } from './columns.ts'

/** The value never changes: it is the coupon with the same id at Stripe. */
export const discountCodes = pgTable(
  'discount_codes',
  {
    id: id(),
    /** In upper case. */
    code: text().notNull().unique(),
    percentOff: integer(),
    amountOff: integer(),
    /** 0 for one payment, null for every payment. */
    months: integer(),
    /** Null for any product or plan. */
    productId: uuid().references(() => products.id),
    billingType: text().$type<BillingType>(),
    startsAt: moment(),
    endsAt: moment(),
    maxUses: integer(),
    newOnly: boolean().notNull().default(false),
    createdAt: createdAt(),
    stoppedAt: moment(),
  },
  (t) => [check('discount_codes_worth', sql`num_nonnulls(${t.percentOff}, ${t.amountOff}) = 1`)],
)

/** Payments that count against a code's limit. A row names an order, not a person, and outlives both. */
export const codeUses = pgTable(
  'code_uses',
  {
    checkoutId: uuid().primaryKey(),
    codeId: uuid()
      .notNull()
      .references(() => discountCodes.id),
    usedAt: momentOfInsert(),
  },
  (t) => [index('code_uses_code').on(t.codeId)],
)
