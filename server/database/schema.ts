import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import {
  type AccessRequestStatus,
  accessRequestStatuses,
  type BillingType,
  billingTypes,
  type ConnectionMode,
  type ConnectionState,
  connectionModes,
  connectionStates,
  type DeclarationKind,
  type DeclarationState,
  declarationKinds,
  declarationStates,
  type EndReason,
  type EntitlementReason,
  type GrantState,
  grantStates,
  liveStatuses,
  type NameProblem,
  nameProblems,
  type PurchaseStatus,
  purchaseStatuses,
} from '#contract/statuses.ts'
import { sqlList } from './sql-list.ts'

const listed = (words: readonly string[]) => sql.raw(sqlList(words))

const id = () => uuid().primaryKey().defaultRandom()
const moment = () => timestamp({ withTimezone: true, precision: 3 })
const createdAt = () => moment().notNull().defaultNow()

export const users = pgTable(
  'users',
  {
    id: id(),
    /** Always lower case. */
    email: text().notNull().unique(),
    name: text().notNull(),
    /** Null until a guest buyer has set one. */
    passwordHash: text(),
    /** When a link emailed to this address was used; an account made by an admin counts as verified. */
    verifiedAt: moment(),
    /** When it was taken from whoever made it and given to the mailbox's owner: since then only emailed links open it. */
    handedOverAt: moment(),
    isAdmin: boolean().notNull().default(false),
    tradingViewUsername: text(),
    remindedAt: moment(),
    createdAt: createdAt(),
    /** The person is anonymized; the row stays for the books. */
    deletedAt: moment(),
    searchText: text().notNull().generatedAlwaysAs(sql`lower(email) || ' ' || lower(name)`),
  },
  (t) => [
    index('users_newest').on(t.createdAt, t.id),
    index('users_without_username').on(t.id).where(sql`${t.tradingViewUsername} is null`),
    index('users_search').using('gin', sql`${t.searchText} gin_trgm_ops`),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    tokenHash: text().notNull().unique(),
    /** The token before this one, and when it was replaced; see sessions.ts. */
    previousTokenHash: text(),
    rotatedAt: moment(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The login. */
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
    expiresAt: moment().notNull(),
    userAgent: text().notNull().default(''),
    ip: text().notNull().default(''),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_expiry').on(t.expiresAt),
    index('sessions_previous_token').on(t.previousTokenHash).concurrently(),
  ],
)

/** Where a user has logged in before: a login from elsewhere triggers an email. Only a hash of browser and address. */
export const knownDevices = pgTable(
  'known_devices',
  {
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    fingerprint: text().notNull(),
    firstSeenAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.fingerprint] })],
)

/** How often something was tried recently, counted across all server processes. */
export const attempts = pgTable('attempts', {
  key: text().primaryKey(),
  count: integer().notNull(),
  endsAt: moment().notNull(),
})

/** Which addresses a network has recently probed for being a customer's. Hashes only. */
export const emailQuestions = pgTable(
  'email_questions',
  { network: text().notNull(), email: text().notNull(), askedAt: moment().notNull() },
  (t) => [primaryKey({ columns: [t.network, t.email] })],
)

/** One-time email links: a reset, or a guest's first password. */
export const passwordTokens = pgTable(
  'password_tokens',
  {
    id: id(),
    tokenHash: text().notNull().unique(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
    usedAt: moment(),
  },
  (t) => [index('password_tokens_user').on(t.userId, t.createdAt)],
)

export const purchases = pgTable(
  'purchases',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    productId: uuid().notNull(),
    billingType: text().$type<BillingType>().notNull(),
    amount: integer().notNull(),
    status: text().$type<PurchaseStatus>().notNull(),
    createdAt: createdAt(),
    /** Null for a purchase that an admin entered by hand. */
    stripeSubscriptionId: text().unique(),
    paymentIntentId: text().unique(),
    lastPaidAt: moment(),
    currentPeriodEnd: moment(),
    endsAt: moment(),
    pastDueSince: moment(),
    /** How far the reminders about an unpaid renewal have gotten: see `dunningStep` in purchases/state.ts. */
    dunningStep: integer().notNull().default(0),
    /** No longer used; a later release will drop it. */
    failedPayments: integer().notNull().default(0),
    endedAt: moment(),
    endedBecause: text().$type<EndReason>(),
    refundedAmount: integer().notNull().default(0),
    /** What goes back when it ends: the rest of a renewed year that was ended with a month's notice. */
    restRefund: integer(),
    isDisputed: boolean().notNull().default(false),
  },
  (t) => [
    index('purchases_user').on(t.userId, t.createdAt, t.id, t.status),
    index('purchases_newest').on(t.createdAt, t.id),
    index('purchases_by_status').on(t.status, t.createdAt, t.id),
    index('purchases_by_billing').on(t.billingType, t.createdAt, t.id),
    index('purchases_by_both').on(t.status, t.billingType, t.createdAt, t.id),
    check('purchases_billing_type', sql`${t.billingType} in ${listed(billingTypes)}`),
    check('purchases_status', sql`${t.status} in ${listed(purchaseStatuses)}`),
    check('purchases_amount', sql`${t.amount} >= 0 and ${t.refundedAmount} >= 0`),
    // Two checkouts of one account can race; the database has the last word.
    uniqueIndex('purchases_one_live')
      .on(t.userId, t.productId)
      .where(sql`${t.stripeSubscriptionId} is not null and ${t.status} in ${listed(liveStatuses)}`),
  ],
)

/** Subscriptions gained and lost each month; kept by triggers.sql, so that no overview reads all purchases. */
export const subscriptionMovements = pgTable('subscription_movements', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  month: date().notNull(),
  billingType: text().$type<BillingType>().notNull(),
  begun: bigint({ mode: 'number' }).notNull(),
  begunAmount: bigint({ mode: 'number' }).notNull(),
  ended: bigint({ mode: 'number' }).notNull(),
  endedAmount: bigint({ mode: 'number' }).notNull(),
})

/** A started checkout: what was offered to whom, before payment. Later it anchors what Stripe says about it. */
export const checkouts = pgTable(
  'checkouts',
  {
    id: id(),
    productId: uuid().notNull(),
    billingType: text().$type<BillingType>().notNull(),
    amount: integer().notNull(),
    email: text().notNull(),
    /** Null for a guest until the payment arrives. */
    userId: uuid().references(() => users.id),
    /** Whether the account was created for this guest; null while unpaid and for a buyer who was logged in. */
    madeAccount: boolean(),
    nonceHash: text().notNull(),
    /** At Stripe. An account keeps its customer; each guest checkout has its own. */
    customerId: text().notNull(),
    subscriptionId: text().notNull().unique(),
    paymentIntentId: text().notNull().unique(),
    createdAt: createdAt(),
    /** Counts syncs from Stripe, so an older answer never overwrites a newer one. */
    version: integer().notNull().default(0),
    syncedAt: moment(),
    /** Booked as a purchase, or abandoned unpaid. */
    closedAt: moment(),
    /** When the one login that a guest's payment allows was used or forfeited. */
    loginUsedAt: moment(),
    /** Asked before paying, if the buyer wants to be unlocked right after it. */
    tradingViewUsername: text(),
  },
  (t) => [
    index('checkouts_open').on(t.createdAt).where(sql`${t.closedAt} is null`),
    index('checkouts_nonce').on(t.nonceHash),
    index('checkouts_user').on(t.userId),
    index('checkouts_customer').on(t.customerId).concurrently(),
  ],
)

/** What a buyer agreed to and where they are, kept with the checkout as evidence. */
export const orderRecords = pgTable('order_records', {
  checkoutId: uuid()
    .primaryKey()
    .references(() => checkouts.id, { onDelete: 'cascade' }),
  /** Whether the box "start my access right away" was ticked, and the versions of the texts the buyer saw. */
  startNow: boolean(),
  consentVersion: text(),
  termsVersion: text(),
  agreedAt: moment(),
  /** For tax: the buyer's own words, and the country of the card that paid. */
  country: text(),
  postalCode: text(),
  cardCountry: text(),
})

/** What a buyer wants on invoices; Stripe has a copy with each customer. */
export const billingDetails = pgTable('billing_details', {
  userId: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  company: text().notNull(),
  street: text().notNull(),
  postalCode: text().notNull(),
  city: text().notNull(),
  country: text().notNull(),
  vatId: text().notNull(),
  updatedAt: createdAt(),
})

/** The inbox of Stripe's events, each kept once by its id. It stores only whom an event is about; Stripe has the rest. */
export const stripeEvents = pgTable(
  'stripe_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    subscriptionId: text(),
    customerId: text(),
    paymentIntentId: text(),
    receivedAt: createdAt(),
    handledAt: moment(),
    lastError: text(),
  },
  (t) => [
    index('stripe_events_unhandled').on(t.receivedAt).where(sql`${t.handledAt} is null`),
    index('stripe_events_received').on(t.receivedAt),
  ],
)

/** One row: the time up to which the reconciler has asked Stripe for missed events. */
export const stripeEventsPulled = pgTable('stripe_events_pulled', {
  id: integer().primaryKey(),
  until: moment().notNull(),
})

export const accessRequests = pgTable(
  'access_requests',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    /** Null when the purchase was deleted: a grant must still be revoked. */
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    exchangeName: text().notNull(),
    tradingViewUsername: text().notNull(),
    additionalInfo: text(),
    /** The exchange's keys, sealed; null once purged. */
    sealedKeys: text(),
    status: text().$type<AccessRequestStatus>().notNull().default('requested'),
    reason: text(),
    submittedAt: createdAt(),
    decidedAt: moment(),
    decidedBy: uuid().references(() => users.id),
    /** When the purchase behind a grant ended, or the buyer switched to another username. */
    endedAt: moment(),
    /** A grant by hand can be undone until then; only then is the buyer told and are the keys deleted. */
    announceAt: moment(),
  },
  (t) => [
    index('access_requests_to_revoke')
      .on(t.submittedAt, t.id)
      .where(sql`${t.status} = 'granted' and ${t.endedAt} is not null`),
    index('access_requests_purchase').on(t.purchaseId, t.submittedAt.desc()),
    index('access_requests_open').on(t.submittedAt, t.id).where(sql`${t.status} = 'requested'`),
    // A double click must not queue twice.
    uniqueIndex('access_requests_one_open').on(t.purchaseId).where(sql`${t.status} = 'requested'`),
    index('access_requests_user').on(t.userId),
    index('access_requests_sealed').on(t.submittedAt).where(sql`${t.sealedKeys} is not null`),
    check('access_requests_status', sql`${t.status} in ${listed(accessRequestStatuses)}`),
  ],
)

/** What people declared about contracts without having to log in. Each counts from the moment it arrived. */
export const declarations = pgTable(
  'declarations',
  {
    id: id(),
    kind: text().$type<DeclarationKind>().notNull(),
    state: text().$type<DeclarationState>().notNull().default('open'),
    name: text().notNull(),
    /** As typed: a contract number, an email address, or words. */
    contract: text().notNull(),
    /** Where the receipt goes. */
    email: text().notNull(),
    forCause: boolean().notNull().default(false),
    reason: text(),
    /** The day it should end; as soon as possible if null. */
    endsOn: date({ mode: 'string' }),
    declaredAt: createdAt(),
    networkHash: text().notNull(),
    /** Who was logged in, or confirmed it by the emailed link. */
    userId: uuid().references(() => users.id),
    /** The contract it is about, as far as we can tell. */
    purchaseId: uuid().references(() => purchases.id, { onDelete: 'set null' }),
    handledAt: moment(),
    /** How it ended, in words for the seller. */
    outcome: text(),
  },
  (t) => [
    index('declarations_newest').on(t.declaredAt, t.id),
    index('declarations_confirmed').on(t.id).where(sql`${t.state} = 'confirmed'`),
    index('declarations_user').on(t.userId),
    check('declarations_kind', sql`${t.kind} in ${listed(declarationKinds)}`),
    check('declarations_state', sql`${t.state} in ${listed(declarationStates)}`),
  ],
)

export const recommendedAssets = pgTable(
  'recommended_assets',
  {
    id: id(),
    productId: uuid().notNull(),
    ticker: text().notNull(),
    note: text(),
    sortOrder: integer().notNull(),
    isActive: boolean().notNull().default(true),
    reviewedAt: createdAt(),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('recommended_assets_ticker').on(t.productId, t.ticker)],
)

/** One for each person and product: an invitation, and what came of it. */
export const reviews = pgTable(
  'reviews',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    productId: uuid().notNull(),
    invitedAt: createdAt(),
    stars: integer(),
    text: text(),
    /** The name to show; null once the author's account is deleted. */
    author: text(),
    writtenAt: moment(),
    answer: text(),
    answeredAt: moment(),
    /** The latest report, and when it came. */
    report: text(),
    reportedAt: moment(),
    /** Why a reported review's text is no longer shown. */
    hiddenBecause: text(),
  },
  (t) => [
    uniqueIndex('reviews_one_each').on(t.userId, t.productId),
    index('reviews_newest').on(t.writtenAt, t.id).where(sql`${t.writtenAt} is not null`),
    check('reviews_stars', sql`${t.stars} between 1 and 5`),
  ],
)

export const newsletterSubscriptions = pgTable('newsletter_subscriptions', {
  id: id(),
  email: text().notNull().unique(),
  createdAt: createdAt(),
  /** Confirmation emails sent since the last confirmation: nobody's mailbox can be flooded. */
  timesAsked: integer().notNull().default(1),
  confirmedAt: moment(),
  unsubscribedAt: moment(),
  /** Proof of both steps: the text agreed to, the page it was on, and hashes of the addresses they came from. */
  consentVersion: text(),
  requestedOn: text(),
  requestedFrom: text(),
  confirmedFrom: text(),
})

export const contactMessages = pgTable('contact_messages', {
  id: id(),
  firstName: text().notNull(),
  lastName: text().notNull(),
  email: text().notNull(),
  message: text().notNull(),
  createdAt: createdAt(),
})

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

/** One row: the seller's session at TradingView and what the shop may do with it. */
export const tvConnection = pgTable(
  'tv_connection',
  {
    id: integer().primaryKey(),
    state: text().$type<ConnectionState>().notNull(),
    mode: text().$type<ConnectionMode>().notNull(),
    /** A host of TradingView's, or `sandbox` for the look-alike. */
    host: text().notNull(),
    accountName: text(),
    sealedCookies: text(),
    acceptedAt: moment(),
    acceptedBy: uuid().references(() => users.id),
    checkedAt: moment(),
    okAt: moment(),
    /** Since when no call has succeeded; null while calls do. */
    downSince: moment(),
    lastError: text(),
    /** Answers in a row that nobody understood: the protocol may have changed. */
    misunderstood: integer().notNull().default(0),
    /** At most this many people; null for no limit. */
    seatLimit: integer(),
    showsSeats: boolean().notNull().default(false),
    freezesDisputes: boolean().notNull().default(true),
    /** What the guard against mass removal stopped, until an admin has looked. */
    heldBack: integer(),
    mayRemoveUntil: moment(),
    /** No longer used, always 0; a later release will drop it. */
    warnedPeople: integer().notNull().default(0),
    /** Before this, TradingView is not called again: the pace that all processes share. */
    nextCallAt: moment(),
  },
  (t) => [
    check('tv_connection_state', sql`${t.state} in ${listed(connectionStates)}`),
    check('tv_connection_mode', sql`${t.mode} in ${listed(connectionModes)}`),
  ],
)

export const tvScripts = pgTable('tv_scripts', {
  id: id(),
  productId: uuid().notNull(),
  pineId: text().notNull().unique(),
  name: text().notNull(),
  problem: text(),
  createdAt: createdAt(),
})

/** One username on one script: what it should be, and what TradingView last said. */
export const tvGrants = pgTable(
  'tv_grants',
  {
    id: id(),
    scriptId: uuid()
      .notNull()
      .references(() => tvScripts.id, { onDelete: 'cascade' }),
    usernameKey: text().notNull(),
    username: text().notNull(),
    /** Null for someone whom this shop does not know. */
    userId: uuid().references(() => users.id),
    /** This shop granted it, or an admin took it over: only then may it be removed. */
    isOurs: boolean().notNull().default(false),
    isWanted: boolean().notNull().default(false),
    wantedUntil: moment(),
    /** Null until read. */
    isPresent: boolean(),
    presentUntil: moment(),
    observedAt: moment(),
    /** TradingView's own id of the row: a hint when somebody renames. */
    rowId: text(),
    state: text().$type<GrantState>().notNull(),
    tries: integer().notNull().default(0),
    failingSince: moment(),
    nextTryAt: moment(),
    error: text(),
    firstPresentAt: moment(),
    /** Counts writes, so an older answer never overwrites a newer one. */
    version: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('tv_grants_name').on(t.scriptId, t.usernameKey),
    index('tv_grants_user').on(t.userId),
    index('tv_grants_due').on(t.nextTryAt).where(sql`${t.nextTryAt} is not null`),
    index('tv_grants_newest').on(t.createdAt, t.id),
    check('tv_grants_state', sql`${t.state} in ${listed(grantStates)}`),
  ],
)

/** What was asked of TradingView and what it answered; kept for 90 days. */
export const tvEvents = pgTable(
  'tv_events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: createdAt(),
    pineId: text(),
    usernameKey: text(),
    call: text().notNull(),
    outcome: text().notNull(),
    http: integer(),
    milliseconds: integer().notNull(),
    /** The beginning of an answer that was not understood, without cookies. */
    excerpt: text(),
  },
  (t) => [index('tv_events_name').on(t.usernameKey, t.id), index('tv_events_at').on(t.at)],
)

/** One walk through a script's whole list. */
export const tvRuns = pgTable(
  'tv_runs',
  {
    id: id(),
    scriptId: uuid()
      .notNull()
      .references(() => tvScripts.id, { onDelete: 'cascade' }),
    startedAt: createdAt(),
    endedAt: moment(),
    pages: integer().notNull().default(0),
    isComplete: boolean().notNull().default(false),
    people: integer().notNull().default(0),
    missing: integer().notNull().default(0),
    wrong: integer().notNull().default(0),
    ended: integer().notNull().default(0),
    foreign: integer().notNull().default(0),
    heldBack: integer().notNull().default(0),
    error: text(),
  },
  (t) => [index('tv_runs_newest').on(t.startedAt)],
)

/** A seat kept for someone who is paying. */
export const seatReservations = pgTable(
  'seat_reservations',
  {
    id: id(),
    productId: uuid().notNull(),
    /** Whose: an account, or a guest's browser. */
    holder: text().notNull(),
    expiresAt: moment().notNull(),
  },
  (t) => [uniqueIndex('seat_reservations_holder').on(t.productId, t.holder)],
)

/** Who wants to know when a seat is free. */
export const waitlist = pgTable(
  'waitlist',
  {
    id: id(),
    email: text().notNull(),
    productId: uuid().notNull(),
    createdAt: createdAt(),
    invitedAt: moment(),
  },
  (t) => [uniqueIndex('waitlist_once').on(t.productId, t.email)],
)

/** Which admin did what, when, to what, and from where. People are named by id only; triggers.sql refuses changes. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: createdAt(),
    /** Null for a command on the server itself. */
    actorId: uuid(),
    /** No longer used, always empty; a later release will drop it. */
    actorEmail: text().notNull().default(''),
    action: text().notNull(),
    /** To what: a ticker, an id; empty if it was done to a person. */
    subject: text().notNull(),
    /** Whom it concerns. */
    aboutId: uuid(),
    detail: jsonb().$type<Record<string, unknown>>(),
    ip: text().notNull().default(''),
    searchText: text()
      .notNull()
      .generatedAlwaysAs(sql`lower(actor_email || ' ' || action || ' ' || subject || ' ' || ip)`),
  },
  (t) => [
    index('audit_log_newest').on(t.at, t.id),
    index('audit_log_actor').on(t.actorId).concurrently(),
    index('audit_log_about').on(t.aboutId).concurrently(),
    index('audit_log_search').using('gin', sql`${t.searchText} gin_trgm_ops`),
  ],
)
