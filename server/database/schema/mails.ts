import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { createdAt } from './columns.ts'

/** Emails to customers as they were sent, without links that carry a secret. */
export const sentMails = pgTable(
  'sent_mails',
  {
    /** The job's. */
    id: uuid().primaryKey(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    kind: text().notNull(),
    /** What it was made of, to send it once more. */
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    sentAt: createdAt(),
  },
  (t) => [index('sent_mails_user').on(t.userId, t.sentAt), index('sent_mails_sent').on(t.sentAt)],
)
