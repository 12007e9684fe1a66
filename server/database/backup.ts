import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import type { Secrets } from '../security/secrets.ts'
import { readTable, type Sum, tablesOf } from './backup-tables.ts'
import { readMigrations } from './migrations.ts'

/**
 * A backup is plain text, as pg_dump writes data: a header, then for each table `COPY … FROM stdin;`, rows, `\.` and a
 * checksum line, then a signature. It holds the rows, not the schema: that is in migrations/, and the
 * backup says which of them have been applied.
 */
export type Header = {
  version: string
  takenAt: string
  /** The fingerprint of the key that seals the exchange keys in it. */
  key: string
  migrations: { tag: string; hash: string }[]
}

export const title = '-- backup of the shop, format 2'
export const sumLine = (name: string, { rows, sha256 }: Sum) => `-- ${rows} rows of ${name}, sha256 ${sha256}`

export type Signing = Pick<Secrets, 'keyId' | 'backupKeys'>

type By = { secrets: Signing; version: string }

/** Writes a file that only its owner can read, and renames it when it is complete. */
export async function backupToFile(url: string, file: string, by: By) {
  const part = `${file}.part`
  const zipped = createGzip()
  // Creates the file anew: an existing one could be a link or belong to another user.
  await rm(part, { force: true })
  const written = pipeline(zipped, createWriteStream(part, { mode: 0o600, flags: 'wx' }))
  try {
    const [counted] = await Promise.all([backup(url, zipped, by).finally(() => zipped.end()), written])
    await rename(part, file)
    return counted
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Safe while the shop is running: everything is read from one snapshot. */
export async function backup(
  url: string,
  out: Writable,
  { secrets, version }: By,
): Promise<{ tables: number; rows: number }> {
  const signature = createHmac('sha256', secrets.backupKeys.get(secrets.keyId) ?? '')
  const write = async (chunk: string | Buffer) => {
    signature.update(chunk)
    if (!out.write(chunk)) await once(out, 'drain')
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const header: Header = {
      version,
      takenAt: new Date().toISOString(),
      key: secrets.keyId,
      migrations: await migrationsIn(client),
    }
    await write(`${title}\n-- ${JSON.stringify(header)}\n`)
    const tables = await tablesOf(client)
    let rows = 0
    for (const table of tables) {
      await write(`COPY ${table.name} (${table.columns.join(', ')}) FROM stdin;\n`)
      const sum = await readTable(client, table, write)
      await write(`\\.\n${sumLine(table.name, sum)}\n`)
      rows += sum.rows
    }
    out.write(`-- signed with key ${secrets.keyId}: ${signature.digest('hex')}\n`)
    return { tables: tables.length, rows }
  } finally {
    await client.end()
  }
}

async function migrationsIn(client: pg.Client) {
  const { rows } = await client.query<{ hash: string }>(
    'select hash from drizzle.__drizzle_migrations order by created_at',
  )
  const tags = new Map(readMigrations().map(({ hash, tag }) => [hash, tag]))
  return rows.map(({ hash }) => ({ tag: tags.get(hash) ?? 'unknown', hash }))
}
