import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, isNotNull } from 'drizzle-orm'
import { brand } from '#contract/brand.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Actor } from '../actor.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { users } from '../database/schema.ts'
import { conflict, notFound, PermanentFailure, Refusal } from '../errors.ts'
import type { Mail, MailTransport } from '../gateways/mail.ts'
import type { Queue } from '../jobs/queue.ts'
import { renderHtml, renderText } from './layout.ts'
import { createSentMails } from './sent-mails.ts'
import type { MailSite, Template } from './template.ts'
import { type MailData, type MailKind, templates } from './templates.ts'

export type { MailData, MailKind }

type MailsDeps = { db: Database; now: () => Date; queue: Queue; transport: MailTransport; site: MailSite }
type MailJob = { kind: MailKind; to: string; data: unknown }

/** Stands for the seller's address, which is looked up when the email is sent. */
export const sellersAddress = 'the seller'

export type { MailSite } from './template.ts'

export type Mails = ReturnType<typeof createMails>

type Farewell = { to: string; sendsEmail: boolean; deletesSentMails: boolean }

export function createMails({ db, queue, transport, site, now }: MailsDeps) {
  const sent = createSentMails({ db, now, site })

  /** Removes the typed name unless the address's proven owner reads it: a name could carry a stranger's message. */
  async function withoutStrangersName({ kind, to, data }: MailJob) {
    const hasGreeting = to !== sellersAddress && kind !== 'declarationReceived'
    const { name } = data as { name?: string }
    if (!hasGreeting || !name) return data
    const isProvenOwner = and(eq(users.email, to), isNotNull(users.verifiedAt))
    const hasProvenOwner = (await db.$count(users, isProvenOwner)) > 0
    return hasProvenOwner ? data : { ...(data as object), name: '' }
  }

  function compose({ kind, to, data }: MailJob, id: string): Mail {
    const content = (templates[kind] as Template<unknown>)(data, site)
    return {
      to,
      subject: content.subject,
      text: renderText(content, site),
      html: renderHtml(content, site),
      messageId: `<${id}@${new URL(site.publicUrl).hostname}>`,
      replyTo: content.replyTo ?? { name: brand.name, address: site.supportEmail },
      headers: content.headers ?? {},
    }
  }

  const deliver = async (job: MailJob, { id }: { id: string }) => {
    const { kind } = job
    const isToSeller = job.to === sellersAddress
    const to = isToSeller ? site.supportEmail : job.to
    const data = await withoutStrangersName(job)
    const mail = compose({ kind, to, data }, id)
    await transport.send({ ...mail, headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers } })
    // Emails to the seller contain other people's data, so "my data" of an account with this address must not list them.
    if (!isToSeller) await sent.record({ id, to, kind, data })
  }

  /** `deletesSentMails` also deletes queued emails to the address and waits for running ones. */
  const enqueueFarewell = queue.defineJob<Farewell>('farewell', async ({ to, sendsEmail, deletesSentMails }, job) => {
    while (deletesSentMails && (await queue.forget(to, job.id)) > 0) await sleep(100)
    if (deletesSentMails) await transport.forget(to)
    if (!sendsEmail) return
    await deliver({ kind: 'accountDeleted', to, data: {} }, job).catch((error: unknown) => {
      // The account is deleted, so a refused address needs no further attempt.
      if (!(error instanceof PermanentFailure)) throw error
    })
  })

  const enqueue = queue.defineJob('mail', deliver, {
    workers: 4,
    describe: ({ kind, to }) => `${kind} to ${to === sellersAddress ? site.supportEmail : to}`,
  })

  return {
    sent,

    send: <Kind extends MailKind>(tx: Transaction | Database, to: string, kind: Kind, data: MailData<Kind>) =>
      enqueue(tx, { kind, to, data }),

    sendFarewell: (tx: Transaction, to: string, options: Omit<Farewell, 'to'>) =>
      enqueueFarewell(tx, { to, ...options }, { deleteAfterSeconds: 60 }),

    async forgetOld() {
      await transport.forgetBefore(retentionStart(now(), retention.jobs))
      await sent.forgetOld()
    },

    /** Sends to the account's present address. */
    async resend(tx: Transaction, id: string) {
      const { userId, kind, data, isResendable } = await sent.find(id, tx)
      if (kind === 'newsletter') throw conflict('already-handled', 'A newsletter goes to each address once.')
      if (!isResendable) throw conflict('link-used-once', 'Its link can be used once. Send a new link instead.')
      const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId))
      if (!user) throw notFound('User')
      // A password link works only once, so a receipt is sent again without it.
      const { newAccount: _, ...lastingData } = data as { newAccount?: unknown }
      await enqueue(tx, { kind: kind as MailKind, to: user.email, data: lastingData })
      return { userId, kind, to: user.email }
    },

    /** Skips the queue, so that the caller sees the mail server's answer. */
    async test<Kind extends MailKind>({ user: { email: to } }: Actor, kind: Kind, data: MailData<Kind>) {
      await deliver({ kind, to, data }, { id: randomUUID() }).catch((error: unknown) => {
        const answer = error instanceof Error ? error.message : String(error)
        throw new Refusal(502, 'mail-refused', `The mail server refused it: ${answer}`)
      })
      return { to }
    },

    /** Without `Auto-Submitted`, which marks automatic answers. */
    newsletter: (id: string, to: string, data: MailData<'newsletter'>) => compose({ kind: 'newsletter', to, data }, id),

    /** The job's id is made from the occasion, so a schedule that runs again after a crash sends nothing twice. */
    sendOnce: <Kind extends MailKind>(
      occasion: string,
      to: string,
      kind: Kind,
      data: MailData<Kind>,
      tx: Transaction | Database = db,
    ) => enqueue(tx, { kind, to, data }, { id: uuidOf(occasion) }),
  }
}

/** A UUID of version 8, made from a hash. */
function uuidOf(occasion: string) {
  const hash = createHash('sha256').update(occasion).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
