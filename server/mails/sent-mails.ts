import { and, desc, eq, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Database, Transaction } from '../database/connect.ts'
import type { HistoryPart } from '../database/cursor.ts'
import { sentMails, users } from '../database/schema.ts'
import { notFound } from '../errors.ts'
import { renderText } from './layout.ts'
import type { MailSite, Template } from './template.ts'
import { templates } from './templates.ts'

type Sent = { id: string; to: string; kind: keyof typeof templates; data: unknown }

/** Links with this secret are removed from the stored text. */
const secretPlaceholder = '*secret*'

export function createSentMails({ db, now, site }: { db: Database; now: () => Date; site: MailSite }) {
  function withoutSecrets(kind: Sent['kind'], data: unknown) {
    // Inherits from `site`, because a copy would freeze the values of its getters.
    const siteWithoutSecrets: MailSite = Object.create(site, { linkToken: { value: () => secretPlaceholder } })
    const content = (templates[kind] as Template<unknown>)(data, siteWithoutSecrets)
    const text = renderText(content, siteWithoutSecrets).replaceAll(/\S*\*secret\*\S*/g, '[link removed]')
    return { subject: content.subject, text }
  }

  return {
    /** Stores nothing for staff, whose emails contain other people's messages. */
    async record({ id, to, kind, data }: Sent) {
      const { subject, text } = withoutSecrets(kind, data)
      const storedData = kind === 'newsletter' ? {} : data
      // Locks the user's row, so that nothing is stored about a person who is being deleted.
      await db.execute(sql`insert into ${sentMails} (id, user_id, kind, data, subject, text, sent_at)
        select ${id}::uuid, id, ${kind}, ${JSON.stringify(storedData)}::jsonb, ${subject}, ${text}, ${now()}::timestamptz
        from ${users} where email = ${to} and not is_admin and role is null and deleted_at is null
        for share on conflict do nothing`)
    },

    async find(id: string, tx: Transaction | Database = db) {
      const [mail] = await tx.select().from(sentMails).where(eq(sentMails.id, id))
      if (!mail) throw notFound('Email')
      // A link with a `tokenId` works once and expires, so the same email would be useless.
      return { ...mail, isResendable: mail.kind !== 'newsletter' && !('tokenId' in mail.data) }
    },

    historyOf: (userId: string, { before, limit }: HistoryPart) =>
      db
        .select({ id: sentMails.id, at: sentMails.sentAt, subject: sentMails.subject })
        .from(sentMails)
        .where(and(eq(sentMails.userId, userId), lte(sentMails.sentAt, before)))
        .orderBy(desc(sentMails.sentAt))
        .limit(limit),

    async forgetOld() {
      await db.delete(sentMails).where(lt(sentMails.sentAt, retentionStart(now(), retention.jobs)))
    },

    /** "My data" leaves these emails out; the seller may show them. */
    sentBeforeProof: (userId: string) =>
      db
        .select({ sentAt: sentMails.sentAt, subject: sentMails.subject, text: sentMails.text })
        .from(sentMails)
        .innerJoin(users, eq(users.id, sentMails.userId))
        .where(and(eq(sentMails.userId, userId), or(isNull(users.verifiedAt), lt(sentMails.sentAt, users.verifiedAt))))
        .orderBy(desc(sentMails.sentAt)),
  }
}
