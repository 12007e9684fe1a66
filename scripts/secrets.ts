import { recordCommand } from '#server/audit/audit.ts'
import { resealKeys } from '#server/features/access/access/access.ts'
import { resealCookies } from '#server/features/access/tradingview/tradingview.ts'
import { resealAppCodes } from '#server/features/identity/factors/factors.ts'
import { createSecrets, loadSecretsKey } from '#server/security/secrets.ts'
import { connectTo, exitWith, runCommand } from './command.ts'

const help = `npm run secrets -- rotate

Changes the key that encrypts exchange keys, app codes and the TradingView session, without stopping the shop:
  1. Keep the old key: SECRETS_KEY_OLD=<the current one> (without SECRETS_KEY, it is in DATA_DIR/secrets-key).
  2. Set a new one: SECRETS_KEY=$(openssl rand -hex 32). Restart the shop: it reads both and encrypts with the new one.
  3. Run npm run secrets -- rotate with the same settings. You can interrupt it and run it again.
  4. Remove SECRETS_KEY_OLD and restart. Emailed links that were not used yet must be requested again.
     Earlier backups still need the old key, so don't throw it away.
`

if (process.argv[2] !== 'rotate') exitWith(help)

await runCommand(async ({ config, url }) => {
  const secrets = createSecrets(loadSecretsKey(config.secretsKey, config.dataDir), config.oldSecretsKey)
  const { db, pool, close } = connectTo(url)
  try {
    const exchangeKeys = await resealKeys(db, secrets)
    const sessionCookies = await resealCookies(db, secrets)
    const appCodes = await resealAppCodes(db, secrets)
    const resealed = exchangeKeys.resealed + sessionCookies.resealed + appCodes.resealed
    await recordCommand(pool, 'secrets.rotate', { resealed })
    console.log(`${resealed} sealed again with key ${secrets.keyId}; none left under an older key.`)
  } finally {
    await close()
  }
})
