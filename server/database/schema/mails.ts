import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { createdAt } from './columns.ts'
import { personal } from './personal.ts'

/** Emails to customers as they were sent, without links that carry a secret. */
export const sentMails = pgTable(
  'sent_mails',
  {
    /** The job's. */
    id: uuid().primaryKey(),
    userId: userId(),
    kind: text().notNull(),
    /** What it was made of, to send it once more. */
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    sentAt: createdAt(),
  },
  (t) => [index('sent_mails_user').on(t.userId, t.sentAt), index('sent_mails_sent').on(t.sentAt)],
)

export const personalMails = [
  personal(sentMails, {
    shown: {
      as: 'emails',
      // Only what was sent after the mailbox showed whose it is.
      of: ({ id, verifiedAt }) =>
        verifiedAt ? and(eq(sentMails.userId, id), gte(sentMails.sentAt, verifiedAt)) : sql`false`,
      columns: 'sentAt subject text',
      order: desc(sentMails.sentAt),
    },
    deletes: true,
  }),
]
