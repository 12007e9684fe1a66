import { desc } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { createdAt, id } from './columns.ts'
import { personal } from './personal.ts'

/** "My data" shows these internal notes to the customer, without their author. */
export const customerNotes = pgTable(
  'customer_notes',
  { id: id(), userId: userId(), authorId: userId(), text: text().notNull(), createdAt: createdAt() },
  (t) => [index('customer_notes_user').on(t.userId, t.createdAt), index('customer_notes_author').on(t.authorId)],
)

export const personalCustomers = [
  personal(customerNotes, {
    shown: { as: 'notesAboutYou', columns: 'text createdAt', order: desc(customerNotes.createdAt) },
    deletes: true,
  }),
]
