import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { brand } from '#contract/brand.ts'
import { keptSince, retention } from '#contract/retention.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { PermanentFailure } from '../../errors.ts'
import type { MailTransport } from '../../gateways/mail.ts'
import type { Queue } from '../../jobs/queue.ts'
import { renderHtml, renderText } from './layout.ts'
import type { MailSite, Template } from './template.ts'
import { type MailData, type MailKind, templates } from './templates.ts'

export type { MailData, MailKind }

type MailJob = { kind: MailKind; to: string; data: unknown }

export type Mails = ReturnType<typeof createMails>

/** Emails are stored along with the change that causes them and sent by a job. */
export function createMails({
  db,
  queue,
  transport,
  site,
  now,
}: {
  db: Database
  now: () => Date
  queue: Queue
  transport: MailTransport
  site: MailSite
}) {
  const deliver = async ({ kind, to, data }: MailJob, { id }: { id: string }) => {
    const render = templates[kind] as Template<unknown>
    const content = render(data, site)
    await transport.send({
      to,
      subject: content.subject,
      text: renderText(content, site),
      html: renderHtml(content, site),
      messageId: `<${id}@${new URL(site.publicUrl).hostname}>`,
      replyTo: content.replyTo ?? { name: brand.name, address: site.supportEmail },
      headers: { 'Auto-Submitted': 'auto-generated', ...content.headers },
    })
  }
  /** Whatever else was meant for this address goes first or not at all; afterward, nothing keeps the address. */
  const enqueueFarewell = queue.job<{ to: string; tell: boolean }>('farewell', async ({ to, tell }, job) => {
    while ((await queue.forget(to, job.id)) > 0) await sleep(100)
    await transport.forget(to)
    if (!tell) return
    await deliver({ kind: 'accountDeleted', to, data: {} }, job).catch((error: unknown) => {
      // An address that takes no email is none of our business anymore.
      if (!(error instanceof PermanentFailure)) throw error
    })
  })
  const enqueue = queue.job('mail', deliver, { workers: 4, describe: ({ kind, to }) => `${kind} to ${to}` })

  return {
    send: <Kind extends MailKind>(tx: Transaction | Database, to: string, kind: Kind, data: MailData<Kind>) =>
      enqueue(tx, { kind, to, data }),

    /** To someone whose account was just deleted. */
    forgetAddress: (tx: Transaction, to: string, { tell }: { tell: boolean }) =>
      enqueueFarewell(tx, { to, tell }, { deleteAfterSeconds: 60 }),

    /** As long as finished jobs are kept. */
    forgetOld: () => transport.forgetBefore(keptSince(now(), retention.jobs)),

    /** For schedules, which may rerun after a crash: one occasion, one email, for as long as jobs are kept. */
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
