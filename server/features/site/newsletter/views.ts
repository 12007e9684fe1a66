import { and, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { newsletters as calls } from '#contract/site/newsletters.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { newsletters, newsletterRecipients as recipients, users } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { inScheme } from '#server/mails/layout.ts'
import { countAudience, countUnreachable } from './audience.ts'

type ViewDeps = Pick<Context, 'config' | 'db' | 'mails' | 'settings'>

export type NewsletterViews = {
  find(id: string, tx?: Transaction): Promise<NewsletterWithEditor>
  /** Data of a preview or test email, with a sample link to unsubscribe. */
  sampleOf(newsletter: Newsletter | NewsletterWithEditor): Sample
  list(page: ParsedInputOf<typeof calls.adminList>): Promise<Page<RawOutputOf<typeof calls.adminList>[number]>>
  show(id: string): Promise<RawOutputOf<typeof calls.adminShow>>
  preview(id: string, scheme: 'light' | 'dark'): Promise<string>
}

type Newsletter = typeof newsletters.$inferSelect
/** A newsletter whose `updatedBy` is the editor's name, not an id. */
type NewsletterWithEditor = Omit<Newsletter, 'updatedBy'> & { updatedBy: string }
type Sample = {
  subject: string
  preheader: string
  markdown: string
  unsubscribeId: string
  why: 'subscriber' | 'buyer'
}

const maxTroubledShown = 100

export function missingForSending({ config, settings }: Pick<Context, 'config' | 'settings'>) {
  const { name, street, city, country } = settings.current.seller
  const missing: string[] = []
  if (!(name && street && city && country))
    missing.push('Your postal address, which every newsletter must have: fill in the seller under Settings.')
  // Outside production, newsletters go to the outbox like every email.
  if (!config.production && !config.mail.smtpUrl) return missing
  if (!config.mail.smtpUrl) missing.push('A mail server: set `SMTP_URL` in the environment and restart the shop.')
  if (settings.current.supportEmail.endsWith('@example.com'))
    missing.push('An address for answers: set your support address under Settings.')
  if (!config.publicUrlIsGiven)
    missing.push('A public address for its links: set `PUBLIC_URL` in the environment and restart the shop.')
  return missing
}

export function createViews(context: ViewDeps): NewsletterViews {
  const { db, mails } = context
  const columnsWithEditor = { ...getTableColumns(newsletters), updatedBy: users.name }

  /** Returns a function that looks up the counts of a newsletter. */
  async function readCounts(ids: string[]) {
    const rows = await db
      .select({
        id: recipients.newsletterId,
        state: recipients.state,
        count: sql<number>`count(*)::int`,
        unsubscribed: sql<number>`count(${recipients.leftAt})::int`,
      })
      .from(recipients)
      .where(inArray(recipients.newsletterId, ids))
      .groupBy(recipients.newsletterId, recipients.state)
    return (id: string) => {
      const ownRows = rows.filter((row) => row.id === id)
      const count = (...states: string[]) =>
        ownRows.filter(({ state }) => states.includes(state)).reduce((sum, row) => sum + row.count, 0)
      return {
        waiting: count('waiting', 'handed_over'),
        sent: count('sent'),
        refused: count('refused'),
        uncertain: count('uncertain'),
        unsubscribed: ownRows.reduce((sum, row) => sum + row.unsubscribed, 0),
      }
    }
  }

  async function find(id: string, tx: Database | Transaction = db) {
    const [found] = await tx
      .select(columnsWithEditor)
      .from(newsletters)
      .innerJoin(users, eq(users.id, newsletters.updatedBy))
      .where(eq(newsletters.id, id))
    if (!found) throw notFound('Newsletter')
    return found
  }

  const findTroubled = (id: string) =>
    db
      .select({ ...getTableColumns(recipients), email: sql<string>`${recipients.email}` })
      .from(recipients)
      .where(
        and(
          eq(recipients.newsletterId, id),
          inArray(recipients.state, ['refused', 'uncertain']),
          sql`${recipients.email} is not null`,
        ),
      )
      .orderBy(desc(recipients.state), recipients.email)
      .limit(maxTroubledShown)

  const sampleOf: NewsletterViews['sampleOf'] = ({ id, subject, preheader, markdown, toSubscribers }) => ({
    subject,
    preheader,
    markdown,
    unsubscribeId: id,
    why: toSubscribers ? 'subscriber' : 'buyer',
  })

  return {
    find,
    sampleOf,

    async list({ limit, cursor }) {
      const after = decodeCursor(cursor)
      const rows = await db
        .select(columnsWithEditor)
        .from(newsletters)
        .innerJoin(users, eq(users.id, newsletters.updatedBy))
        .where(after && sql`(${newsletters.createdAt}, ${newsletters.id}) < (${after.at}, ${after.id})`)
        .orderBy(desc(newsletters.createdAt), desc(newsletters.id))
        .limit(limit + 1)
      const { items, next } = pageOf(rows, limit, (row) => ({ at: row.createdAt, id: row.id }))
      const countsOf = await readCounts(items.map(({ id }) => id))
      return { items: items.map((row) => ({ ...row, counts: countsOf(row.id) })), next }
    },

    async show(id) {
      const newsletter = await find(id)
      const [countsOf, audience, unreachable, troubled] = await Promise.all([
        readCounts([id]),
        countAudience(db, newsletter),
        countUnreachable(db, newsletter),
        findTroubled(id),
      ])
      return {
        ...newsletter,
        counts: countsOf(id),
        // Composed without a recipient.
        text: mails.newsletter(id, '', sampleOf(newsletter)).text,
        audience,
        unreachable,
        missing: missingForSending(context),
        troubled,
      }
    },

    async preview(id, scheme) {
      return inScheme(mails.newsletter(id, '', sampleOf(await find(id))).html, scheme)
    },
  }
}
