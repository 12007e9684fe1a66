import { desc } from 'drizzle-orm'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { Proof } from '#contract/statuses.ts'
import { userId } from './accounts.ts'
import { createdAt, id, moment } from './columns.ts'
import { personal } from './personal.ts'

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    tokenHash: text().notNull().unique(),
    /** The token before this one, and when it was replaced; see sessions.ts. */
    previousTokenHash: text(),
    rotatedAt: moment(),
    userId: userId({ onDelete: 'cascade' }),
    /** The login. */
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
    expiresAt: moment().notNull(),
    /** When they last showed who they are, and how (`provenBy`). */
    provenAt: createdAt(),
    /** When a call last needed that proof; null if none has. */
    proofUsedAt: moment(),
    provenBy: text().$type<Proof>().notNull().default('password'),
    userAgent: text().notNull().default(''),
    ip: text().notNull().default(''),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_expiry').on(t.expiresAt),
    index('sessions_previous_token').on(t.previousTokenHash),
  ],
)

/** Where a user has logged in before: a login from elsewhere triggers an email. Only a hash of browser and address. */
export const knownDevices = pgTable(
  'known_devices',
  { userId: userId({ onDelete: 'cascade' }), fingerprint: text().notNull(), firstSeenAt: createdAt() },
  (t) => [primaryKey({ columns: [t.userId, t.fingerprint] })],
)

/** Who logged in when, and from where; sessions themselves end and vanish. */
export const logins = pgTable(
  'logins',
  {
    id: id(),
    userId: userId({ onDelete: 'cascade' }),
    at: createdAt(),
    userAgent: text().notNull(),
    ip: text().notNull(),
  },
  (t) => [index('logins_user').on(t.userId, t.at), index('logins_at').on(t.at)],
)

export const personalSessions = [
  personal(sessions, {
    shown: { as: 'devices', columns: 'userAgent ip createdAt lastUsedAt', order: desc(sessions.lastUsedAt) },
    deletes: true,
  }),
  personal(logins, { shown: { as: 'logins', columns: 'at userAgent ip', order: desc(logins.at) }, deletes: true }),
  personal(knownDevices, {
    shown: { as: 'knownBrowsers', columns: 'firstSeenAt', order: knownDevices.firstSeenAt },
    deletes: true,
  }),
]
