import { createReadStream, existsSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { parseArgs } from 'node:util'
import { createGunzip } from 'node:zlib'
import { createTables } from '#sandbox/schema.ts'
import { recordCommand } from '#server/audit/audit.ts'
import { restore } from '#server/database/restore.ts'
import { StartError } from '#server/errors.ts'
import { createJobTables } from '#server/jobs/schema.ts'
import { createSecrets, findSecretsKey } from '#server/security/secrets.ts'
import { exitWith, runCommand, withClient } from './command.ts'

const help = `npm run restore -- <file>

Restores a backup from this version or an older one into an empty shop. Stop the shop first.
  --replace    replaces everything in a shop that has data
  --unsigned   accepts a backup that this shop did not sign
`

const { positionals, values } = parseArgs({
  options: { replace: { type: 'boolean' }, unsigned: { type: 'boolean' } },
  allowPositionals: true,
})
const [file = ''] = positionals
if (!file) exitWith(help)
if (!existsSync(file)) exitWith(`File not found: ${file}`)

const assertEmpty = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ isShop: boolean; hasTables: boolean }>(
      `select to_regclass('drizzle.__drizzle_migrations') is not null as "isShop",
         exists (select from pg_tables where schemaname = 'public') as "hasTables"`,
    )
    if (rows[0]?.hasTables && !rows[0].isShop)
      throw new StartError('This database has tables that don’t belong to the shop. Give the shop its own database.')
    if (rows[0]?.isShop && (await client.query('select from users limit 1')).rowCount)
      throw new StartError('This shop already has users. Use --replace to overwrite everything with the backup.')
  })

await runCommand(async ({ config, url }) => {
  const key = findSecretsKey(config.secretsKey, config.dataDir)
  if (!values.replace) await assertEmpty(url)
  const { header, rows, tables, upgradedBy } = await restore(url, readUnzipped(file), {
    secrets: key ? createSecrets(key, config.oldSecretsKey) : undefined,
    unsigned: values.unsigned ?? false,
    async createUnmigratedTables(client) {
      await createJobTables(client)
      await createTables(client)
    },
    recordRestore: (client) => recordCommand(client, 'backup.restore', { unsigned: values.unsigned ?? false }),
  })
  console.log(
    `Restored ${rows} rows in ${tables} tables from ${header.takenAt} (version ${header.version}); every checksum matches.`,
  )
  if (upgradedBy.length > 0) console.log(`Upgraded to this version by ${upgradedBy.join(', ')}.`)
})

async function* readUnzipped(path: string): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(createReadStream(path), createGunzip(), () => undefined)
  } catch (error) {
    throw new StartError(`This is not a backup of the shop, or it is damaged: ${(error as Error).message}`)
  }
}
