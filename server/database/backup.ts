import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import type { Secrets } from '../security/secrets.ts'
import { readAndSum, type Sum, tablesOf } from './backup-tables.ts'

/**
 * A backup is plain text like pg_dump's data: the header, then for each table `COPY … FROM stdin;`,
 * its rows, `\.` and a checksum line, then a signature.
 */
export type Header = {
  version: string
  takenAt: string
  /** Id of the key with which the exchange keys in the backup are sealed. */
  key: string
  /** Hashes of the migrations that made the schema of the rows. */
  migrations: string[]
}

export const title = '-- backup of the shop, format 1'
export const sumLine = (name: string, { rows, sha256 }: Sum) => `-- ${rows} rows of ${name}, sha256 ${sha256}`

export type Signing = Pick<Secrets, 'keyId' | 'backupKeys'>

type BackupAuthor = { secrets: Signing; version: string }

export async function backupToFile(url: string, file: string, author: BackupAuthor) {
  const unfinishedFile = `${file}.part`
  const gzip = createGzip()
  // Creates a new file, because an existing one could be a link or belong to another user.
  await rm(unfinishedFile, { force: true })
  const written = pipeline(gzip, createWriteStream(unfinishedFile, { mode: 0o600, flags: 'wx' }))
  try {
    const [counts] = await Promise.all([backup(url, gzip, author).finally(() => gzip.end()), written])
    await rename(unfinishedFile, file)
    return counts
  } catch (error) {
    await rm(unfinishedFile, { force: true })
    throw error
  }
}

/** Reads everything from one snapshot, so the shop may be running. */
export async function backup(
  url: string,
  out: Writable,
  { secrets, version }: BackupAuthor,
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
      const sum = await readAndSum(client, table, write)
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
  return rows.map(({ hash }) => hash)
}
