import { and, eq, inArray, lt, lte, sql } from 'drizzle-orm'
import { type PauseReason, stoppableStates } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { auditLog, newsletters, newsletterRecipients as recipients } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { writeDown } from './audience.ts'
import { createDelivery } from './delivery.ts'
import { type Drafts, isDraft } from './drafts.ts'
import { missingFor } from './reading.ts'

type SendingContext = Pick<
  Context,
  'audit' | 'bulkMail' | 'config' | 'crashPoint' | 'db' | 'log' | 'mails' | 'now' | 'queue' | 'settings'
>

export type Sending = {
  run(): Promise<void>
  send(actor: Actor, id: string, version: number, at: Date | undefined): Promise<void>
  pause(actor: Actor, id: string): Promise<void>
  resume(actor: Actor, id: string): Promise<void>
  /** Stops a newsletter for good; a scheduled one becomes a draft again. */
  stop(actor: Actor, id: string): Promise<void>
}

type Newsletter = typeof newsletters.$inferSelect

/** Limit of delay: after an hour, the seller may no longer want it sent. */
const latestMs = 3_600_000

export function createSending(context: SendingContext, { refuseStale }: Pick<Drafts, 'refuseStale'>): Sending {
  const { db, now, audit, queue, log } = context
  const { sendSlice, setState, pause } = createDelivery(context)

  async function start(tx: Transaction, newsletter: Newsletter) {
    if (!newsletter.startedAt) await writeDown(tx, newsletter)
    await setState(tx, newsletter.id, {
      state: 'sending',
      startedAt: newsletter.startedAt ?? now(),
      pausedBecause: null,
      lastError: null,
    })
  }

  /** Reason to pause instead of sending a scheduled newsletter. */
  async function objection({ state, scheduledFor, approvedAt }: Newsletter): Promise<PauseReason | undefined> {
    if (missingFor(context).length > 0) return 'incomplete'
    // A restored backup does not know what was sent after it.
    const since = sql`${auditLog.action} = 'backup.restore' and ${auditLog.at} > ${approvedAt}`
    if ((await db.$count(auditLog, since)) > 0) return 'restored'
    if (state === 'scheduled' && scheduledFor && now().getTime() - scheduledFor.getTime() > latestMs) return 'missed'
    return undefined
  }

  async function run() {
    const due = await db
      .select()
      .from(newsletters)
      .where(
        sql`${newsletters.state} = 'sending' or (${newsletters.state} = 'scheduled' and ${newsletters.scheduledFor} <= ${now()})`,
      )
      .orderBy(newsletters.approvedAt)
    for (const newsletter of due) {
      const reason = await objection(newsletter)
      if (reason) {
        log.warn({ newsletter: newsletter.id, reason }, 'newsletter paused')
        await pause(newsletter.id, reason)
        continue
      }
      if (newsletter.state === 'scheduled') await db.transaction((tx) => start(tx, newsletter))
      await sendSlice(newsletter)
    }
  }

  async function change(
    actor: Actor,
    id: string,
    from: readonly Newsletter['state'][],
    action: 'newsletter.pause' | 'newsletter.resume' | 'newsletter.stop',
    to: (tx: Transaction, newsletter: Newsletter) => Promise<unknown>,
  ) {
    await db.transaction(async (tx) => {
      const [found] = await tx.select().from(newsletters).where(eq(newsletters.id, id)).for('update')
      if (!found || !from.includes(found.state))
        throw conflict('already-handled', 'This newsletter isn’t in that state anymore. Please reload the page.')
      await to(tx, found)
      await audit.record(tx, actor, { action, subject: id })
    })
  }

  function refuseIncomplete() {
    const [first] = missingFor(context)
    if (first) throw new Refusal(409, 'not-ready-to-send', `Before sending, one thing is missing. ${first}`)
  }

  return {
    run,

    async send(actor, id, version, at) {
      refuseIncomplete()
      if (at && at <= now()) throw new Refusal(400, 'invalid-input', 'Please choose a time to come')
      await db.transaction(async (tx) => {
        const [approved] = await tx
          .update(newsletters)
          .set({ state: 'scheduled', scheduledFor: at ?? null, approvedAt: now(), updatedBy: actor.user.id })
          .where(isDraft(id, version))
          .returning()
        if (!approved) return refuseStale(id)
        if (!at) await start(tx, approved)
        await audit.record(tx, actor, { action: 'newsletter.send', subject: id })
      })
      if (!at) await queue.trigger('send-newsletters')
    },

    pause: (actor, id) =>
      change(actor, id, ['sending'], 'newsletter.pause', (tx) =>
        setState(tx, id, { state: 'paused', pausedBecause: 'asked' }),
      ),

    async resume(actor, id) {
      refuseIncomplete()
      await change(actor, id, ['paused'], 'newsletter.resume', async (tx, newsletter) => {
        await start(tx, newsletter)
        await setState(tx, id, { approvedAt: now() })
      })
      await queue.trigger('send-newsletters')
    },

    stop: (actor, id) =>
      change(actor, id, stoppableStates, 'newsletter.stop', (tx, { startedAt }) =>
        setState(
          tx,
          id,
          startedAt
            ? { state: 'stopped', finishedAt: now(), pausedBecause: null }
            : { state: 'draft', scheduledFor: null, approvedAt: null, pausedBecause: null },
        ),
      ),
  }
}

/** Keeps text and counts of an old newsletter and deletes its recipients, also if it was never resumed. */
export async function forgetOldRecipients({ db, now }: Pick<Context, 'db' | 'now'>, before: Date) {
  await db
    .update(newsletters)
    .set({ state: 'stopped', finishedAt: now() })
    .where(and(eq(newsletters.state, 'paused'), lt(newsletters.approvedAt, before)))
  const over = db.select({ id: newsletters.id }).from(newsletters).where(lte(newsletters.finishedAt, before))
  await db
    .update(recipients)
    .set({ email: null, unsubscribeId: null, reply: null })
    .where(and(inArray(recipients.newsletterId, over), sql`${recipients.email} is not null`))
}
