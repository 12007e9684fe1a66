import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'

export type SentMail = {
  to: string
  subject: string
  messageId: string
  text: string
  html: string
  headers: Record<string, string>
}

/** Oldest first. With the same `cache`, no file is read twice. */
export async function readOutbox(folder: string, cache = new Map<string, SentMail>()): Promise<SentMail[]> {
  const mails = filesIn(folder).map(async ({ path }) => {
    const mail = cache.get(path) ?? (await readMail(path))
    cache.set(path, mail)
    return mail
  })
  return Promise.all(mails)
}

/** Only a whole address counts: `support@shop.example` does not contain `t@shop.example`. */
export async function removeMentioning(folder: string, address: string) {
  const escaped = address.replaceAll(/[^a-z0-9]/gi, '\\$&')
  const mention = new RegExp(`(?<![\\w.%+-])${escaped}(?![\\w-]|\\.\\w)`, 'i')
  for (const { path } of filesIn(folder)) {
    const { to, subject, text, headers } = await readMail(path)
    const isMentioned = [to, subject, text, ...Object.values(headers)].some((content) => mention.test(content))
    if (isMentioned) rmSync(path, { force: true })
  }
}

export async function removeBefore(folder: string, time: Date) {
  for (const { path, writtenAt } of filesIn(folder)) if (writtenAt < time.getTime()) rmSync(path, { force: true })
}

function filesIn(folder: string) {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
  return names
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenAt: statSync(path).mtimeMs }))
    .toSorted((a, b) => a.writtenAt - b.writtenAt)
}

const readMail = async (path: string): Promise<SentMail> => sentMail(await PostalMime.parse(readFileSync(path)))

const sentMail = ({ to = [], subject = '', messageId = '', text = '', html = '', headers }: Email): SentMail => ({
  to: to.map(({ address }) => address).join(', '),
  subject,
  messageId,
  text: text.trim(),
  html: html.trim(),
  headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
})
