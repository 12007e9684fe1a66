import { desc, eq, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type BillingType, orderKinds } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { productId } from './catalog.ts'
import { discountCodes } from './codes.ts'
import { createdAt, id, listed, moment } from './columns.ts'
import { deletedEmail, personal } from './personal.ts'

/** A new subscription or a plan switch: docs/decisions/0039-an-order-is-one-row.md. */
export const orders = pgTable(
  'orders',
  {
    id: id(),
    kind: text({ enum: orderKinds }).notNull(),
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    /** List price of a period, in cents. */
    amount: integer().notNull(),
    amountDue: integer(),
    /** `code_uses` counts the code once the order is paid. */
    codeId: uuid().references(() => discountCodes.id),
    email: text().notNull(),
    userId: uuid().references(() => users.id),
    createdAt: createdAt(),
    termsVersion: text(),
    agreedAt: moment(),
    /** Kept for disputes; deleted after `retention.orderAddresses`. */
    ip: text(),
    /** Evidence for tax: the buyer's statement, and the country of the card. Copied to `billing_details` when paid. */
    country: text(),
    postalCode: text(),
    cardCountry: text(),
    vatId: text(),
    /** Sentence about product news at the checkout, and an objection made there. */
    newsVersion: text(),
    newsObjectedAt: moment(),
    tradingViewUsername: text(),
    /** Paid or abandoned. An abandoned switch leaves no row. */
    closedAt: moment(),

    /** Each account has one customer at Stripe, and so has each guest checkout. */
    customerId: text().notNull(),
    subscriptionId: text().notNull(),
    /** First payment; null for a plan switch, and for a subscription taken over from Stripe before any payment. */
    paymentIntentId: text().unique(),

    /** True if the account was created for this guest; null while unpaid and for a buyer who was logged in. */
    madeAccount: boolean(),
    /** From the checkout cookie; null if the order was not made in a browser. */
    nonceHash: text(),
    /** Time when the guest's login by payment was used or forfeited. */
    loginUsedAt: moment(),

    /** Makes sure that an older answer from Stripe never overwrites a newer one. */
    version: integer().notNull().default(0),
    syncedAt: moment(),
    /** The seller's details already set on the customer's invoices. */
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

export const isForNewSubscription = eq(orders.kind, 'new')

export const personalOrders = [
  // The country stays: the books need it, and it identifies no one.
  personal(orders, {
    shown: {
      as: 'orders',
      columns:
        'kind productId billingType email createdAt closedAt termsVersion agreedAt ip country postalCode vatId cardCountry',
      more: {
        amountInCents: orders.amount,
        amountDueInCents: orders.amountDue,
        discountCode: sql`(select discount.code from ${discountCodes} discount where discount.id = ${orders}.code_id)`,
        toldAboutNews: orders.newsVersion,
        objectedToNewsAt: orders.newsObjectedAt,
      },
      order: desc(orders.createdAt),
    },
    empties: (person) => ({
      email: deletedEmail(person.id),
      tradingViewUsername: null,
      postalCode: null,
      vatId: null,
      ip: null,
    }),
  }),
]
