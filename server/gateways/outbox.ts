import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
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

/** Reads the .eml files of a shop without SMTP, oldest first; given `known`, none is read twice. */
export async function readOutbox(folder: string, known = new Map<string, SentMail>()): Promise<SentMail[]> {
  const mails = filesIn(folder).map(async ({ path }) => {
    const mail = known.get(path) ?? (await readMail(path))
    known.set(path, mail)
    return mail
  })
  return Promise.all(mails)
}

export async function removeMentioning(folder: string, address: string) {
  for (const { path } of filesIn(folder))
    if (
      JSON.stringify(await readMail(path))
        .toLowerCase()
        .includes(address)
    )
      rmSync(path, { force: true })
}

export async function removeBefore(folder: string, time: Date) {
  for (const { path, at } of filesIn(folder)) if (at < time.getTime()) rmSync(path, { force: true })
}

function filesIn(folder: string) {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .toSorted((a, b) => a.at - b.at)
}

async function readMail(path: string): Promise<SentMail> {
  // Loaded on demand: a shop that sells never reads its own emails.
  const { default: PostalMime } = await import('postal-mime')
  return sentMail(await PostalMime.parse(readFileSync(path)))
}

const sentMail = ({ to = [], subject = '', messageId = '', text = '', html = '', headers }: Email): SentMail => ({
  to: to.map(({ address }) => address).join(', '),
  subject,
  messageId,
  text: text.trim(),
  html: html.trim(),
  headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
})
