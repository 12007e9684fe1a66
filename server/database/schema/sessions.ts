import { desc } from 'drizzle-orm'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { Proof } from '#contract/statuses.ts'
import { userId } from './accounts.ts'
import { createdAt, id, moment, momentOfInsert } from './columns.ts'
import { personal } from './personal.ts'

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    tokenHash: text().notNull().unique(),
    /** The previous token works for a moment after `rotatedAt`; see sessions.ts. */
    previousTokenHash: text(),
    rotatedAt: moment(),
    userId: userId({ onDelete: 'cascade' }),
    createdAt: createdAt(),
    lastUsedAt: momentOfInsert(),
    expiresAt: moment().notNull(),
    provenAt: momentOfInsert(),
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

/** A login from an unknown device triggers an email. The fingerprint is a hash of browser and address. */
export const knownDevices = pgTable(
  'known_devices',
  { userId: userId({ onDelete: 'cascade' }), fingerprint: text().notNull(), firstSeenAt: momentOfInsert() },
  (t) => [primaryKey({ columns: [t.userId, t.fingerprint] })],
)

/** Outlives the sessions, which are deleted when they end. */
export const logins = pgTable(
  'logins',
  {
    id: id(),
    userId: userId({ onDelete: 'cascade' }),
    at: momentOfInsert(),
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
