import { PassThrough } from 'node:stream'
import nodemailer, { type SendMailOptions } from 'nodemailer'
import { type Mail, safe, smtpOptions } from './mail.ts'

/** What became of one email: only a clear answer of the server counts as one. */
export type Outcome =
  | { is: 'sent' }
  /** For good. `isAddress` if it is about the recipient and not about the email. */
  | { is: 'refused'; reply: string; isAddress: boolean }
  /** The server wants it later. */
  | { is: 'later'; reply: string }
  /** Nothing of it was handed over: no connection, no login, no right to send. */
  | { is: 'unreachable'; reply: string }
  /** All of it was handed over, and then no answer came. */
  | { is: 'uncertain'; reply: string }

export type BulkMail = ReturnType<typeof createBulkMail>

/** So many connections, and no more emails under way at any moment. */
export const poolSize = 4

/** Connections of their own for newsletters, so that a receipt never waits behind them. Opened with the first email. */
export function createBulkMail(given: {
  smtpUrl: string | undefined
  requireTls: boolean
  from: () => string
}) {
  let smtp: ReturnType<typeof open> | undefined
  function open(url: string) {
    const transport = nodemailer.createTransport({
      ...smtpOptions(url, given.requireTls),
      maxConnections: poolSize,
    })
    transport.use('stream', (mail, done) => {
      mail.message.transform(() => {
        const all = new PassThrough()
        all.on('end', () => {
          ;(mail.data as Watched).handed.over = true
        })
        return all
      })
      done()
    })
    return transport
  }

  return {
    async send(mail: Mail): Promise<Outcome> {
      if (!given.smtpUrl) return { is: 'unreachable', reply: 'SMTP_URL is not set' }
      smtp ??= open(given.smtpUrl)
      const message: Watched = { from: given.from(), ...safe(mail), handed: { over: false } }
      try {
        await smtp.sendMail(message)
        return { is: 'sent' }
      } catch (error) {
        return outcomeOf(error as Failure, message.handed.over)
      }
    },

    close: () => smtp?.close(),
  }
}

/** Whether its last byte was on its way. */
type Watched = SendMailOptions & { handed: { over: boolean } }
type Failure = Error & { responseCode?: number; command?: string }

function outcomeOf(
  { message: reply, responseCode = 0, command = '' }: Failure,
  isHandedOver: boolean,
): Outcome {
  const isAddress = command === 'RCPT TO'
  const isAbout = isAddress || command === 'DATA'
  if (responseCode >= 500 && isAbout) return { is: 'refused', reply, isAddress }
  if (responseCode >= 400 && responseCode < 500 && (isAbout || command === 'MAIL FROM'))
    return { is: 'later', reply }
  return { is: isHandedOver ? 'uncertain' : 'unreachable', reply }
}
