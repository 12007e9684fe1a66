import { desc, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { products } from './catalog.ts'
import { checkouts } from './checkout.ts'
import { createdAt, id, moment } from './columns.ts'
import { personal } from './personal.ts'

/** The seller's discount codes. What one is worth never changes: at Stripe, it is the coupon with its id. */
export const discountCodes = pgTable(
  'discount_codes',
  {
    id: id(),
    /** In upper case. */
    code: text().notNull().unique(),
    percentOff: integer(),
    amountOff: integer(),
    /** For one payment (0), for some months, or always (null). */
    months: integer(),
    /** Of any product, and for both plans, if null. */
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

export const codeUses = pgTable(
  'code_uses',
  {
    /** Written before the checkout is, so that no one else gets the last use meanwhile. */
    checkoutId: uuid().primaryKey(),
    codeId: uuid()
      .notNull()
      .references(() => discountCodes.id),
    heldUntil: moment().notNull(),
    /** Later than that for someone who took longer to pay: the discount is theirs, and counts beyond the limit. */
    usedAt: moment(),
  },
  (t) => [index('code_uses_code').on(t.codeId, t.usedAt)],
)

const checkoutAt = sql`(select begun.created_at from ${checkouts} begun where begun.id = ${codeUses}.checkout_id)`

/** A use names a checkout, and no one; without that, it only counts. */
export const personalCodes = [
  personal(codeUses, {
    of: (person) => sql`${codeUses.checkoutId} in (select id from ${checkouts} where user_id = ${person.id})`,
    shown: {
      as: 'discountCodes',
      columns: 'usedAt',
      more: {
        code: sql`(select given.code from ${discountCodes} given where given.id = ${codeUses}.code_id)`,
        checkoutAt: checkoutAt.mapWith(checkouts.createdAt),
      },
      order: desc(checkoutAt),
    },
  }),
]
