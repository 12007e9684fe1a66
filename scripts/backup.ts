import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { backup } from '#server/database/backup.ts'
import { StartError } from '#server/errors.ts'
import { createSecrets, findSecretsKey } from '#server/security/secrets.ts'
import packageJson from '../package.json' with { type: 'json' }
import { explain, runCommand } from './command.ts'

/** `npm run backup -- <file>`: every row of the shop into one file, also while the shop runs. */
const [file = ''] = process.argv.slice(2)
if (!file) explain('Where to? npm run backup -- shop.sql.gz')

await runCommand(async ({ config, url }) => {
  const found = findSecretsKey(config.secretsKey, config.dataDir)
  if (!found)
    throw new StartError(
      `There is no SECRETS_KEY and no key in ${config.dataDir}: is it the shop’s DATA_DIR?`,
    )
  const secrets = createSecrets(found)
  // Written beside and renamed, so that a file with this name is always whole.
  const part = `${file}.part`
  const zipped = createGzip()
  const written = pipeline(zipped, createWriteStream(part, { mode: 0o600 }))
  try {
    const [{ tables, rows }] = await Promise.all([
      backup(url, zipped, { secrets, version: packageJson.version }).finally(() => zipped.end()),
      written,
    ])
    await rename(part, file)
    const key = config.secretsKey ? 'SECRETS_KEY' : `${config.dataDir}/secrets-key`
    console.log(`Backed up ${rows} rows of ${tables} tables to ${file}.`)
    console.log(
      `To restore it you need ${key} (fingerprint ${secrets.keyId}): keep a copy of it in another place.`,
    )
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
})
