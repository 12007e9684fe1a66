import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { type ServiceReason, serviceReasons } from '#contract/site/service-messages.ts'
import { userId } from './accounts.ts'
import { productId } from './catalog.ts'
import { id, listed, moment } from './columns.ts'

export const serviceMessages = pgTable(
  'service_messages',
  {
    id: id(),
    productId: productId(),
    reason: text().$type<ServiceReason>().notNull(),
    subject: text().notNull(),
    markdown: text().notNull(),
    sentAt: moment().notNull(),
    sentBy: userId(),
    recipients: integer().notNull(),
  },
  (t) => [
    index('service_messages_newest').on(t.sentAt, t.id),
    check('service_messages_reason', sql`${t.reason} in ${listed(Object.keys(serviceReasons))}`),
  ],
)
