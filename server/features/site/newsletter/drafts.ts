import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { newsletters } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import { type Audience, countAudience } from './audience.ts'
import { createReading, type Reading } from './reading.ts'

type DraftContext = Pick<Context, 'audit' | 'catalog' | 'config' | 'db' | 'mails' | 'now' | 'settings'>

export type Drafts = Reading & {
  refuseStale(id: string): Promise<never>
  audiences(): Promise<{ subscribers: number; buyers: { productId: string; count: number }[] }>
  create(actor: Actor, written: Written): Promise<{ id: string }>
  save(actor: Actor, id: string, version: number, written: Written): Promise<void>
  remove(actor: Actor, id: string): Promise<void>
  test(actor: Actor, id: string): Promise<{ to: string }>
}

const sittingMs = 600_000

type Newsletter = typeof newsletters.$inferSelect
type Written = Audience & Pick<Newsletter, 'subject' | 'preheader' | 'markdown'>

export function createDrafts(context: DraftContext): Drafts {
  const { db, now, audit, mails, catalog } = context
  const reading = createReading(context)
  const { find, sampleOf } = reading

  async function refuseStale(id: string): Promise<never> {
    const { state, updatedBy, updatedAt } = await find(id)
    if (state !== 'draft')
      throw conflict('already-handled', 'This newsletter has been sent or scheduled. It can’t be changed anymore.')
    const at = updatedAt.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
    throw conflict(
      'changed-meanwhile',
      `${updatedBy || 'Someone else'} saved this newsletter on ${at} UTC. Copy your text, then reload the page.`,
    )
  }

  return {
    ...reading,
    refuseStale,

    async audiences() {
      const [subscribers, ...buyers] = await Promise.all([
        countAudience(db, { toSubscribers: true, buyersOf: null }),
        ...catalog
          .products()
          .map(async ({ id: productId }) => ({
            productId,
            count: await countAudience(db, { toSubscribers: false, buyersOf: productId }),
          })),
      ])
      return { subscribers, buyers }
    },

    async create(actor, written) {
      return db.transaction(async (tx) => {
        const [created] = await tx
          .insert(newsletters)
          .values({ ...written, createdAt: now(), updatedAt: now(), updatedBy: actor.user.id })
          .returning({ id: newsletters.id })
        if (!created) throw new Error('Nothing was written')
        await audit.record(tx, actor, { action: 'newsletter.save', subject: created.id })
        return created
      })
    },

    async save(actor, id, version, written) {
      await db.transaction(async (tx) => {
        const [before] = await tx.select().from(newsletters).where(isDraft(id, version)).for('update')
        if (!before) return refuseStale(id)
        await tx
          .update(newsletters)
          .set({ ...written, version: version + 1, updatedAt: now(), updatedBy: actor.user.id })
          .where(eq(newsletters.id, id))
        // Autosave would flood the audit log, so an entry covers a while.
        const isSameSitting =
          before.updatedBy === actor.user.id && now().getTime() - before.updatedAt.getTime() < sittingMs
        if (!isSameSitting) await audit.record(tx, actor, { action: 'newsletter.save', subject: id })
        return undefined
      })
    },

    async remove(actor, id) {
      await db.transaction(async (tx) => {
        const removed = await tx.delete(newsletters).where(and(eq(newsletters.id, id), eq(newsletters.state, 'draft')))
        if (removed.rowCount === 0) await refuseStale(id)
        await audit.record(tx, actor, { action: 'newsletter.delete', subject: id })
      })
    },

    async test(actor, id) {
      const { subject, ...sample } = sampleOf(await find(id))
      return mails.test(actor, 'newsletter', { ...sample, subject: `[Test] ${subject}` })
    },
  }
}

export const isDraft = (id: string, version: number) =>
  and(eq(newsletters.id, id), eq(newsletters.state, 'draft'), eq(newsletters.version, version))
