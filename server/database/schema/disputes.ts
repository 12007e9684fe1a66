import { eq, inArray } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, QueryBuilder, text } from 'drizzle-orm/pg-core'
import type { EvidenceFile, EvidenceText } from '#contract/selling/disputes.ts'
import { moment } from './columns.ts'
import { invoices, payments } from './invoices.ts'
import { personal } from './personal.ts'

export type DisputeAnswer = { texts: Partial<Record<EvidenceText, string>>; files: EvidenceFile[] }

export const disputes = pgTable(
  'disputes',
  {
    id: text().primaryKey(),
    paymentIntentId: text()
      .notNull()
      .references(() => payments.paymentIntentId, { onDelete: 'cascade' }),
    reason: text().notNull(),
    status: text().notNull(),
    amount: integer().notNull(),
    openedAt: moment().notNull(),
    /** Null once there is nothing to answer. */
    dueAt: moment(),
    /** Emptied once the bank has decided. */
    answer: jsonb().$type<DisputeAnswer>(),
    savedAt: moment(),
    submittedAt: moment(),
    fault: text(),
  },
  (t) => [index('disputes_payment').on(t.paymentIntentId)],
)

const paymentsOf = (userId: string) =>
  new QueryBuilder()
    .select({ id: payments.paymentIntentId })
    .from(payments)
    .innerJoin(invoices, eq(invoices.id, payments.invoiceId))
    .where(eq(invoices.userId, userId))

export const personalDisputes = [
  personal(disputes, {
    of: ({ id }) => inArray(disputes.paymentIntentId, paymentsOf(id)),
    shown: { as: 'disputes', columns: 'reason status amount openedAt answer submittedAt', order: disputes.openedAt },
    empties: { answer: null, fault: null },
  }),
]
