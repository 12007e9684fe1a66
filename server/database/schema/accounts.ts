import { sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Role } from '#contract/permissions.ts'
import { createdAt, id, moment, momentOfInsert } from './columns.ts'
import { deletedEmail, personal } from './personal.ts'

export const users = pgTable(
  'users',
  {
    id: id(),
    email: text().notNull().unique(),
    name: text().notNull(),
    passwordHash: text(),
    /** Set by the first use of an emailed link; set at once for imported accounts and command-line admins. */
    verifiedAt: moment(),
    /** Last time the password was removed and the mailbox's owner took the account over. */
    handedOverAt: moment(),
    isAdmin: boolean().notNull().default(false),
    /** Null for buyers, and for admins, who have every permission. */
    role: text().$type<Role>(),
    tradingViewUsername: text(),
    /** Last reminder to enter a TradingView username. */
    remindedAt: moment(),
    createdAt: createdAt(),
    /** The row of a deleted account stays without personal data, because the books refer to it. */
    deletedAt: moment(),
    /** Starts with a space, so that every word has one before it. */
    searchText: text()
      .notNull()
      .generatedAlwaysAs(sql`' ' || lower(email || ' ' || name || ' ' || coalesce(trading_view_username, ''))`),
  },
  (t) => [
    check('users_email_lower_case', sql`${t.email} = lower(${t.email})`),
    index('users_newest').on(t.createdAt, t.id),
    index('users_without_username').on(t.id).where(sql`${t.tradingViewUsername} is null`),
    index('users_search').using('gin', sql`${t.searchText} gin_trgm_ops`),
  ],
)

export const userId = (config?: { onDelete: 'cascade' }) =>
  uuid()
    .notNull()
    .references(() => users.id, config)

export const passwordTokens = pgTable(
  'password_tokens',
  {
    id: id(),
    tokenHash: text().notNull().unique(),
    /** A login link never sets a password, and a password link never logs in. */
    purpose: text().$type<'password' | 'login'>().notNull().default('password'),
    userId: userId({ onDelete: 'cascade' }),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
    usedAt: moment(),
  },
  (t) => [index('password_tokens_user').on(t.userId, t.createdAt)],
)

export const emailChanges = pgTable(
  'email_changes',
  {
    id: id(),
    userId: userId({ onDelete: 'cascade' }),
    oldEmail: text().notNull(),
    newEmail: text().notNull(),
    requestedAt: momentOfInsert(),
    confirmedAt: moment(),
  },
  (t) => [index('email_changes_user').on(t.userId)],
)

export const personalAccounts = [
  personal(users, {
    of: users.id,
    shown: {
      as: 'account',
      columns: 'id email name isAdmin role tradingViewUsername createdAt verifiedAt',
      isSingleRow: true,
    },
    empties: (person, now) => ({
      email: deletedEmail(person.id),
      name: 'Deleted user',
      passwordHash: null,
      isAdmin: false,
      role: null,
      tradingViewUsername: null,
      deletedAt: now,
    }),
  }),
  personal(passwordTokens, { deletes: true }),
  personal(emailChanges, {
    shown: {
      as: 'emailChanges',
      columns: 'requestedAt confirmedAt',
      more: { from: emailChanges.oldEmail, to: emailChanges.newEmail },
    },
    deletes: true,
  }),
]

export const userColumns = {
  id: users.id,
  name: users.name,
  email: users.email,
  isAdmin: users.isAdmin,
  role: users.role,
  isProven: sql<boolean>`${users.verifiedAt} is not null`.as('is_proven'),
  createdAt: users.createdAt,
}
