import { and, desc, eq, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Database } from '../database/connect.ts'
import type { HistoryPart } from '../database/cursor.ts'
import { sentMails, users } from '../database/schema.ts'
import { notFound } from '../errors.ts'
import { renderText } from './layout.ts'
import type { MailSite, Template } from './template.ts'
import { templates } from './templates.ts'

type Sent = { id: string; to: string; kind: keyof typeof templates; data: unknown }

/** Replaces a link's secret, of which nothing is kept. */
const cut = '*secret*'

/** Emails that customers were sent, for staff. Links with secrets are removed. */
export function createSentMails({ db, now, site }: { db: Database; now: () => Date; site: MailSite }) {
  function withoutSecrets(kind: Sent['kind'], data: unknown) {
    // A copy of getters would freeze what the site says about itself.
    const blind: MailSite = Object.create(site, { linkToken: { value: () => cut } })
    const content = (templates[kind] as Template<unknown>)(data, blind)
    const text = renderText(content, blind).replaceAll(/\S*\*secret\*\S*/g, '[link removed]')
    return { subject: content.subject, text }
  }

  return {
    /** Staff get everyone's messages by email; those are not theirs to be listed under. */
    async record({ id, to, kind, data }: Sent) {
      const { subject, text } = withoutSecrets(kind, data)
      // A newsletter is sent to each address once, so its text is enough.
      const storedData = kind === 'newsletter' ? {} : data
      // Locked: a person who is being deleted at this moment is not written down again.
      await db.execute(sql`insert into ${sentMails} (id, user_id, kind, data, subject, text, sent_at)
        select ${id}::uuid, id, ${kind}, ${JSON.stringify(storedData)}::jsonb, ${subject}, ${text}, ${now()}::timestamptz
        from ${users} where email = ${to} and not is_admin and role is null and deleted_at is null
        for share on conflict do nothing`)
    },

    async find(id: string) {
      const [found] = await db.select().from(sentMails).where(eq(sentMails.id, id))
      if (!found) throw notFound('Email')
      // A password link works once and for an hour: the old email would only disappoint.
      return { ...found, isResendable: found.kind !== 'newsletter' && !('tokenId' in found.data) }
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

    /** Emails from before the address was proven, which "my data" leaves out. For the seller. */
    sentBeforeProof: (userId: string) =>
      db
        .select({ sentAt: sentMails.sentAt, subject: sentMails.subject, text: sentMails.text })
        .from(sentMails)
        .innerJoin(users, eq(users.id, sentMails.userId))
        .where(and(eq(sentMails.userId, userId), or(isNull(users.verifiedAt), lt(sentMails.sentAt, users.verifiedAt))))
        .orderBy(desc(sentMails.sentAt)),
  }
}
