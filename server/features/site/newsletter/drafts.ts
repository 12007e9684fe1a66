import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { newsletters } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import { type Audience, countAudience } from './audience.ts'
import { createViews, type NewsletterViews } from './views.ts'

type DraftContext = Pick<Context, 'audit' | 'catalog' | 'config' | 'db' | 'mails' | 'now' | 'settings'>

export type Drafts = NewsletterViews & {
  /** Throws the reason why a draft can't be changed: sent, scheduled, or saved by someone else. */
  refuseStale(tx: Transaction, id: string): Promise<never>
  audiences(): Promise<{ subscribers: number; buyers: { productId: string; count: number }[] }>
  create(actor: Actor, draft: DraftInput): Promise<{ id: string }>
  save(actor: Actor, id: string, version: number, draft: DraftInput): Promise<void>
  remove(actor: Actor, id: string): Promise<void>
  sendTest(actor: Actor, id: string): Promise<{ to: string }>
}

/** Autosave would flood the audit log, so a person's next save within ten minutes gets no entry. */
const auditPauseMs = 600_000

type Newsletter = typeof newsletters.$inferSelect
type DraftInput = Audience & Pick<Newsletter, 'subject' | 'preheader' | 'markdown'>

export function createDrafts(context: DraftContext): Drafts {
  const { db, now, audit, mails, catalog } = context
  const views = createViews(context)
  const { find, sampleOf } = views

  async function refuseStale(tx: Transaction, id: string): Promise<never> {
    const { state, updatedBy, updatedAt } = await find(id, tx)
    if (state !== 'draft')
      throw conflict('already-handled', 'This newsletter has been sent or scheduled. It can’t be changed anymore.')
    const time = updatedAt.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
    throw conflict(
      'changed-meanwhile',
      `${updatedBy || 'Someone else'} saved this newsletter on ${time} UTC. Copy your text, then reload the page.`,
    )
  }

  return {
    ...views,
    refuseStale,

    async audiences() {
      const buyerCounts = catalog
        .products()
        .map(async ({ id: productId }) => ({
          productId,
          count: await countAudience(db, { toSubscribers: false, buyersOf: productId }),
        }))
      const [subscribers, buyers] = await Promise.all([
        countAudience(db, { toSubscribers: true, buyersOf: null }),
        Promise.all(buyerCounts),
      ])
      return { subscribers, buyers }
    },

    async create(actor, draft) {
      return db.transaction(async (tx) => {
        const [created] = await tx
          .insert(newsletters)
          .values({ ...draft, createdAt: now(), updatedAt: now(), updatedBy: actor.user.id })
          .returning({ id: newsletters.id })
        if (!created) throw new Error('Nothing was written')
        await audit.record(tx, actor, { action: 'newsletter.save', subject: created.id })
        return created
      })
    },

    async save(actor, id, version, draft) {
      await db.transaction(async (tx) => {
        const [stored] = await tx.select().from(newsletters).where(isDraft(id, version)).for('update')
        if (!stored) return refuseStale(tx, id)
        await tx
          .update(newsletters)
          .set({ ...draft, version: version + 1, updatedAt: now(), updatedBy: actor.user.id })
          .where(eq(newsletters.id, id))
        const isRecent = now().getTime() - stored.updatedAt.getTime() < auditPauseMs
        const isRepeatedSave = isRecent && stored.updatedBy === actor.user.id
        if (!isRepeatedSave) await audit.record(tx, actor, { action: 'newsletter.save', subject: id })
        return undefined
      })
    },

    async remove(actor, id) {
      await db.transaction(async (tx) => {
        const removed = await tx.delete(newsletters).where(and(eq(newsletters.id, id), eq(newsletters.state, 'draft')))
        if (removed.rowCount === 0) await refuseStale(tx, id)
        await audit.record(tx, actor, { action: 'newsletter.delete', subject: id })
      })
    },

    async sendTest(actor, id) {
      const { subject, ...sample } = sampleOf(await find(id))
      return mails.test(actor, 'newsletter', { ...sample, subject: `[Test] ${subject}` })
    },
  }
}

export const isDraft = (id: string, version: number) =>
  and(eq(newsletters.id, id), eq(newsletters.state, 'draft'), eq(newsletters.version, version))
