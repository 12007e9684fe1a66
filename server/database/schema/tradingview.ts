import { and, eq, isNull, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  type PgColumn,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { connectionModes, connectionStates } from '#contract/statuses.ts'
import { users } from './accounts.ts'
import { productId } from './catalog.ts'
import { createdAt, id, listed, moment, momentOfInsert, parentId } from './columns.ts'
import { personal } from './personal.ts'

/** Single row: the seller's session at TradingView and what the shop may do with it. */
export const tvConnection = pgTable(
  'tv_connection',
  {
    id: integer().primaryKey(),
    state: text({ enum: connectionStates }).notNull(),
    mode: text({ enum: connectionModes }).notNull(),
    /** A host of TradingView, or `sandbox` for the stand-in. */
    host: text().notNull(),
    accountName: text(),
    sealedCookies: text(),
    risksAcceptedAt: moment(),
    risksAcceptedBy: uuid().references(() => users.id),
    checkedAt: moment(),
    okAt: moment(),
    downSince: moment(),
    lastError: text(),
    /** In a row; the protocol may have changed. */
    unreadableAnswers: integer().notNull().default(0),
    /** While a payment is disputed, access is kept but not extended. */
    freezesAccessDuringDispute: boolean().notNull().default(true),
    /** Stopped by the guard against mass removal, until an admin confirms. */
    blockedRemovals: integer(),
    mayRemoveUntil: moment(),
    /** The rate limit shared by all processes. */
    nextCallAt: moment(),
  },
  (t) => [
    check('tv_connection_state', sql`${t.state} in ${listed(connectionStates)}`),
    check('tv_connection_mode', sql`${t.mode} in ${listed(connectionModes)}`),
  ],
)

export const tvScripts = pgTable('tv_scripts', {
  id: id(),
  productId: productId(),
  pineId: text().notNull().unique(),
  name: text().notNull(),
  problem: text(),
  createdAt: createdAt(),
})

/** Index condition: buyers' entries that the connector gave up on, or that this shop did not unlock. */
export const entryMayNeedSeller = (
  t: Record<'failingSince' | 'nextTryAt' | 'isPresent' | 'isOurs' | 'userId', PgColumn>,
) =>
  sql`${t.userId} is not null and ((${t.failingSince} is not null and ${t.nextTryAt} is null) or (${t.isPresent} and not ${t.isOurs}))`

/** A script's list as last read from TradingView. `access` holds the target state. */
export const tvPeople = pgTable(
  'tv_people',
  {
    id: id(),
    scriptId: parentId(() => tvScripts.id),
    usernameKey: text().notNull(),
    username: text().notNull(),
    userId: uuid().references(() => users.id),
    /** Unlocked by this shop or taken over by an admin; other rows are never removed. */
    isOurs: boolean().notNull().default(false),
    /** Null until the list was read. */
    isPresent: boolean(),
    presentUntil: moment(),
    observedAt: moment(),
    /** TradingView's id; it stays the same when the user is renamed. */
    listEntryId: text(),
    tries: integer().notNull().default(0),
    /** Start of the current failures; without `nextTryAt`, the seller must act. */
    failingSince: moment(),
    nextTryAt: moment(),
    error: text(),
    firstPresentAt: moment(),
    /** Makes sure that an older answer never overwrites a newer one. */
    version: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('tv_people_name').on(t.scriptId, t.usernameKey),
    index('tv_people_user').on(t.userId),
    index('tv_people_due').on(t.nextTryAt).where(sql`${t.nextTryAt} is not null`),
    index('tv_people_newest').on(t.createdAt, t.id),
    index('tv_people_noticed').on(t.userId).where(entryMayNeedSeller(t)),
    index('tv_people_renamed').on(t.scriptId, t.listEntryId).where(sql`${t.userId} is null and ${t.error} is not null`),
  ],
)

/** Kept for 90 days. */
export const tvEvents = pgTable(
  'tv_events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: momentOfInsert(),
    pineId: text(),
    usernameKey: text(),
    call: text().notNull(),
    outcome: text().notNull(),
    http: integer(),
    milliseconds: integer().notNull(),
    /** Start of an unreadable answer, without cookies. */
    excerpt: text(),
  },
  (t) => [index('tv_events_name').on(t.usernameKey, t.id), index('tv_events_at').on(t.at)],
)

export const tvRuns = pgTable(
  'tv_runs',
  {
    id: id(),
    scriptId: parentId(() => tvScripts.id),
    startedAt: momentOfInsert(),
    endedAt: moment(),
    pages: integer().notNull().default(0),
    isComplete: boolean().notNull().default(false),
    people: integer().notNull().default(0),
    /** Buyers who were missing from the list, on it with a wrong end, or on it after their end. */
    missing: integer().notNull().default(0),
    wrong: integer().notNull().default(0),
    ended: integer().notNull().default(0),
    foreign: integer().notNull().default(0),
    blockedRemovals: integer().notNull().default(0),
    error: text(),
  },
  (t) => [index('tv_runs_newest').on(t.startedAt)],
)

export const isForeign = and(isNull(tvPeople.userId), eq(tvPeople.isPresent, true))

export const personalTradingView = [
  personal(tvPeople, {
    shown: {
      as: 'tradingViewAccess',
      columns: 'username',
      more: {
        script: sql`(select listing.name from ${tvScripts} listing where listing.id = ${tvPeople}.script_id)`,
        isListed: tvPeople.isPresent,
        until: tvPeople.presentUntil,
        checkedAt: tvPeople.observedAt,
      },
    },
  }),
  personal(tvEvents, {
    of: (person) => sql`${tvEvents.usernameKey} in (select username_key from ${tvPeople} where user_id = ${person.id})`,
    shown: { as: 'tradingViewCalls', columns: 'at call outcome', order: tvEvents.id },
  }),
]
