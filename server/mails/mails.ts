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

type Ground = { db: Database; now: () => Date; queue: Queue; transport: MailTransport; site: MailSite }
type MailJob = { kind: MailKind; to: string; data: unknown }

/** Means the seller's own address, which may have changed by the time an email is sent. */
export const sellersAddress = 'the seller'

export type { MailSite } from './template.ts'

export type Mails = ReturnType<typeof createMails>

type Farewell = { to: string; tell: boolean; forget: boolean }

/** Emails are stored along with the change that causes them and sent by a job. */
export function createMails({ db, queue, transport, site, now }: Ground) {
  const sent = createSentMails({ db, now, site })

  /** A name is what someone typed: it greets only the proven owner of the address, or it'd be a stranger's message. */
  async function withoutStrangersName({ kind, to, data }: MailJob) {
    const isGreeting = to !== sellersAddress && kind !== 'declarationReceived'
    const { name } = data as { name?: string }
    if (!isGreeting || !name) return data
    const isReader = and(eq(users.email, to), isNotNull(users.verifiedAt))
    return (await db.$count(users, isReader)) > 0 ? data : { ...(data as object), name: '' }
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
    const { kind, to: given } = job
    const to = given === sellersAddress ? site.supportEmail : given
    const data = await withoutStrangersName(job)
    const mail = compose({ kind, to, data }, id)
    await transport.send({ ...mail, headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers } })
    // Strangers' messages, reasons and disputes: in no account's "my data", even if it has that address.
    if (given !== sellersAddress) await sent.record({ id, to, kind, data })
  }
  /** Sends the last email to an address. With `forget`, first deletes queued emails to it and waits for running ones. */
  const enqueueFarewell = queue.job<Farewell>('farewell', async ({ to, tell, forget }, job) => {
    while (forget && (await queue.forget(to, job.id)) > 0) await sleep(100)
    if (forget) await transport.forget(to)
    if (!tell) return
    await deliver({ kind: 'accountDeleted', to, data: {} }, job).catch((error: unknown) => {
      // An address that takes no email is none of our business anymore.
      if (!(error instanceof PermanentFailure)) throw error
    })
  })
  const enqueue = queue.job('mail', deliver, {
    workers: 4,
    describe: ({ kind, to }) => `${kind} to ${to === sellersAddress ? site.supportEmail : to}`,
  })

  return {
    sent,

    send: <Kind extends MailKind>(tx: Transaction | Database, to: string, kind: Kind, data: MailData<Kind>) =>
      enqueue(tx, { kind, to, data }),

    /** To someone whose account was just deleted. */
    sayFarewell: (tx: Transaction, to: string, { tell, forget }: Omit<Farewell, 'to'>) =>
      enqueueFarewell(tx, { to, tell, forget }, { deleteAfterSeconds: 60 }),

    /** Deletes sent emails when their jobs are deleted, too. */
    async forgetOld() {
      await transport.forgetBefore(retentionStart(now(), retention.jobs))
      await sent.forgetOld()
    },

    /** The same email once more, to the address the account has now. */
    async resend(tx: Transaction, id: string) {
      const { userId, kind, data, isResendable } = await sent.find(id)
      if (kind === 'newsletter') throw conflict('already-handled', 'A newsletter goes to each address once.')
      if (!isResendable) throw conflict('link-used-once', 'Its link can be used once. Send a new link instead.')
      const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId))
      if (!user) throw notFound('User')
      // A password link works once: a receipt is sent again without it.
      const { newAccount: _, ...lasting } = data as { newAccount?: unknown }
      await enqueue(tx, { kind: kind as MailKind, to: user.email, data: lasting })
      return { userId, kind, to: user.email }
    },

    /** Straight to the mail server: a test of the settings wants its answer, not a queue. */
    async test<Kind extends MailKind>({ user: { email: to } }: Actor, kind: Kind, data: MailData<Kind>) {
      await deliver({ kind, to, data }, { id: randomUUID() }).catch((error: unknown) => {
        const answer = error instanceof Error ? error.message : String(error)
        throw new Refusal(502, 'mail-refused', `The mail server refused it: ${answer}`)
      })
      return { to }
    },

    /** A newsletter as it goes to one address: no machine's answer to anything, so without `Auto-Submitted`. */
    newsletter: (id: string, to: string, data: MailData<'newsletter'>) => compose({ kind: 'newsletter', to, data }, id),

    /** Sends one email per occasion, also if a schedule runs again after a crash. Jobs are the memory. */
    sendOnce: <Kind extends MailKind>(
      occasion: string,
      to: string,
      kind: Kind,
      data: MailData<Kind>,
      tx: Transaction | Database = db,
    ) => enqueue(tx, { kind, to, data }, { id: idOf(occasion) }),
  }
}

/** The same occasion always gets the same id (a version 8 UUID made from a hash). */
function idOf(occasion: string) {
  const hash = createHash('sha256').update(occasion).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
