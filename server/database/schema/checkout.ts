import { pgTable, text } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { createdAt } from './columns.ts'
import { personal } from './personal.ts'

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

export const personalCheckout = [
  // Shown by its module, which has words for people who gave none.
  personal(billingDetails, { deletes: true }),
]
