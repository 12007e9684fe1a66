import { desc, isNull, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  type PgColumn,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import {
  type AccessState,
  accessStates,
  type EntitlementReason,
  accessEvents as eventNames,
  nameProblems,
  type TodoKind,
  unlockableStates,
} from '#contract/statuses.ts'
import { userId, users } from './accounts.ts'
import { productId } from './catalog.ts'
import { id, listed, moment, momentOfInsert } from './columns.ts'
import { personal } from './personal.ts'
import { purchases } from './purchases.ts'

/**
 * Index condition: rows that may need the seller, because someone waits, the username is wrong, or access must be locked.
 * For list entries, see `entryMayNeedSeller` in tradingview.ts.
 */
export const mayNeedSeller = (t: Record<'state' | 'nameProblem' | 'unlockedName' | 'reason', PgColumn>) =>
  sql`(${t.state} in ('asked', 'unlocking') or ${t.nameProblem} is not null or (${t.unlockedName} is not null and (${t.state} = 'withheld' or ${t.reason} is null)))`

/** Index condition: rows that the connector unlocks once it works. Queried every minute. */
export const awaitsConnector = (t: Record<'state' | 'reason' | 'nameKey' | 'needsDecision', PgColumn>) =>
  sql`(${t.state} in ${listed(unlockableStates)} and ${t.reason} is not null and ${t.nameKey} is not null and not ${t.needsDecision})`

export type Undo = { state: AccessState; needsDecision: boolean; unlockedName: string | null }

/** State of one person's access to one product: docs/access.md. */
export const access = pgTable(
  'access',
  {
    id: id(),
    userId: userId(),
    productId: productId(),
    reason: text().$type<EntitlementReason>(),
    /** End of the entitlement; null if it has no end, and without an entitlement. */
    until: moment(),
    username: text(),
    /** Username in lower case; null if it is missing, invalid or another customer's. */
    nameKey: text(),
    nameProblem: text({ enum: nameProblems }),
    /** Usernames to suggest if TradingView does not know the entered one. */
    similar: jsonb().$type<string[]>().notNull().default([]),
    nameCheckedAt: moment(),
    state: text({ enum: accessStates }).notNull().default('none'),
    stateSince: momentOfInsert(),
    /** The promised time counts from here. */
    askedAt: moment(),
    /** Null for the connector, or without a decision. */
    decidedBy: uuid().references(() => users.id),
    declinedBecause: text(),
    /** Time when access was declined together with the subscription. Null once the access changes again. */
    endRequestedAt: moment(),
    /** The buyer asked again after being declined or withheld, so only the seller may unlock. */
    needsDecision: boolean().notNull().default(false),
    /** End of the undo window, in which a grant can return to `undoTo`. The buyer's email waits for it. */
    undoUntil: moment(),
    undoTo: jsonb().$type<Undo>(),
    /** Username that has access by our records, as spelled; null for none. */
    unlockedName: text(),
    /** The seller's task and its promised time, set by `todoOf` in access/rules.ts. */
    todo: text().$type<TodoKind>(),
    todoSince: moment(),
    dueAt: moment(),
    /** Makes sure that an older answer from TradingView never overwrites a newer state. */
    version: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex('access_one').on(t.userId, t.productId),
    // A TradingView account belongs to one customer.
    uniqueIndex('access_name').on(t.productId, t.nameKey),
    index('access_by_state').on(t.state, t.stateSince, t.id),
    index('access_undo').on(t.undoUntil).where(sql`${t.undoUntil} is not null`),
    index('access_open').on(t.userId).where(mayNeedSeller(t)),
    index('access_awaits_connector').on(t.id).where(awaitsConnector(t)),
    index('access_todo').on(t.todoSince, t.id).where(sql`${t.todo} is not null`),
    index('access_newest').on(t.stateSince, t.id),
    index('access_unlocked_name').on(sql`lower(${t.unlockedName})`),
    check('access_state', sql`${t.state} in ${listed(accessStates)}`),
    check('access_name_problem', sql`${t.nameProblem} in ${listed(nameProblems)}`),
  ],
)

export const accessEvents = pgTable(
  'access_events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userId(),
    productId: productId(),
    at: momentOfInsert(),
    event: text({ enum: eventNames }).notNull(),
    fromState: text({ enum: accessStates }).notNull(),
    toState: text({ enum: accessStates }).notNull(),
    username: text(),
    reason: text(),
    byAdmin: uuid().references(() => users.id),
    mail: text(),
  },
  (t) => [
    index('access_events_user').on(t.userId, t.at),
    check('access_events_event', sql`${t.event} in ${listed(eventNames)}`),
  ],
)

export const accessForms = pgTable(
  'access_forms',
  {
    id: id(),
    userId: userId(),
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    exchangeName: text().notNull(),
    tradingViewUsername: text().notNull(),
    additionalInfo: text(),
    /** API keys of the exchange; null once purged. */
    sealedKeys: text(),
    submittedAt: momentOfInsert(),
  },
  (t) => [
    index('access_forms_user').on(t.userId, t.submittedAt),
    index('access_forms_purchase').on(t.purchaseId),
    index('access_forms_newest').on(t.submittedAt, t.id),
    index('access_forms_sealed').on(t.submittedAt).where(sql`${t.sealedKeys} is not null`),
  ],
)

export const personalAccess = [
  // Keeps rows whose access still has to be locked at TradingView: `unlocked` without a `reason`.
  personal(access, {
    shown: {
      as: 'access',
      columns: 'productId username state until reason declinedBecause',
      more: { since: access.stateSince, unlockedFor: access.unlockedName },
    },
    deletes: isNull(access.unlockedName),
    empties: {
      state: 'unlocked',
      reason: null,
      until: null,
      username: null,
      nameKey: null,
      nameProblem: null,
      similar: [],
      declinedBecause: null,
      needsDecision: false,
      undoUntil: null,
      undoTo: null,
      // Invalidates the connector's work in progress.
      version: sql`${access.version} + 1`,
    },
  }),
  personal(accessEvents, {
    shown: {
      as: 'accessHistory',
      columns: 'at event username reason',
      more: { email: accessEvents.mail },
      order: accessEvents.id,
    },
    empties: { username: null, reason: null },
  }),
  personal(accessForms, {
    shown: {
      as: 'accessRequests',
      columns: 'purchaseId exchangeName tradingViewUsername additionalInfo submittedAt',
      order: desc(accessForms.submittedAt),
    },
    empties: { exchangeName: '', tradingViewUsername: '', additionalInfo: null, sealedKeys: null },
  }),
]
