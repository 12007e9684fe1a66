import { existsSync } from 'node:fs'
import { recordCommand } from '#server/audit/audit.ts'
import { backupToFile } from '#server/database/backup.ts'
import { StartError } from '#server/errors.ts'
import { createSecrets, findSecretsKey } from '#server/security/secrets.ts'
import packageJson from '../package.json' with { type: 'json' }
import { exitWith, runCommand, withClient } from './command.ts'

/** `npm run backup -- <file>`: saves every row of the shop in one file, even while the shop runs. */
const [file = ''] = process.argv.slice(2)
if (!file) exitWith('Where to? npm run backup -- shop.sql.gz')
if (existsSync(file)) exitWith(`${file} is there already, and a backup never replaces another. Choose a new name.`)

/** A database that can't be written needs its backup most, so a failed record only warns. */
const recordBackup = (url: string) =>
  withClient(url, (client) => recordCommand(client, 'backup.create')).catch((error: Error) =>
    console.warn(`The audit log does not show this backup: ${error.message}`),
  )

await runCommand(async ({ config, url }) => {
  const secretsKey = findSecretsKey(config.secretsKey, config.dataDir)
  if (!secretsKey)
    throw new StartError(`There is no SECRETS_KEY and no key in ${config.dataDir}: is this the shop’s DATA_DIR?`)
  const secrets = createSecrets(secretsKey)
  await recordBackup(url)
  const { tables, rows } = await backupToFile(url, file, { secrets, version: packageJson.version })
  const keyPlace = config.secretsKey ? 'SECRETS_KEY' : `${config.dataDir}/secrets-key`
  console.log(`Backed up ${rows} rows from ${tables} tables to ${file}.`)
  console.log(`To restore it you need ${keyPlace} (fingerprint ${secrets.keyId}): keep a copy somewhere else.`)
})
