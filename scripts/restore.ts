import { createReadStream, existsSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { pino } from 'pino'
import { prepareSchema } from '#sandbox/schema.ts'
import { readConfig } from '#server/config.ts'
import { restore } from '#server/database/backup.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { migrate } from '#server/database/migrate.ts'
import { StartError } from '#server/errors.ts'
import { createQueue } from '#server/jobs/queue.ts'

/** `npm run restore -- <file>`: puts a backup into an empty shop; `--replace` into one that has data. */
const file = process.argv.slice(2).find((word) => !word.startsWith('--'))
if (!file || !existsSync(file)) {
  console.error('From where? npm run restore -- shop.sql.gz [--replace]')
  process.exit(1)
}
if (existsSync('.env')) process.loadEnvFile('.env')
const config = readConfig(process.env)
const database = config.databaseUrl ? undefined : await openEmbedded(config.dataDir)
try {
  const url = config.databaseUrl ?? database?.url ?? ''
  await migrate(url)
  // The queue and the sandbox make their own tables.
  const pool = new pg.Pool({ connectionString: url })
  if (!config.stripe) await prepareSchema(pool)
  await pool.end()
  const queue = createQueue({ url, log: pino({ level: 'silent' }) })
  await queue.start()
  await queue.stop()
  if (!process.argv.includes('--replace')) await assertEmpty(url)
  const { tables, rows } = await restore(url, createReadStream(file).pipe(createGunzip()))
  console.log(`Restored ${rows} rows of ${tables} tables; every checksum is the same.`)
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
} finally {
  await database?.close()
}

async function assertEmpty(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query('select 1 from users limit 1')
  await client.end()
  if (rowCount)
    throw new StartError(
      'This shop has users already. Say --replace to give up what it has, and restore the backup instead.',
    )
}
