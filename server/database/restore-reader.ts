import { createHmac, timingSafeEqual } from 'node:crypto'
import { StartError } from '../errors.ts'
import { type Header, type Signing, title } from './backup.ts'
import type { Migration } from './migrations.ts'

export const damagedMessage = 'The backup is damaged or incomplete. Nothing was changed.'

/** Reads lines as bytes: a row may hold characters that others take for the end of a line. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    let from = 0
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield bytes.subarray(from, end + 1)
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
  if (rest.length > 0) yield rest
}

export function createReader(source: AsyncIterable<Buffer>, secrets: Signing | undefined) {
  const lines = linesOf(source)
  const signatures = new Map([...(secrets?.backupKeys ?? [])].map(([id, key]) => [id, createHmac('sha256', key)]))
  let signed = false

  async function next(): Promise<Buffer | undefined> {
    const { value: line } = await lines.next()
    if (!line) return undefined
    const [, id = '', given = ''] = /^-- signed with key (\w+): (\w+)\n$/.exec(line.subarray(0, 200).toString()) ?? []
    if (id) {
      const right = signatures.get(id)?.digest()
      const bytes = Buffer.from(given, 'hex')
      signed = right !== undefined && right.length === bytes.length && timingSafeEqual(right, bytes)
      return undefined
    }
    for (const signature of signatures.values()) signature.update(line)
    return line
  }

  const nextText = async () => (await next())?.toString().trimEnd()

  return {
    next,
    nextText,
    async header(): Promise<Header> {
      if ((await nextText()) !== title) throw new StartError('This is not a backup of the shop.')
      return JSON.parse((await nextText())?.replace(/^-- /, '') ?? '')
    },
    assertSigned() {
      if (!signed)
        throw new StartError(
          'This backup was not signed by this shop, or was changed afterwards. Nothing was restored. If you trust it anyway, add --unsigned.',
        )
    },
  }
}

export type Reader = ReturnType<typeof createReader>

/** Returns this version's migrations that the backup already includes. Throws StartError for an incompatible backup. */
export function migrationsOf({ version, migrations: held }: Header, known: Migration[]): Migration[] {
  if (!held.some(({ hash }) => hash === known[0]?.hash))
    throw new StartError(
      'This backup was made by a version before 1.0.0, and only that version can restore it. Nothing was changed.',
    )
  const foreign = held.filter(({ hash }) => !known.some((migration) => migration.hash === hash))
  if (foreign.length > 0)
    throw new StartError(
      `This backup was made by a newer version of the shop (${version}), with migrations that this one does not have: ` +
        `${foreign.map(({ tag }) => tag).join(', ')}. Install that version and restore the backup there; ` +
        'to go back to this version, restore the backup you took before the upgrade.',
    )
  const through = known.slice(0, held.length)
  if (through.some(({ hash }) => !held.some((migration) => migration.hash === hash)))
    throw new StartError(damagedMessage)
  return through
}

export function assertKey({ key }: Header, secrets: Signing | undefined) {
  if (secrets?.backupKeys.has(key)) return
  const has = secrets ? `this shop has ${[...secrets.backupKeys.keys()].join(' and ')}` : 'this shop has none yet'
  throw new StartError(
    `This backup needs the key with the fingerprint ${key}, but ${has}. Set SECRETS_KEY to your copy of that key, or save it as secrets-key in the data folder. ` +
      'Without it, nothing proves that the backup is yours and its exchange keys stay locked; --unsigned restores the rest.',
  )
}
