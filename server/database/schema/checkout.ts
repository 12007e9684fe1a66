import { desc, sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { BillingType } from '#contract/statuses.ts'
import { userId, users } from './accounts.ts'
import { productId } from './catalog.ts'
import { discountCodes } from './codes.ts'
import { createdAt, id, moment, partOf } from './columns.ts'
import { deletedEmail, personal } from './personal.ts'

/** A started checkout: what was offered to whom, before payment. Later it anchors what Stripe says about it. */
export const checkouts = pgTable(
  'checkouts',
  {
    id: id(),
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    amount: integer().notNull(),
    /** Discount code that the buyer typed; `code_uses` counts it once it is paid. */
    codeId: uuid().references(() => discountCodes.id),
    email: text().notNull(),
    /** Null for a guest until the payment arrives. */
    userId: uuid().references(() => users.id),
    /** Whether the account was created for this guest; null while unpaid and for a buyer who was logged in. */
    madeAccount: boolean(),
    nonceHash: text().notNull(),
    /** At Stripe. An account keeps its customer; each guest checkout has its own. */
    customerId: text().notNull(),
    /** The seller's particulars that the customer's next invoices carry. */
    invoiceFooter: text(),
    subscriptionId: text().notNull().unique(),
    paymentIntentId: text().notNull().unique(),
    createdAt: createdAt(),
    /** Counts syncs from Stripe, so an older answer never overwrites a newer one. */
    version: integer().notNull().default(0),
    syncedAt: moment(),
    /** Booked as a purchase, or abandoned unpaid. */
    closedAt: moment(),
    /** When the one login that a guest's payment allows was used or forfeited. */
    loginUsedAt: moment(),
    /** Given before paying by buyers who want access right away. */
    tradingViewUsername: text(),
  },
  (t) => [
    index('checkouts_open').on(t.createdAt).where(sql`${t.closedAt} is null`),
    index('checkouts_nonce').on(t.nonceHash),
    index('checkouts_user').on(t.userId),
    index('checkouts_customer').on(t.customerId),
  ],
)

/** What a buyer agreed to and where they are, kept with the checkout as evidence. */
export const orderRecords = pgTable('order_records', {
  checkoutId: partOf(() => checkouts.id).primaryKey(),
  /** The version of the terms that were in force when the buyer pressed Pay. */
  termsVersion: text(),
  agreedAt: moment(),
  /** For tax: the buyer's own words, and the country of the card that paid. */
  country: text(),
  postalCode: text(),
  cardCountry: text(),
  /** They gave a VAT ID, which is with the customer at Stripe. */
  isCompany: boolean().notNull().default(false),
  /** What the buyer was told the first payment charges, in cents. */
  amountDue: integer(),
  /** The version of the line that said this address gets news, and whether the buyer objected to that right there. */
  newsVersion: text(),
  newsObjectedAt: moment(),
})

/** What a buyer wants on invoices; Stripe has a copy with each customer. */
export const billingDetails = pgTable('billing_details', {
  userId: userId({ onDelete: 'cascade' }).primaryKey(),
  company: text().notNull(),
  street: text().notNull(),
  postalCode: text().notNull(),
  city: text().notNull(),
  country: text().notNull(),
  vatId: text().notNull(),
  updatedAt: createdAt(),
})

const orderedAt = sql`(select ordered.created_at from ${checkouts} ordered where ordered.id = ${orderRecords}.checkout_id)`

export const personalCheckout = [
  personal(checkouts, {
    shown: {
      as: 'checkouts',
      columns: 'productId billingType email createdAt closedAt',
      more: {
        amountInCents: checkouts.amount,
        discountCode: sql`(select typed.code from ${discountCodes} typed where typed.id = ${checkouts}.code_id)`,
      },
      order: desc(checkouts.createdAt),
    },
    empties: (person) => ({ email: deletedEmail(person.id), tradingViewUsername: null }),
  }),
  // The country stays: the books need it, and it identifies no one.
  personal(orderRecords, {
    of: (person) => sql`${orderRecords.checkoutId} in (select id from ${checkouts} where user_id = ${person.id})`,
    shown: {
      as: 'orders',
      columns: 'termsVersion agreedAt country postalCode cardCountry isCompany',
      more: {
        orderedAt: orderedAt.mapWith(checkouts.createdAt),
        amountDueInCents: orderRecords.amountDue,
        toldAboutNews: orderRecords.newsVersion,
        objectedToNewsAt: orderRecords.newsObjectedAt,
      },
      order: desc(orderedAt),
    },
    empties: { postalCode: null },
  }),
  // Shown by its room, which has words for those who gave none.
  personal(billingDetails, { deletes: true }),
]
