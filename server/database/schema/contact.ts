import { desc, eq, or, sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { createdAt, id, moment } from './columns.ts'
import { personal } from './personal.ts'

export const contactMessages = pgTable(
  'contact_messages',
  {
    id: id(),
    firstName: text().notNull(),
    lastName: text().notNull(),
    email: text().notNull(),
    message: text().notNull(),
    createdAt: createdAt(),
    userId: uuid(),
    answeredAt: moment(),
    /** Null if it was answered elsewhere than by email. */
    answer: text(),
    answeredBy: uuid(),
  },
  (t) => [
    index('contact_messages_newest').on(t.createdAt, t.id),
    index('contact_messages_open').on(t.createdAt, t.id).where(sql`${t.answeredAt} is null`),
    index('contact_messages_user').on(t.userId),
    index('contact_messages_email').on(t.email),
  ],
)

export const personalContact = [
  // Deletes messages sent from the account and, if its address is proven, messages that carry the address.
  personal(contactMessages, {
    of: (person) =>
      or(
        eq(contactMessages.userId, person.id),
        person.verifiedAt ? eq(contactMessages.email, person.email) : undefined,
      ),
    shown: {
      as: 'contactMessages',
      of: contactMessages.userId,
      columns: 'firstName lastName email message createdAt answeredAt answer',
      more: {
        // Replaces the column: only the account that has proven the message's address sees the answer.
        answer: sql`case when exists (select from ${users} sender where sender.id = ${contactMessages}.user_id
          and sender.email = ${contactMessages}.email and ${contactMessages}.answered_at >= sender.verified_at) then ${contactMessages}.answer end`,
      },
      order: desc(contactMessages.createdAt),
    },
    deletes: true,
  }),
  personal(contactMessages, { of: contactMessages.answeredBy, empties: { answeredBy: null } }),
]
