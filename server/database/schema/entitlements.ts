import { sql } from 'drizzle-orm'
import { check, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type EntitlementReason, type NameProblem, nameProblems } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { createdAt, id, listed, moment } from './columns.ts'

/**
 * Who may have what until when, as last worked out, and for which TradingView account. `until` is null both for
 * nothing and for no end: `reason` tells which.
 */
export const entitlements = pgTable(
  'entitlements',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    productId: uuid().notNull(),
    reason: text().$type<EntitlementReason>(),
    until: moment(),
    /** As typed until it is checked, then as TradingView spells it. */
    username: text(),
    /** In lower case; null while another customer has it, or when it cannot be a name. */
    usernameKey: text(),
    problem: text().$type<NameProblem>(),
    /** What TradingView knows that looks like it. */
    similar: jsonb().$type<string[]>().notNull().default([]),
    checkedAt: moment(),
    /** Since when this name waits for what is paid: the clock of paid-to-unlocked. */
    wantedSince: moment(),
    changedAt: createdAt(),
    /** Since when the seller keeps it from them, although it is paid for. */
    withheldSince: moment(),
  },
  (t) => [
    uniqueIndex('entitlements_one').on(t.userId, t.productId),
    // One TradingView account belongs to one customer.
    uniqueIndex('entitlements_name').on(t.productId, t.usernameKey),
    check('entitlements_problem', sql`${t.problem} in ${listed(nameProblems)}`),
  ],
)

export const usernameChanges = pgTable(
  'username_changes',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    fromKey: text().notNull(),
    toKey: text().notNull(),
    at: createdAt(),
    /** The admin who did it; null for the buyer. */
    byAdmin: uuid().references(() => users.id),
  },
  (t) => [index('username_changes_user').on(t.userId, t.at)],
)
