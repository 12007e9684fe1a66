import { desc } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { createdAt, id } from './columns.ts'
import { personal } from './personal.ts'

/** What the seller's people wrote about a customer, for one another; the customer may ask for it. */
export const customerNotes = pgTable(
  'customer_notes',
  { id: id(), userId: userId(), authorId: userId(), text: text().notNull(), createdAt: createdAt() },
  (t) => [index('customer_notes_user').on(t.userId, t.createdAt), index('customer_notes_author').on(t.authorId)],
)

/** Who wrote them stays between us. */
export const personalCustomers = [
  personal(customerNotes, {
    shown: { as: 'notesAboutYou', columns: 'text createdAt', order: desc(customerNotes.createdAt) },
    deletes: true,
  }),
]
