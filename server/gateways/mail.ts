import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import nodemailer from 'nodemailer'

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  /** The same for every try, so that a mail sent twice is seen as one. */
  messageId: string
  replyTo?: { name: string; address: string }
  headers?: Record<string, string>
}

/** The way out for mails: an SMTP server, or a folder where each mail is one .eml file. */
export type MailTransport = { send(mail: Mail): Promise<void>; close(): void }

export function createMailTransport({
  smtpUrl,
  from,
  outbox,
}: {
  smtpUrl: string | undefined
  from: string
  outbox: string
}): MailTransport {
  if (smtpUrl) {
    const smtp = nodemailer.createTransport({
      url: smtpUrl,
      pool: true,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
    })
    return {
      send: async (mail) => {
        await smtp.sendMail({ from, ...mail })
      },
      close: () => smtp.close(),
    }
  }
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true })
  return {
    async send(mail) {
      const { message } = await composer.sendMail({ from, ...mail })
      await mkdir(outbox, { recursive: true })
      const name = `${mail.messageId.replaceAll(/[^\w.-]/g, '')}.eml`
      // Written beside and renamed: a reader never sees half a mail, and a second try replaces the first.
      await writeFile(join(outbox, `.${name}`), message as Buffer)
      await rename(join(outbox, `.${name}`), join(outbox, name))
    },
    close: () => composer.close(),
  }
}
