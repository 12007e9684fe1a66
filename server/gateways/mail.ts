import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { PermanentFailure } from '../errors.ts'
import { removeBefore, removeMentioning } from './outbox.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  /** Equal in every attempt, so that an email sent twice shows up once. */
  messageId: string
  replyTo: { name: string; address: string }
  headers?: Record<string, string>
}

export type MailTransport = {
  send(mail: Mail): Promise<void>
  verify(): Promise<unknown>
  /** Removes emails that mention this address from the outbox folder. */
  forget(address: string): Promise<void>
  forgetBefore(time: Date): Promise<void>
  close(): void
}

type Options = {
  smtpUrl: string | undefined
  requireTls: boolean
  /** Asked for each email, because the seller may change the address while the shop runs. */
  from: () => string
  outbox: string
}

export const createMailTransport = ({ smtpUrl, requireTls, from, outbox }: Options): MailTransport =>
  smtpUrl ? createSmtp(smtpUrl, requireTls, from) : createOutbox(outbox, from)

/** Prevents header injection: removes line breaks from typed text and passes addresses as objects. */
const safeMessage = ({ to, subject, replyTo, ...mail }: Mail) => ({
  ...mail,
  to: { name: '', address: to },
  subject: oneLine(subject),
  replyTo: { name: oneLine(replyTo.name), address: replyTo.address },
  disableFileAccess: true,
  disableUrlAccess: true,
})
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')

const smtpOptions = (url: string, requireTLS: boolean) => ({
  // Options in the URL (?requireTLS=false) take precedence.
  requireTLS,
  url,
  pool: true as const,
  // The job queue retries; with a second queue inside nodemailer, the result of an attempt would be unclear.
  maxRequeues: 0,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
})

function createSmtp(url: string, requireTLS: boolean, from: () => string): MailTransport {
  const smtp = createTransport(smtpOptions(url, requireTLS))
  return {
    async send(mail) {
      try {
        await smtp.sendMail({ from: from(), ...safeMessage(mail) })
      } catch (error) {
        // Retries after a refused login or sender, because the seller can correct the settings.
        const { is } = outcomeOf(error as SmtpError, false)
        throw is === 'refused' ? new PermanentFailure((error as Error).message, { cause: error }) : error
      }
    },
    verify: () => smtp.verify(),
    forget: async () => undefined,
    forgetBefore: async () => undefined,
    close: () => smtp.close(),
  }
}

function createOutbox(folder: string, from: () => string): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true })
  return {
    async send(mail) {
      const { message } = await composer.sendMail({ from: from(), ...safeMessage(mail) })
      // Emails hold links to set a password, so only the shop's system user may read them.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${mail.messageId.replaceAll(/[^\w.-]/g, '')}.eml`
      // Written to a temporary name and renamed: a reader never sees half an email, and a retry replaces the first.
      await writeFile(join(folder, `.${name}`), message as Buffer, { mode: 0o600 })
      await rename(join(folder, `.${name}`), join(folder, name))
    },
    verify: async () => undefined,
    forget: (address) => removeMentioning(folder, address),
    forgetBefore: (time) => removeBefore(folder, time),
    close: () => composer.close(),
  }
}

export type Outcome =
  | { is: 'sent' }
  /** Refused for good; `isAboutRecipient` if the reason is the recipient and not the email. */
  | { is: 'refused'; reply: string; isAboutRecipient: boolean }
  | { is: 'later'; reply: string }
  /** The email was not handed over: no connection, no login, no right to send. */
  | { is: 'unreachable'; reply: string }
  /** The email was handed over, but the server did not reply. */
  | { is: 'uncertain'; reply: string }

export type BulkMail = ReturnType<typeof createBulkMail>

/** Each connection sends one email at a time. */
export const poolSize = 4

/** Separate SMTP connections for newsletters, so that receipts never wait behind them. */
export function createBulkMail({ smtpUrl, requireTls, from, outbox: folder }: Options) {
  const outbox = createOutbox(folder, from)
  const smtp = createTransport({ ...smtpOptions(smtpUrl ?? '', requireTls), maxConnections: poolSize })
  // Notes when the last byte of the message has been sent to the server.
  smtp.use('stream', (mail, done) => {
    mail.message.transform(() => {
      const passThrough = new PassThrough()
      passThrough.on('end', () => {
        ;(mail.data as TrackedMessage).progress.isHandedOver = true
      })
      return passThrough
    })
    done()
  })

  return {
    async send(mail: Mail): Promise<Outcome> {
      if (!smtpUrl) {
        await outbox.send(mail)
        return { is: 'sent' }
      }
      const message: TrackedMessage = { from: from(), ...safeMessage(mail), progress: { isHandedOver: false } }
      try {
        await smtp.sendMail(message)
        return { is: 'sent' }
      } catch (error) {
        return outcomeOf(error as SmtpError, message.progress.isHandedOver)
      }
    },

    close() {
      outbox.close()
      smtp.close()
    },
  }
}

/** `progress` is an object of its own, because nodemailer copies the fields of a message. */
type TrackedMessage = SendMailOptions & { progress: { isHandedOver: boolean } }
type SmtpError = Error & { responseCode?: number; command?: string }

function outcomeOf({ message: reply, responseCode = 0, command = '' }: SmtpError, isHandedOver: boolean): Outcome {
  const isAboutRecipient = command === 'RCPT TO'
  const isAboutSender = command === 'MAIL FROM'
  const isAboutMessage = isAboutRecipient || command === 'DATA'
  const isPermanent = responseCode >= 500
  const isTemporary = responseCode >= 400 && responseCode < 500
  // A sender that is refused for good is a fault of the settings and not of the email: 'unreachable'.
  if (isPermanent && isAboutMessage) return { is: 'refused', reply, isAboutRecipient }
  if (isTemporary && (isAboutMessage || isAboutSender)) return { is: 'later', reply }
  return { is: isHandedOver ? 'uncertain' : 'unreachable', reply }
}
