import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { mailSuppressions, newsletters, newsletterRecipients as recipients } from '#server/database/schema.ts'
import { type Outcome, poolSize } from '#server/gateways/mail.ts'
import type { Queue } from '#server/jobs/queue.ts'
import { audienceOf } from './audience.ts'

type DeliveryContext = Pick<Context, 'bulkMail' | 'config' | 'crashPoint' | 'db' | 'mails' | 'now' | 'queue'>

/** Delivery of newsletters. Commits `handed_over` before sending and `sent` after; a crash in between never sends twice. */
export type Delivery = {
  sendSlice(newsletter: Newsletter, endsAt: number): Promise<void>
  setState(tx: Transaction | Database, id: string, changes: Partial<typeof newsletters.$inferInsert>): Promise<void>
}

type Newsletter = typeof newsletters.$inferSelect
type ClaimedRecipient = {
  id: string
  email: string
  why: 'subscriber' | 'buyer'
  unsubscribe_id: string
  tries: number
}

const failuresBeforePause = 10
/** Pause after a failure, multiplied by the failures in a row. */
const failurePauseMs = 400
/** Retries a deferred email after 5, 10, 20 minutes and so on; gives up after about 21 hours. */
const firstRetryMs = 300_000
const maxTries = 9
/** Slowest pace: a 32nd of `MAIL_RATE`. */
const maxSlowdown = 32

export function createDelivery(context: DeliveryContext): Delivery {
  const { db, now, mails, bulkMail, queue, crashPoint } = context
  const pace = createPace(context)

  const setState: Delivery['setState'] = async (tx, id, changes) => {
    await tx.update(newsletters).set(changes).where(eq(newsletters.id, id))
  }

  async function pauseAfterFailures(id: string, lastError: string) {
    await db
      .update(newsletters)
      .set({ state: 'paused', pausedBecause: 'connections', lastError })
      .where(and(eq(newsletters.id, id), eq(newsletters.state, 'sending')))
  }

  /** Marks the next recipient as handed over. Going on after the last email avoids reading the same rows again. */
  async function claimAfter(newsletter: Newsletter, lastEmail: string): Promise<ClaimedRecipient | undefined> {
    const { rows } = await db.execute<ClaimedRecipient>(
      sql`update ${recipients} set state = 'handed_over' where id = (
        select r.id from ${recipients} r join ${newsletters} n on n.id = r.newsletter_id and n.state = 'sending'
        where r.newsletter_id = ${newsletter.id} and r.state = 'waiting'
          and (r.retry_at is null or r.retry_at <= ${now()})
          and r.email > ${lastEmail} and exists (select from ${audienceOf(newsletter, sql`r.email`)} a)
        order by r.email limit 1 for update of r skip locked
      ) returning id, email, why, unsubscribe_id, tries`,
    )
    return rows[0]
  }

  async function recordOutcome({ id, email, tries }: ClaimedRecipient, outcome: Outcome) {
    const update = (values: Partial<typeof recipients.$inferInsert>) =>
      db.update(recipients).set(values).where(eq(recipients.id, id))
    const reply = 'reply' in outcome ? outcome.reply.slice(0, 500) : null
    switch (outcome.is) {
      case 'unreachable':
        return update({ state: 'waiting' })
      case 'later':
        if (tries + 1 >= maxTries) return update({ state: 'refused', doneAt: now(), reply })
        return update({
          state: 'waiting',
          tries: tries + 1,
          retryAt: new Date(now().getTime() + firstRetryMs * 2 ** tries),
          reply,
        })
      case 'refused':
        if (outcome.isAboutRecipient)
          await db
            .insert(mailSuppressions)
            .values({ email, because: 'refused', at: now(), reply })
            .onConflictDoNothing()
        return update({ state: 'refused', doneAt: now(), reply })
      default:
        return update({ state: outcome.is, doneAt: now(), reply })
    }
  }

  async function sendSlice(newsletter: Newsletter, endsAt: number) {
    const { id, subject, preheader, markdown } = newsletter
    let failures = 0
    let lastEmail = ''
    const claimNext = async () => {
      let recipient = await claimAfter(newsletter, lastEmail)
      // Earlier recipients may be due for a retry, so the search restarts from the first address.
      if (!recipient && lastEmail) recipient = await claimAfter(newsletter, '')
      lastEmail = recipient?.email ?? ''
      return recipient
    }

    // The job never runs twice at once, so rows still handed over were left behind by a crashed process.
    await db
      .update(recipients)
      .set({ state: 'uncertain', doneAt: now(), reply: 'The shop stopped before the mail server answered.' })
      .where(and(eq(recipients.newsletterId, id), eq(recipients.state, 'handed_over')))

    const sendUntilDone = async () => {
      while (queue.isRunning() && failures < failuresBeforePause && (await pace.waitForTurn(endsAt))) {
        const recipient = await claimNext()
        if (!recipient) return
        const data = { subject, preheader, markdown, unsubscribeId: recipient.unsubscribe_id, why: recipient.why }
        const outcome = await bulkMail.send(mails.newsletter(recipient.id, recipient.email, data))
        crashPoint('newsletter handed over')
        await recordOutcome(recipient, outcome)
        const isAddressRefused = outcome.is === 'refused' && outcome.isAboutRecipient

        if (outcome.is === 'sent') {
          failures = 0
          pace.speedUp()
          await mails.sent.record({ id: recipient.id, to: recipient.email, kind: 'newsletter', data })
        } else if (outcome.is === 'later') {
          pace.slowDown()
        } else if (!isAddressRefused) {
          failures += 1
          if (failures === failuresBeforePause) await pauseAfterFailures(id, outcome.reply.slice(0, 500))
          else await sleep(failurePauseMs * failures)
        }
      }
    }
    const loops = await Promise.allSettled(Array.from({ length: poolSize }, sendUntilDone))
    // Only now, because the next try of this job must not run beside a loop of this one.
    const failed = loops.find((loop) => loop.status === 'rejected')
    if (failed) throw failed.reason
    await finish(newsletter)
  }

  /** Marks the newsletter as sent if nobody waits. People who unsubscribed in the meantime are removed first. */
  async function finish(newsletter: Newsletter) {
    const { id } = newsletter
    await db.transaction(async (tx) => {
      const [current] = await tx
        .select({ state: newsletters.state })
        .from(newsletters)
        .where(eq(newsletters.id, id))
        .for('update')
      if (current?.state !== 'sending') return
      await tx.execute(
        sql`delete from ${recipients} r where r.newsletter_id = ${id} and r.state = 'waiting'
          and not exists (select from ${audienceOf(newsletter)} a where a.email = r.email)`,
      )
      const isUnfinished = and(eq(recipients.newsletterId, id), inArray(recipients.state, ['waiting', 'handed_over']))
      if ((await tx.$count(recipients, isUnfinished)) === 0)
        await setState(tx, id, { state: 'sent', finishedAt: now() })
    })
  }

  return { sendSlice, setState }
}

type PaceContext = { queue: Pick<Queue, 'depths' | 'isRunning'>; config: { mail: { rate: number } } }

export type Pace = {
  /** Lets other emails go first. False if the turn does not come before `endsAt`. */
  waitForTurn(endsAt: number): Promise<boolean>
  speedUp(): void
  slowDown(): void
}

/** Keeps to `MAIL_RATE`, slows down when the mail server defers emails, and lets other emails go first. */
export function createPace({ queue, config }: PaceContext): Pace {
  const intervalMs = 60_000 / config.mail.rate
  let nextSendAt = 0
  let slowdown = 1
  let latestCheck = { at: 0, hasOtherEmails: Promise.resolve(false) }

  const readQueue = async () => (await queue.depths()).some(({ name, state }) => name === 'mail' && state === 'created')

  /** True if a receipt or link is queued. Reads the queue at most every 250 ms; all connections share the result. */
  function hasOtherEmails(): Promise<boolean> {
    if (Date.now() - latestCheck.at >= 250) latestCheck = { at: Date.now(), hasOtherEmails: readQueue() }
    return latestCheck.hasOtherEmails
  }

  async function waitForOtherEmails(endsAt: number) {
    while (queue.isRunning() && Date.now() < endsAt && (await hasOtherEmails())) await sleep(300)
  }

  async function waitForInterval(endsAt: number) {
    const sendAt = Math.max(nextSendAt, Date.now())
    if (sendAt >= endsAt) return false
    nextSendAt = sendAt + intervalMs * slowdown
    if (sendAt > Date.now()) await sleep(sendAt - Date.now())
    return true
  }

  return {
    async waitForTurn(endsAt: number) {
      await waitForOtherEmails(endsAt)
      return waitForInterval(endsAt)
    },
    speedUp() {
      slowdown = Math.max(1, slowdown * 0.9)
    },
    slowDown() {
      slowdown = Math.min(maxSlowdown, slowdown * 2)
    },
  }
}
