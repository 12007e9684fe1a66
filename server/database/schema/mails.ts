import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { momentOfInsert } from './columns.ts'
import { personal } from './personal.ts'

/** Texts as sent, without links that carry a secret. */
export const sentMails = pgTable(
  'sent_mails',
  {
    /** Id of the job that sent the email. */
    id: uuid().primaryKey(),
    userId: userId(),
    kind: text().notNull(),
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    sentAt: momentOfInsert(),
  },
  (t) => [index('sent_mails_user').on(t.userId, t.sentAt), index('sent_mails_sent').on(t.sentAt)],
)

export const personalMails = [
  personal(sentMails, {
    shown: {
      as: 'emails',
      // Only emails sent after the address was proven.
      of: ({ id, verifiedAt }) =>
        verifiedAt ? and(eq(sentMails.userId, id), gte(sentMails.sentAt, verifiedAt)) : sql`false`,
      columns: 'sentAt subject text',
      order: desc(sentMails.sentAt),
    },
    deletes: true,
  }),
]
