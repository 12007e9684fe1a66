import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto'
import { StartError } from '../errors.ts'
import { type Header, type Signing, title } from './backup.ts'
import type { Migration } from './migrations.ts'

export const damagedMessage = 'The backup is damaged or incomplete. Nothing was changed.'

const newline = 10

/** Splits bytes only at `\n`: a row may contain other characters that text readers take for the end of a line. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unfinishedLine: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    let lineStart = 0
    const bytes = unfinishedLine.length > 0 ? Buffer.concat([unfinishedLine, chunk]) : chunk
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, lineStart)) {
      yield bytes.subarray(lineStart, end + 1)
      lineStart = end + 1
    }
    unfinishedLine = bytes.subarray(lineStart)
  }
  if (unfinishedLine.length > 0) yield unfinishedLine
}

export function createReader(source: AsyncIterable<Buffer>, secrets: Signing | undefined) {
  const lines = linesOf(source)
  const signatures = new Map<string, Hmac>()
  for (const [id, key] of secrets?.backupKeys ?? []) signatures.set(id, createHmac('sha256', key))
  let isSigned = false

  /** Returns the next line; undefined at the signature or at the end. */
  async function next(): Promise<Buffer | undefined> {
    const { value: line } = await lines.next()
    if (!line) return undefined
    const [, id = '', receivedSignature = ''] =
      /^-- signed with key (\w+): (\w+)\n$/.exec(line.subarray(0, 200).toString()) ?? []
    if (id) {
      const expected = signatures.get(id)?.digest()
      const received = Buffer.from(receivedSignature, 'hex')
      isSigned = expected !== undefined && expected.length === received.length && timingSafeEqual(expected, received)
      return undefined
    }
    for (const signature of signatures.values()) signature.update(line)
    return line
  }

  const nextText = async () => (await next())?.toString().trimEnd()

  return {
    next,
    nextText,
    async readHeader(): Promise<Header> {
      if ((await nextText()) !== title) throw new StartError('This is not a backup of the shop.')
      return JSON.parse((await nextText())?.replace(/^-- /, '') ?? '')
    },
    assertSigned() {
      if (!isSigned)
        throw new StartError(
          'This backup was not signed by this shop, or was changed afterwards. Nothing was restored. If you trust it anyway, add --unsigned.',
        )
    },
  }
}

export type Reader = ReturnType<typeof createReader>

/** Returns the migrations that the backup contains; throws unless they are the first of `ownMigrations`. */
export function migrationsOf({ migrations: backedUp }: Header, ownMigrations: Migration[]): Migration[] {
  const isKnown = backedUp.length > 0 && backedUp.every((hash, index) => hash === ownMigrations[index]?.hash)
  if (!isKnown)
    throw new StartError(
      'This backup has a database schema that this version of the shop does not know, so nothing was changed: ' +
        'restore it with the version that ran on that database.',
    )
  return ownMigrations.slice(0, backedUp.length)
}

export function assertKey({ key }: Header, secrets: Signing | undefined) {
  if (secrets?.backupKeys.has(key)) return
  const availableKeys = secrets
    ? `this shop has ${[...secrets.backupKeys.keys()].join(' and ')}`
    : 'this shop has none yet'
  throw new StartError(
    `This backup needs the key with the fingerprint ${key}, but ${availableKeys}. Set SECRETS_KEY to your copy of that key, or save it as secrets-key in the data folder. ` +
      'Without it, nothing proves that the backup is yours and its exchange keys stay locked; --unsigned restores the rest.',
  )
}
