import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { mailingStates, type PauseReason, recipientStates, type SuppressionReason } from '#contract/statuses.ts'
import { userId, users } from './accounts.ts'
import { createdAt, id, listed, moment, momentOfInsert, parentId } from './columns.ts'

export const newsletterSubscriptions = pgTable(
  'newsletter_subscriptions',
  {
    id: id(),
    email: text().notNull().unique(),
    createdAt: createdAt(),
    /** Last confirmation email; an address that does not confirm in time is deleted. */
    requestedAt: momentOfInsert(),
    /** Confirmation emails sent since the last confirmation; limited, so nobody's mailbox can be flooded. */
    timesAsked: integer().notNull().default(1),
    confirmedAt: moment(),
    unsubscribedAt: moment(),
    /** Proof of both steps: the text agreed to, the page it was on, and hashes of the addresses they came from. */
    consentVersion: text(),
    requestedOn: text(),
    requestedFrom: text(),
    confirmedFrom: text(),
  },
  (t) => [
    index('newsletter_newest').on(t.createdAt, t.id),
    index('newsletter_search').using('gin', sql`${t.email} gin_trgm_ops`),
  ],
)

/** The content cannot change once sending has begun. */
export const newsletters = pgTable(
  'newsletters',
  {
    id: id(),
    subject: text().notNull(),
    preheader: text().notNull(),
    markdown: text().notNull(),
    toSubscribers: boolean().notNull(),
    /** Product whose buyers also get the newsletter, if the checkout announced it and they did not object. */
    buyersOf: uuid(),
    state: text({ enum: mailingStates }).notNull().default('draft'),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: moment().notNull(),
    updatedBy: userId(),
    scheduledFor: moment(),
    approvedAt: moment(),
    startedAt: moment(),
    finishedAt: moment(),
    pausedBecause: text().$type<PauseReason>(),
    lastError: text(),
  },
  (t) => [
    index('newsletters_newest').on(t.createdAt, t.id),
    check('newsletters_state', sql`${t.state} in ${listed(mailingStates)}`),
  ],
)

/** Addresses are emptied 30 days after the newsletter has ended. The rows stay, because they are counted. */
export const newsletterRecipients = pgTable(
  'newsletter_recipients',
  {
    id: id(),
    newsletterId: parentId(() => newsletters.id),
    email: text(),
    why: text().$type<'subscriber' | 'buyer'>().notNull(),
    /** Id in the unsubscribe link: of the newsletter subscription for subscribers, of the user for buyers. */
    unsubscribeId: uuid(),
    state: text({ enum: recipientStates }).notNull().default('waiting'),
    tries: integer().notNull().default(0),
    retryAt: moment(),
    doneAt: moment(),
    reply: text(),
    /** Set if this was the latest newsletter to the address when its reader unsubscribed. */
    leftAt: moment(),
  },
  (t) => [
    uniqueIndex('newsletter_recipients_once').on(t.newsletterId, t.email),
    index('newsletter_recipients_state').on(t.newsletterId, t.state),
    index('newsletter_recipients_email').on(t.email),
    check('newsletter_recipients_state', sql`${t.state} in ${listed(recipientStates)}`),
  ],
)

/** Addresses that get no newsletters; emails about a purchase are still sent to them. */
export const mailSuppressions = pgTable(
  'mail_suppressions',
  {
    email: text().primaryKey(),
    /** Buyer who objected; the objection also covers later addresses of the account. */
    userId: uuid().references(() => users.id),
    because: text().$type<SuppressionReason>().notNull(),
    at: moment().notNull(),
    reply: text(),
  },
  (t) => [index('mail_suppressions_user').on(t.userId)],
)
