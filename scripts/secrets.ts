import { connect } from '#server/database/connect.ts'
import { resealKeys } from '#server/features/access-requests/access-requests.ts'
import { createSecrets, loadSecretsKey } from '#server/security/secrets.ts'
import { explain, runCommand } from './command.ts'

const help = `npm run secrets -- rotate

Changes the key that seals the exchange keys of buyers, without stopping the shop:
  1. Keep the old key: SECRETS_KEY_OLD=<the present one> (without SECRETS_KEY it lies in DATA_DIR/secrets-key).
  2. Set a new one: SECRETS_KEY=$(openssl rand -hex 32). Restart the shop: it opens both and seals with the new.
  3. npm run secrets -- rotate, with the same settings. It can be repeated and interrupted.
  4. Remove SECRETS_KEY_OLD and restart. Mailed links that were not used yet must be asked for again.
     Backups of before still need the old key: keep it with them in mind.
`

if (process.argv[2] !== 'rotate') explain(help)

await runCommand(async ({ config, url }) => {
  const secrets = createSecrets(loadSecretsKey(config.secretsKey, config.dataDir), config.oldSecretsKey)
  const { db, close } = connect(url, console.error)
  try {
    const { resealed } = await resealKeys(db, secrets)
    console.log(`${resealed} sealed anew with key ${secrets.keyId}; nothing is left under another key.`)
  } finally {
    await close()
  }
})
