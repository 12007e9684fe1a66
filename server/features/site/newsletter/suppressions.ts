import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { RecipientState, SuppressionReason } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { findUser } from '#server/database/people.ts'
import {
  newsletters,
  newsletterRecipients as recipients,
  newsletterSubscriptions as subscriptions,
  mailSuppressions as suppressions,
  users,
} from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'

type SuppressionDeps = Pick<Context, 'db' | 'now' | 'audit' | 'isLinkToken'>

type Suppression = { because: SuppressionReason; at: Date }
type ReceivedNewsletter = { subject: string; sentAt: Date | null; state: RecipientState; unsubscribedAt: Date | null }

export type Suppressions = {
  /** Idempotent. The id is a subscriber's subscription or a buyer's user; both kinds of newsletters end. */
  unsubscribe(unsubscribeId: string, token: string): Promise<void>
  /** For a customer who objected by other means. */
  setSuppressed(actor: Actor, userId: string, isSuppressed: boolean): Promise<void>
  suppressionOf(userId: string, email: string): Promise<Suppression | null>
  forget(tx: Transaction, userId: string): Promise<void>
  dataOf(userId: string): Promise<{ newsletters: ReceivedNewsletter[]; noNewsletters: Suppression[] }>
}

export function createSuppressions({ db, now, audit, isLinkToken }: SuppressionDeps): Suppressions {
  /** Undefined for an unproven address, which may belong to someone else. */
  async function findProvenAddress(tx: Transaction | typeof db, userId: string) {
    const [user] = await tx
      .select({ email: users.email })
      .from(users)
      .where(and(eq(users.id, userId), isNotNull(users.verifiedAt), isNull(users.deletedAt)))
    return user?.email
  }

  return {
    async unsubscribe(unsubscribeId, token) {
      if (!isLinkToken('newsletter-unsubscribe', unsubscribeId, token))
        throw new Refusal(400, 'link-invalid', 'This link is not valid')
      await db.transaction(async (tx) => {
        const [subscription] = await tx
          .select({ email: subscriptions.email })
          .from(subscriptions)
          .where(eq(subscriptions.id, unsubscribeId))
        const hasSubscribedAddress = and(eq(users.email, subscription?.email ?? ''), isNotNull(users.verifiedAt))
        const [buyer] = await tx
          .select({ email: users.email, userId: users.id })
          .from(users)
          .where(and(or(eq(users.id, unsubscribeId), hasSubscribedAddress), isNull(users.deletedAt)))
        const email = buyer?.email ?? subscription?.email
        const userId = buyer?.userId ?? null
        if (!email) return
        await tx
          .update(subscriptions)
          .set({ unsubscribedAt: now() })
          .where(and(eq(subscriptions.email, email), isNull(subscriptions.unsubscribedAt)))
        await tx.insert(suppressions).values({ email, userId, because: 'objected', at: now() }).onConflictDoNothing()
        // The latest newsletter to this address counts the unsubscribe.
        await tx.execute(
          sql`update ${recipients} set left_at = ${now()} where id = (select id from ${recipients}
            where email = ${email} and state in ('sent', 'uncertain') order by done_at desc limit 1) and left_at is null`,
        )
      })
    },

    async setSuppressed(actor, userId, isSuppressed) {
      await db.transaction(async (tx) => {
        const user = await findUser(tx, userId)
        if (isSuppressed)
          await tx
            .insert(suppressions)
            .values({ email: user.email, userId, because: 'by_seller', at: now() })
            .onConflictDoNothing()
        else
          await tx.delete(suppressions).where(or(eq(suppressions.email, user.email), eq(suppressions.userId, userId)))
        await audit.record(tx, actor, { action: 'newsletter.suppress', aboutId: userId, detail: { isSuppressed } })
      })
    },

    async suppressionOf(userId, email) {
      const [found] = await db
        .select({ because: suppressions.because, at: suppressions.at })
        .from(suppressions)
        .where(or(eq(suppressions.email, email), eq(suppressions.userId, userId)))
      return found ?? null
    },

    async forget(tx, userId) {
      const email = await findProvenAddress(tx, userId)
      if (email) {
        // The objection is deleted below, so its subscription must end, or newsletters would go out again.
        await tx
          .update(subscriptions)
          .set({ unsubscribedAt: now() })
          .where(
            and(
              eq(subscriptions.email, email),
              isNull(subscriptions.unsubscribedAt),
              sql`exists (select from ${suppressions} where ${suppressions.email} = ${email})`,
            ),
          )
        await tx.delete(suppressions).where(eq(suppressions.email, email))
      }
      await tx.delete(suppressions).where(eq(suppressions.userId, userId))
      const isTheirs = or(eq(recipients.unsubscribeId, userId), email ? eq(recipients.email, email) : undefined)
      await tx.delete(recipients).where(and(isTheirs, eq(recipients.state, 'waiting')))
      await tx.update(recipients).set({ email: null, unsubscribeId: null, reply: null }).where(isTheirs)
    },

    async dataOf(userId) {
      const email = (await findProvenAddress(db, userId)) ?? ''
      const received = await db
        .select({
          subject: newsletters.subject,
          sentAt: recipients.doneAt,
          state: recipients.state,
          unsubscribedAt: recipients.leftAt,
        })
        .from(recipients)
        .innerJoin(newsletters, eq(newsletters.id, recipients.newsletterId))
        .where(or(eq(recipients.unsubscribeId, userId), eq(recipients.email, email)))
      const objections = await db
        .select({ because: suppressions.because, at: suppressions.at })
        .from(suppressions)
        .where(or(eq(suppressions.userId, userId), eq(suppressions.email, email)))
      return { newsletters: received, noNewsletters: objections }
    },
  }
}
