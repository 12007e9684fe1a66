import { sql } from 'drizzle-orm'
import { check, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { paymentAccountKinds } from '#contract/statuses.ts'
import { listed, momentOfInsert } from './columns.ts'

/** Single row: the payment account that every subscription, invoice and payment in this database belongs to. */
export const paymentAccount = pgTable(
  'payment_account',
  {
    id: integer().primaryKey(),
    kind: text({ enum: paymentAccountKinds }).notNull(),
    /** Null for the sandbox, and for a restricted key that may not read its account. */
    accountId: text(),
    /** Hashes of the secret keys that Stripe has confirmed to belong to this account. */
    keyFingerprints: text().array().notNull(),
    boundAt: momentOfInsert(),
  },
  (t) => [check('payment_account_kind', sql`${t.kind} in ${listed(paymentAccountKinds)}`)],
)
