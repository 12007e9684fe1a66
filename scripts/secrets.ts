import { existsSync } from 'node:fs'
import { readConfig } from '#server/config.ts'
import { connect } from '#server/database/connect.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { resealKeys } from '#server/features/access-requests/access-requests.ts'
import { createSecrets, loadSecretsKey } from '#server/security/secrets.ts'

const help = `npm run secrets -- rotate

Changes the key that seals the exchange keys of buyers, without stopping the shop:
  1. Keep the old key: SECRETS_KEY_OLD=<the present one> (without SECRETS_KEY it lies in DATA_DIR/secrets-key).
  2. Set a new one: SECRETS_KEY=$(openssl rand -hex 32). Restart the shop: it opens both and seals with the new.
  3. npm run secrets -- rotate, with the same settings. It can be repeated and interrupted.
  4. Remove SECRETS_KEY_OLD and restart. Mailed links that were not used yet must be asked for again.
`

async function rotate() {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
  const secrets = createSecrets(loadSecretsKey(config.secretsKey, config.dataDir), config.oldSecretsKey)
  const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir)
  const connection = connect(embedded?.url ?? config.databaseUrl ?? '', console.error)
  try {
    const { resealed } = await resealKeys(connection.db, secrets)
    console.log(`${resealed} sealed anew with key ${secrets.keyId}; nothing is left under another key.`)
  } finally {
    await connection.close()
    await embedded?.close()
  }
}

if (process.argv[2] === 'rotate') await rotate()
else {
  console.log(help)
  process.exitCode = 1
}
