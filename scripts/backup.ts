import { createWriteStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { readConfig } from '#server/config.ts'
import { backup } from '#server/database/backup.ts'
import { openEmbedded } from '#server/database/embedded.ts'

/** `npm run backup -- <file>`: every row of the shop into one file, also while the shop runs. */
const [file] = process.argv.slice(2)
if (!file) {
  console.error('Where to? npm run backup -- shop.sql.gz')
  process.exit(1)
}
if (existsSync('.env')) process.loadEnvFile('.env')
const config = readConfig(process.env)
const database = config.databaseUrl ? undefined : await openEmbedded(config.dataDir)
const zipped = createGzip()
// Written beside and renamed, so that a file with this name is always whole.
const written = pipeline(zipped, createWriteStream(`${file}.part`, { mode: 0o600 }))
const { tables, rows } = await backup(config.databaseUrl ?? database?.url ?? '', zipped)
zipped.end()
await written
await rename(`${file}.part`, file)
await database?.close()
console.log(
  `Backed up ${rows} rows of ${tables} tables to ${file}. Keep SECRETS_KEY (or ${config.dataDir}/secrets-key) with it.`,
)
