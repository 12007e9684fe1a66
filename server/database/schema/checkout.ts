import { pgTable, text } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { momentOfInsert } from './columns.ts'
import { personal } from './personal.ts'

export const billingDetails = pgTable('billing_details', {
  userId: userId({ onDelete: 'cascade' }).primaryKey(),
  company: text().notNull(),
  street: text().notNull(),
  postalCode: text().notNull(),
  city: text().notNull(),
  country: text().notNull(),
  vatId: text().notNull(),
  updatedAt: momentOfInsert(),
})

export const personalCheckout = [
  // The checkout module adds them to "my data" itself, with a text for buyers without any.
  personal(billingDetails, { deletes: true }),
]
