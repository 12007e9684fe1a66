import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Email } from 'postal-mime'

export type SentMail = {
  to: string
  subject: string
  messageId: string
  text: string
  html: string
  headers: Record<string, string>
}

/** Reads the .eml files of a shop without SMTP, oldest first. */
export async function readOutbox(folder: string): Promise<SentMail[]> {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .toSorted((a, b) => a.at - b.at)
  // Loaded on demand: a shop that sells never reads its own emails.
  const { default: PostalMime } = await import('postal-mime')
  return Promise.all(files.map(async ({ path }) => sentMail(await PostalMime.parse(readFileSync(path)))))
}

const sentMail = ({
  to = [],
  subject = '',
  messageId = '',
  text = '',
  html = '',
  headers,
}: Email): SentMail => ({
  to: to.map(({ address }) => address).join(', '),
  subject,
  messageId,
  text: text.trim(),
  html: html.trim(),
  headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
})
