import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type SentMail = {
  to: string
  subject: string
  messageId: string
  text: string
  html: string
  headers: Record<string, string>
}

/** Reads the .eml files of a shop without SMTP, oldest first. */
export function readOutbox(folder: string): SentMail[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => parseMail(readFileSync(join(folder, name), 'utf8')))
}

function parseMail(source: string): SentMail {
  const { headers, body } = split(source)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary ? body.split(`--${boundary}`).map((part) => split(part.replace(/^\r?\n/, ''))) : []
  const part = (type: string) => {
    const found = parts.find((candidate) => candidate.headers['content-type']?.startsWith(type))
    return found ? decode(found.body, found.headers['content-transfer-encoding']) : ''
  }
  return {
    to: headers.to ?? '',
    subject: decodeWords(headers.subject ?? ''),
    messageId: headers['message-id'] ?? '',
    text: part('text/plain'),
    html: part('text/html'),
    headers,
  }
}

function split(source: string) {
  const end = source.search(/\r?\n\r?\n/)
  const head = source.slice(0, end).replaceAll(/\r?\n[ \t]+/g, ' ')
  const headers = Object.fromEntries(
    head
      .split(/\r?\n/)
      .map((line) => /^([^:]+):\s*(.*)$/.exec(line))
      .filter((match) => match !== null)
      .map((match) => [(match[1] ?? '').toLowerCase(), match[2] ?? '']),
  )
  return { headers, body: source.slice(end).replace(/^(\r?\n){2}/, '') }
}

function decode(body: string, encoding = '7bit') {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body.trim()
  const bytes = body
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8').trim()
}

function decodeWords(text: string) {
  return text.replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, encoded: string) =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(encoded, 'base64').toString('utf8')
      : decode(encoded.replaceAll('_', ' '), 'quoted-printable'),
  )
}
