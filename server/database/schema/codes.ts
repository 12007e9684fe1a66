import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { products } from './catalog.ts'
import { createdAt, id, moment, momentOfInsert } from './columns.ts'

/** The discount never changes, because Stripe has a coupon with the same id. */
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
    /** Only for people without an earlier purchase of any product. */
    newOnly: boolean().notNull().default(false),
    createdAt: createdAt(),
    stoppedAt: moment(),
  },
  (t) => [check('discount_codes_worth', sql`num_nonnulls(${t.percentOff}, ${t.amountOff}) = 1`)],
)

/** Paid orders that count against a code's limit. `checkoutId` is the id of an order, which may be deleted. */
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
