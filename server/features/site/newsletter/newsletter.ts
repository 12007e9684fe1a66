import { and, desc, eq, getTableColumns, isNotNull, isNull, like, lt, or, type SQL, sql } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import { newsletterVersion } from '#contract/site/newsletter.ts'
import type { newsletterAddresses } from '#contract/site/newsletters.ts'
import type { NewsletterState } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import { containing, decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { newsletterSubscriptions as subscriptions, mailSuppressions as suppressions } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { hashToken } from '#server/security/tokens.ts'
import { createDrafts, type Drafts } from './drafts.ts'
import { createSending, forgetOldRecipients, type Sending } from './sending.ts'
import { createSuppressions, type Suppressions } from './suppressions.ts'

export { missingForSending } from './views.ts'

export type NewsletterContext = Pick<
  Context,
  | 'audit'
  | 'bulkMail'
  | 'catalog'
  | 'config'
  | 'crashPoint'
  | 'db'
  | 'isLinkToken'
  | 'log'
  | 'mails'
  | 'now'
  | 'queue'
  | 'settings'
>

/** Newsletters, with double opt-in: subscribers confirm by a link in their mailbox. */
export type Newsletter = Suppressions & {
  drafts: Drafts
  sending: Sending
  /** Gives the same answer for a known address, which is stored once. */
  subscribe(email: string, from: { ip: string; page: string }): Promise<void>
  confirm(id: string, token: string, ip: string): Promise<void>
  list(filter: AddressFilter): Promise<Page<RawOutputOf<typeof newsletterAddresses.adminList>[number]>>
  subscriptionOf(
    address: string,
  ): Promise<{ email: string; createdAt: Date; confirmedAt: Date | null; unsubscribedAt: Date | null } | null>
  /** Deletes addresses that never confirmed or have unsubscribed. */
  forgetInactive(): Promise<void>
}

const maxConfirmationMails = 3

type AddressFilter = ParsedInputOf<typeof newsletterAddresses.adminList>

const stateConditions: Record<NewsletterState, SQL | undefined> = {
  asked: and(isNull(subscriptions.confirmedAt), isNull(subscriptions.unsubscribedAt)),
  subscribed: and(isNotNull(subscriptions.confirmedAt), isNull(subscriptions.unsubscribedAt)),
  left: isNotNull(subscriptions.unsubscribedAt),
}

export function createNewsletter(context: NewsletterContext): Newsletter {
  const { db, now, mails, isLinkToken } = context
  const drafts = createDrafts(context)
  const sending = createSending(context, drafts)
  const isNotSubscribed = or(isNull(subscriptions.confirmedAt), isNotNull(subscriptions.unsubscribedAt))
  const maySendConfirmation = sql`${isNotSubscribed} and ${subscriptions.timesAsked} < ${maxConfirmationMails}`

  return {
    drafts,
    sending,
    ...createSuppressions(context),

    async subscribe(email, from) {
      const consent = {
        requestedAt: now(),
        consentVersion: newsletterVersion,
        requestedOn: from.page,
        requestedFrom: hashToken(from.ip),
      }
      await db.transaction(async (tx) => {
        const [subscription] = await tx
          .insert(subscriptions)
          .values({ email, createdAt: now(), ...consent })
          .onConflictDoUpdate({
            target: subscriptions.email,
            set: { timesAsked: sql`${subscriptions.timesAsked} + 1`, ...consent },
            setWhere: maySendConfirmation,
          })
          .returning({ id: subscriptions.id })
        // Nothing was written if this address has confirmed or had its three emails.
        if (subscription) await mails.send(tx, email, 'newsletterConfirmation', { id: subscription.id })
      })
    },

    async confirm(id, token, ip) {
      if (!isLinkToken('newsletter-confirm', id, token))
        throw new Refusal(400, 'link-invalid', 'This link is not valid')
      await db.transaction(async (tx) => {
        const [confirmed] = await tx
          .update(subscriptions)
          .set({ confirmedAt: now(), unsubscribedAt: null, timesAsked: 0, confirmedFrom: hashToken(ip) })
          .where(eq(subscriptions.id, id))
          .returning({ email: subscriptions.email })
        if (!confirmed) throw new Refusal(410, 'link-expired', 'This link has expired. Please subscribe again.')
        // A new confirmation from the mailbox revokes an earlier objection.
        await tx.delete(suppressions).where(eq(suppressions.email, confirmed.email))
      })
    },

    async list({ limit, cursor, q, state }) {
      const after = decodeCursor(cursor)
      const { id, email, createdAt, confirmedAt, unsubscribedAt } = subscriptions
      const rows = await db
        .select({
          ...getTableColumns(subscriptions),
          state: sql<NewsletterState>`case when ${unsubscribedAt} is not null then 'left'
            when ${confirmedAt} is not null then 'subscribed' else 'asked' end`,
        })
        .from(subscriptions)
        .where(
          and(
            state && stateConditions[state],
            q ? like(email, containing(q)) : undefined,
            after && sql`(${createdAt}, ${id}) < (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(desc(createdAt), desc(id))
        .limit(limit + 1)
      return pageOf(rows, limit, (row) => ({ at: row.createdAt, id: row.id }))
    },

    async subscriptionOf(address) {
      const [found] = await db
        .select({
          email: subscriptions.email,
          createdAt: subscriptions.createdAt,
          confirmedAt: subscriptions.confirmedAt,
          unsubscribedAt: subscriptions.unsubscribedAt,
        })
        .from(subscriptions)
        .where(eq(subscriptions.email, address))
      return found ?? null
    },

    async forgetInactive() {
      await forgetOldRecipients(context, retentionStart(now(), retention.jobs))
      const start = retentionStart(now(), retention.newsletter)
      const isInactive = or(isNull(subscriptions.confirmedAt), lt(subscriptions.unsubscribedAt, start))
      await db.delete(subscriptions).where(and(isInactive, lt(subscriptions.requestedAt, start)))
    },
  }
}
