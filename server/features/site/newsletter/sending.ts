import { and, eq, inArray, lt, lte, or, sql } from 'drizzle-orm'
import { stoppableStates } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { auditLog, newsletters, newsletterRecipients as recipients } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { storeRecipients } from './audience.ts'
import { createDelivery } from './delivery.ts'
import { type Drafts, isDraft } from './drafts.ts'
import { missingForSending } from './views.ts'

type SendingContext = Pick<
  Context,
  'audit' | 'bulkMail' | 'config' | 'crashPoint' | 'db' | 'log' | 'mails' | 'now' | 'queue' | 'settings'
>

export type Sending = {
  /** Starts due newsletters and sends the next part of each. */
  run(): Promise<void>
  /** Sends at once without `sendAt`. */
  send(actor: Actor, id: string, version: number, sendAt: Date | undefined): Promise<void>
  pause(actor: Actor, id: string): Promise<void>
  resume(actor: Actor, id: string): Promise<void>
  /** Stops a newsletter for good; a scheduled one becomes a draft again. */
  stop(actor: Actor, id: string): Promise<void>
}

type Newsletter = typeof newsletters.$inferSelect

/** A newsletter that is more than an hour late pauses, because the seller may not want it sent anymore. */
const maxDelayMs = 3_600_000
/** Duration of a run, well within the lease of the job. The schedule starts the next run. */
const runMs = 300_000

export function createSending(context: SendingContext, { refuseStale }: Pick<Drafts, 'refuseStale'>): Sending {
  const { db, now, audit, queue, log } = context
  const { sendSlice, setState } = createDelivery(context)

  async function start(tx: Transaction, newsletter: Newsletter) {
    if (!newsletter.startedAt) await storeRecipients(tx, newsletter)
    await setState(tx, newsletter.id, {
      state: 'sending',
      startedAt: newsletter.startedAt ?? now(),
      pausedBecause: null,
      lastError: null,
    })
  }

  async function findPauseReason(tx: Transaction, { state, scheduledFor, approvedAt }: Newsletter) {
    if (missingForSending(context).length > 0) return 'incomplete'
    // A restored backup does not know who got the newsletter after the backup was made.
    const isRestoredSinceApproval = sql`${auditLog.action} = 'backup.restore' and ${auditLog.at} > ${approvedAt}`
    if ((await tx.$count(auditLog, isRestoredSinceApproval)) > 0) return 'restored'
    const isTooLate = scheduledFor !== null && now().getTime() - scheduledFor.getTime() > maxDelayMs
    return state === 'scheduled' && isTooLate ? 'missed' : undefined
  }

  const isDue = () =>
    or(eq(newsletters.state, 'sending'), and(eq(newsletters.state, 'scheduled'), lte(newsletters.scheduledFor, now())))

  /** Undefined if the newsletter has to pause, or the seller stopped it while the run sent another one. */
  async function startIfDue(id: string): Promise<Newsletter | undefined> {
    return db.transaction(async (tx) => {
      const [newsletter] = await tx
        .select()
        .from(newsletters)
        .where(and(eq(newsletters.id, id), isDue()))
        .for('update')
      if (!newsletter) return undefined
      const reason = await findPauseReason(tx, newsletter)
      if (reason) {
        log.warn({ newsletter: id, reason }, 'newsletter paused')
        await setState(tx, id, { state: 'paused', pausedBecause: reason, lastError: null })
        return undefined
      }
      if (newsletter.state === 'scheduled') await start(tx, newsletter)
      return newsletter
    })
  }

  async function run() {
    const runEndsAt = Date.now() + runMs
    const dueNewsletters = await db
      .select({ id: newsletters.id })
      .from(newsletters)
      .where(isDue())
      .orderBy(newsletters.approvedAt)
    for (const [index, { id }] of dueNewsletters.entries()) {
      const newsletter = await startIfDue(id)
      const shareMs = (runEndsAt - Date.now()) / (dueNewsletters.length - index)
      if (newsletter) await sendSlice(newsletter, Date.now() + shareMs)
    }
  }

  /** Locks the newsletter and refuses if it is in another state than `allowedStates`. */
  async function changeState(
    actor: Actor,
    id: string,
    allowedStates: readonly Newsletter['state'][],
    action: 'newsletter.pause' | 'newsletter.resume' | 'newsletter.stop',
    change: (tx: Transaction, newsletter: Newsletter) => Promise<unknown>,
  ) {
    await db.transaction(async (tx) => {
      const [found] = await tx.select().from(newsletters).where(eq(newsletters.id, id)).for('update')
      if (!found || !allowedStates.includes(found.state))
        throw conflict('already-handled', 'This newsletter isn’t in that state anymore. Please reload the page.')
      await change(tx, found)
      await audit.record(tx, actor, { action, subject: id })
    })
  }

  function assertReadyToSend() {
    const [missing] = missingForSending(context)
    if (missing) throw new Refusal(409, 'not-ready-to-send', `Before sending, one thing is missing. ${missing}`)
  }

  return {
    run,

    async send(actor, id, version, sendAt) {
      assertReadyToSend()
      if (sendAt && sendAt <= now()) throw new Refusal(400, 'invalid-input', 'Please choose a time to come')
      await db.transaction(async (tx) => {
        const [approved] = await tx
          .update(newsletters)
          .set({ state: 'scheduled', scheduledFor: sendAt ?? null, approvedAt: now(), updatedBy: actor.user.id })
          .where(isDraft(id, version))
          .returning()
        if (!approved) return refuseStale(tx, id)
        if (!sendAt) await start(tx, approved)
        await audit.record(tx, actor, { action: 'newsletter.send', subject: id })
      })
      if (!sendAt) await queue.trigger('send-newsletters')
    },

    pause: (actor, id) =>
      changeState(actor, id, ['sending'], 'newsletter.pause', (tx) =>
        setState(tx, id, { state: 'paused', pausedBecause: 'asked' }),
      ),

    async resume(actor, id) {
      assertReadyToSend()
      await changeState(actor, id, ['paused'], 'newsletter.resume', async (tx, newsletter) => {
        await start(tx, newsletter)
        await setState(tx, id, { approvedAt: now() })
      })
      await queue.trigger('send-newsletters')
    },

    stop: (actor, id) =>
      changeState(actor, id, stoppableStates, 'newsletter.stop', (tx, { startedAt }) => {
        if (startedAt) return setState(tx, id, { state: 'stopped', finishedAt: now(), pausedBecause: null })
        return setState(tx, id, { state: 'draft', scheduledFor: null, approvedAt: null, pausedBecause: null })
      }),
  }
}

/** Deletes the recipients of old newsletters and keeps their text and counts. Stops those that have been paused for as long. */
export async function forgetOldRecipients({ db, now }: Pick<Context, 'db' | 'now'>, before: Date) {
  await db.transaction(async (tx) => {
    const stoppedNewsletters = await tx
      .update(newsletters)
      .set({ state: 'stopped', finishedAt: now() })
      .where(and(eq(newsletters.state, 'paused'), lt(newsletters.approvedAt, before)))
      .returning({ id: newsletters.id })
    const stoppedIds = stoppedNewsletters.map(({ id }) => id)
    const oldNewsletters = tx
      .select({ id: newsletters.id })
      .from(newsletters)
      .where(or(lte(newsletters.finishedAt, before), inArray(newsletters.id, stoppedIds)))
    await tx
      .update(recipients)
      .set({ email: null, unsubscribeId: null, reply: null })
      .where(and(inArray(recipients.newsletterId, oldNewsletters), sql`${recipients.email} is not null`))
  })
}
