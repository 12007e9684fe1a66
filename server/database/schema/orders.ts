import { desc, eq, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type BillingType, orderKinds } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { productId } from './catalog.ts'
import { discountCodes } from './codes.ts'
import { createdAt, id, listed, moment } from './columns.ts'
import { deletedEmail, personal } from './personal.ts'

/**
 * What was agreed: a new subscription, or a switch of one to another plan. The order of a new subscription also anchors
 * what Stripe says about it: docs/decisions/0039-an-order-is-one-row.md.
 */
export const orders = pgTable(
  'orders',
  {
    id: id(),
    kind: text({ enum: orderKinds }).notNull(),
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    /** What a period costs by its plan, in cents. */
    amount: integer().notNull(),
    /** What the buyer was told the first payment charges, in cents. */
    amountDue: integer(),
    /** Discount code that the buyer typed; `code_uses` counts it once it is paid. */
    codeId: uuid().references(() => discountCodes.id),
    email: text().notNull(),
    /** Null for a guest until the payment arrives. */
    userId: uuid().references(() => users.id),
    createdAt: createdAt(),
    /** The version of the terms that were in force when the buyer pressed Pay. */
    termsVersion: text(),
    agreedAt: moment(),
    /** For tax: the buyer's own words, and the country of the card that paid. */
    country: text(),
    postalCode: text(),
    cardCountry: text(),
    /** They gave a VAT ID, which is with the customer at Stripe. */
    isCompany: boolean().notNull().default(false),
    /** The version of the line that said this address gets news, and when the buyer objected to that right there. */
    newsVersion: text(),
    newsObjectedAt: moment(),
    /** Given before paying by buyers who want access right away. */
    tradingViewUsername: text(),
    /** Paid, or abandoned unpaid. A switch that comes to nothing leaves no row. */
    closedAt: moment(),

    /** At Stripe. An account keeps its customer; each guest checkout has its own. */
    customerId: text().notNull(),
    subscriptionId: text().notNull(),
    /** The first payment; null for a switch, and for what began at Stripe and was never paid. */
    paymentIntentId: text().unique(),

    /** Whether the account was created for this guest; null while unpaid and for a buyer who was logged in. */
    madeAccount: boolean(),
    /** The browser that ordered; null for what no browser ordered here. */
    nonceHash: text(),
    /** When the one login that a guest's payment allows was used or forfeited. */
    loginUsedAt: moment(),

    /** Counts syncs from Stripe, so an older answer never overwrites a newer one. */
    version: integer().notNull().default(0),
    syncedAt: moment(),
    /** The seller's particulars that the customer's next invoices carry. */
    invoiceFooter: text(),
  },
  (t) => [
    uniqueIndex('orders_new').on(t.subscriptionId).where(sql`${t.kind} = 'new'`),
    index('orders_subscription').on(t.subscriptionId),
    index('orders_open').on(t.createdAt).where(sql`${t.closedAt} is null`),
    index('orders_nonce').on(t.nonceHash),
    index('orders_user').on(t.userId),
    index('orders_customer').on(t.customerId),
    check('orders_kind', sql`${t.kind} in ${listed(orderKinds)}`),
  ],
)

/** Anchors a subscription; a switch only names the same one. */
export const isNewOrder = eq(orders.kind, 'new')

export const personalOrders = [
  // The country stays: the books need it, and it identifies no one.
  personal(orders, {
    shown: {
      as: 'orders',
      columns:
        'kind productId billingType email createdAt closedAt termsVersion agreedAt country postalCode cardCountry isCompany',
      more: {
        amountInCents: orders.amount,
        amountDueInCents: orders.amountDue,
        discountCode: sql`(select typed.code from ${discountCodes} typed where typed.id = ${orders}.code_id)`,
        toldAboutNews: orders.newsVersion,
        objectedToNewsAt: orders.newsObjectedAt,
      },
      order: desc(orders.createdAt),
    },
    empties: (person) => ({ email: deletedEmail(person.id), tradingViewUsername: null, postalCode: null }),
  }),
]
