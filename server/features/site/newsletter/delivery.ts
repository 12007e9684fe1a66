import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { PauseReason } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { mailSuppressions, newsletters, newsletterRecipients as recipients } from '#server/database/schema.ts'
import { type Outcome, poolSize } from '#server/gateways/mail.ts'
import { audienceOf } from './audience.ts'

type DeliveryContext = Pick<Context, 'bulkMail' | 'config' | 'crashPoint' | 'db' | 'mails' | 'now' | 'queue'>

/** Delivery of newsletters. Commits `handed_over` before sending and `sent` after; a crash in between never sends twice. */
export type Delivery = {
  sendSlice(newsletter: Newsletter): Promise<void>
  setState(tx: Transaction | Database, id: string, set: Partial<typeof newsletters.$inferInsert>): Promise<void>
  pause(id: string, because: PauseReason, lastError?: string | null): Promise<void>
}

type Newsletter = typeof newsletters.$inferSelect
type Claimed = { id: string; email: string; why: 'subscriber' | 'buyer'; unsubscribe_id: string; tries: number }

/** Duration of a run, well within the lease of the job; the schedule starts the next one. */
const sliceMs = 300_000
const maxFailures = 10
/** Retries a deferred email after 5, 10, 20 minutes and so on; gives up after about 21 hours. */
const retryMs = 300_000
const maxTries = 9
const longestSlowdown = 32

export function createDelivery(context: DeliveryContext): Delivery {
  const { db, now, mails, bulkMail, queue, crashPoint } = context
  const pace = createPace(context)

  const setState: Delivery['setState'] = async (tx, id, set) => {
    await tx.update(newsletters).set(set).where(eq(newsletters.id, id))
  }

  const pause = (id: string, because: PauseReason, lastError: string | null = null) =>
    setState(db, id, { state: 'paused', pausedBecause: because, lastError })

  /** Marks the next recipient as handed over, in order of email, so that no row is read twice. */
  async function claim(newsletter: Newsletter, after: string): Promise<Claimed | undefined> {
    const { rows } = await db.execute<Claimed>(
      sql`update ${recipients} set state = 'handed_over' where id = (
        select r.id from ${recipients} r join ${newsletters} n on n.id = r.newsletter_id and n.state = 'sending'
        where r.newsletter_id = ${newsletter.id} and r.state = 'waiting'
          and (r.retry_at is null or r.retry_at <= ${now()})
          and r.email > ${after} and exists (select from ${audienceOf(newsletter, sql`r.email`)} a)
        order by r.email limit 1 for update of r skip locked
      ) returning id, email, why, unsubscribe_id, tries`,
    )
    return rows[0]
  }

  async function settle({ id, email, tries }: Claimed, outcome: Outcome) {
    const set = (values: Partial<typeof recipients.$inferInsert>) =>
      db.update(recipients).set(values).where(eq(recipients.id, id))
    const reply = 'reply' in outcome ? outcome.reply.slice(0, 500) : null
    switch (outcome.is) {
      case 'unreachable':
        return set({ state: 'waiting' })
      case 'later':
        return tries + 1 < maxTries
          ? set({
              state: 'waiting',
              tries: tries + 1,
              retryAt: new Date(now().getTime() + retryMs * 2 ** tries),
              reply,
            })
          : set({ state: 'refused', doneAt: now(), reply })
      case 'refused':
        if (outcome.isAddress)
          await db
            .insert(mailSuppressions)
            .values({ email, because: 'refused', at: now(), reply })
            .onConflictDoNothing()
        return set({ state: 'refused', doneAt: now(), reply })
      default:
        return set({ state: outcome.is, doneAt: now(), reply })
    }
  }

  async function sendSlice(newsletter: Newsletter) {
    const { id, subject, preheader, markdown } = newsletter
    const until = Date.now() + sliceMs
    let failures = 0
    let last = ''
    const claimNext = async () => {
      let claimed = await claim(newsletter, last)
      // Recipients may be waiting again meanwhile, so the search restarts from the first address.
      if (!claimed && last) claimed = await claim(newsletter, '')
      last = claimed?.email ?? ''
      return claimed
    }
    /** Marks rows that a crashed process left behind; the job never runs twice at once. */
    await db
      .update(recipients)
      .set({ state: 'uncertain', doneAt: now(), reply: 'The shop stopped before the mail server answered.' })
      .where(and(eq(recipients.newsletterId, id), eq(recipients.state, 'handed_over')))

    const work = async () => {
      while (queue.isRunning() && Date.now() < until && failures < maxFailures) {
        await pace.turn()
        const recipient = await claimNext()
        if (!recipient) return
        const data = { subject, preheader, markdown, unsubscribeId: recipient.unsubscribe_id, why: recipient.why }
        const outcome = await bulkMail.send(mails.newsletter(recipient.id, recipient.email, data))
        crashPoint('newsletter handed over')
        await settle(recipient, outcome)
        if (outcome.is === 'sent') {
          failures = 0
          pace.faster()
          await mails.sent.record({ id: recipient.id, to: recipient.email, kind: 'newsletter', data })
        } else if (outcome.is === 'later') pace.slower()
        else if (!(outcome.is === 'refused' && outcome.isAddress)) {
          failures += 1
          if (failures === maxFailures) await pause(id, 'connections', outcome.reply.slice(0, 500))
          else await sleep(400 * failures)
        }
      }
    }
    await Promise.all(Array.from({ length: poolSize }, work))
    await finish(newsletter)
  }

  /** Finishes when no recipient is left; unsubscribed ones no longer count. */
  async function finish(newsletter: Newsletter) {
    const { id } = newsletter
    await db.transaction(async (tx) => {
      const [still] = await tx
        .select({ state: newsletters.state })
        .from(newsletters)
        .where(eq(newsletters.id, id))
        .for('update')
      if (still?.state !== 'sending') return
      await tx.execute(
        sql`delete from ${recipients} r where r.newsletter_id = ${id} and r.state = 'waiting'
          and not exists (select from ${audienceOf(newsletter)} a where a.email = r.email)`,
      )
      const open = and(eq(recipients.newsletterId, id), inArray(recipients.state, ['waiting', 'handed_over']))
      if ((await tx.$count(recipients, open)) === 0) await setState(tx, id, { state: 'sent', finishedAt: now() })
    })
  }

  return { sendSlice, setState, pause }
}

/** Pace: MAIL_RATE, slower while the server asks for it, and receipts go first. */
function createPace({ queue, config }: Pick<Context, 'queue' | 'config'>) {
  const interval = 60_000 / config.mail.rate
  let nextTurn = 0
  let slowdown = 1
  let lookedAt = 0

  /** Pauses while receipts or links are waiting. */
  async function letOthersPass() {
    for (;;) {
      if (Date.now() - lookedAt < 250) return
      lookedAt = Date.now()
      const waiting = (await queue.depths()).some(({ name, state }) => name === 'mail' && state === 'created')
      if (!waiting || !queue.isRunning()) return
      await sleep(300)
    }
  }

  async function waitForTurn() {
    const turn = Math.max(nextTurn, Date.now())
    nextTurn = turn + interval * slowdown
    if (turn > Date.now()) await sleep(turn - Date.now())
  }

  return {
    async turn() {
      await letOthersPass()
      await waitForTurn()
    },
    faster() {
      slowdown = Math.max(1, slowdown * 0.9)
    },
    slower() {
      slowdown = Math.min(longestSlowdown, slowdown * 2)
    },
  }
}
