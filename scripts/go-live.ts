import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { createAudit, recordCommand } from '#server/audit/audit.ts'
import type { Config } from '#server/config.ts'
import { backupToFile } from '#server/database/backup.ts'
import type { Database } from '#server/database/connect.ts'
import { migrate } from '#server/database/migrate.ts'
import { assertAlone } from '#server/database/restore.ts'
import { StartError } from '#server/errors.ts'
import { openCatalog } from '#server/features/selling/catalog/catalog.ts'
import { createCodes } from '#server/features/selling/codes/codes.ts'
import {
  accountInWords,
  bindAccount,
  boundAccount,
  compareAccount,
  mismatchInWords,
} from '#server/features/selling/payment-account/payment-account.ts'
import { createPrices, publishInitialPrices } from '#server/features/selling/prices/prices.ts'
import { type ConfiguredAccount, configuredAccountOf } from '#server/gateways/payments.ts'
import { createStripeGateway, StripeRefusal } from '#server/gateways/stripe.ts'
import { createSecrets, findSecretsKey } from '#server/security/secrets.ts'
import { createShopSettings } from '#server/settings/settings.ts'
import packageJson from '../package.json' with { type: 'json' }
import { runCommand, withClient } from './command.ts'
import { checkForSelling } from './go-live/checks.ts'
import { clearTestData, countTestData } from './go-live/clear-test-data.ts'
import { assertAccountIdle, markFormerAccount } from './go-live/former-account.ts'

/** `npm run go-live`: moves the shop to the payment account of the settings. `-- --yes` does not ask. */
const { values } = parseArgs({ options: { yes: { type: 'boolean' } } })
const now = () => new Date()

await runCommand(async ({ config, url }) => {
  await migrate(url)
  await withClient(url, async (client) => {
    await assertAlone(client)
    const db: Database = drizzle(client, { casing: 'snake_case' })
    // Undefined, because only tests give another address than Stripe's.
    const configured: ConfiguredAccount = config.stripe
      ? configuredAccountOf(config.stripe, undefined)
      : { kind: 'sandbox' }
    const { isBoundAlready, accountId, from } = await compareWithBoundAccount(db, configured)
    if (!isBoundAlready) {
      await refuseDemo(client, configured)
      if (from?.kind === 'live') await assertAccountIdle(client)
      if (configured.kind === 'live') await assertReady(db, config)
      const to = accountInWords({ kind: configured.kind, accountId })
      if (!(await confirmSwitch(client, from, to))) return
      await backUp(url, config)
      await client.query('begin')
      if (from?.kind === 'live') await markFormerAccount(client, from.accountId)
      else await clearTestData(client)
      await bindAccount(db, configured, { accountId, now: now(), replaces: true })
      await recordCommand(client, 'payments.switch', { from: from ? accountInWords(from) : null, to })
      await client.query('commit')
      console.log(`The shop now belongs to ${to}.`)
    }
    if (config.stripe) await ensurePricesAndCodes(db, config.stripe)
    const isSelling = configured.kind === 'live'
    console.log(isSelling ? 'Start the shop: it sells.' : 'Start the shop: no money moves yet.')
  })
})

/** Throws if the shop can't move, for example from live to test payments. */
async function compareWithBoundAccount(db: Database, configured: ConfiguredAccount) {
  const from = await boundAccount(db)
  try {
    if (!from) return { isBoundAlready: false, accountId: await idOf(configured), from }
    if (from.kind === 'live' && configured.kind !== 'live')
      throw new StartError(mismatchInWords(from, { kind: configured.kind, accountId: null }))
    const { isSame, accountId } = await compareAccount(db, from, configured)
    return { isBoundAlready: isSame, accountId: accountId ?? (await idOf(configured)), from }
  } catch (error) {
    if (error instanceof StripeRefusal) throw new StartError(`Stripe: ${error.fault.message}`)
    throw error
  }
}

async function idOf(configured: ConfiguredAccount) {
  return configured.kind === 'sandbox' ? null : configured.account.id()
}

async function refuseDemo(client: pg.Client, { kind }: ConfiguredAccount) {
  const { rowCount } = await client.query(`select from audit_log where action = 'demo.fill' limit 1`)
  if (rowCount && kind === 'live')
    throw new StartError(
      'This shop holds the demo’s invented people, some with known passwords: start with an empty one.',
    )
}

async function assertReady(db: Database, config: Config) {
  const catalog = await openCatalog(db)
  const settings = createShopSettings({
    db,
    now,
    audit: createAudit({ db, now }),
    config,
    products: catalog.products(),
  })
  await settings.load()
  const checks = await checkForSelling({ db, config, settings })
  for (const { title, fault } of checks) console.log(fault === null ? `✓ ${title}` : `✗ ${title}: ${fault}`)
  const missing = checks.filter(({ fault }) => fault !== null).length
  if (missing > 0) throw new StartError(`Not yet: ${missing} of ${checks.length} checks failed. Nothing was changed.`)
}

async function confirmSwitch(client: pg.Client, from: Awaited<ReturnType<typeof boundAccount>>, to: string) {
  const { purchases, orders, accounts } = await countTestData(client)
  console.log(`This moves the shop${from ? ` from ${accountInWords(from)}` : ''} to ${to}.`)
  console.log(
    from?.kind === 'live'
      ? `The books stay, marked as the former account’s: ${purchases} purchases.`
      : `It removes ${purchases} test purchases, ${orders} orders and ${accounts} accounts that only a test purchase made. It keeps what you booked by hand or imported, people with a password, products, prices, texts, settings, newsletter addresses and the audit log.`,
  )
  if (values.yes) return true
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question('Type yes to go on: ')
  terminal.close()
  if (answer.trim() === 'yes') return true
  console.log('Nothing was changed.')
  return false
}

/** The file belongs to the owner of DATA_DIR, even if root runs the command. */
async function backUp(url: string, config: Config) {
  const key = findSecretsKey(config.secretsKey, config.dataDir)
  if (!key)
    throw new StartError(`There is no SECRETS_KEY and no key in ${config.dataDir}: is this the shop’s DATA_DIR?`)
  const folder = join(config.dataDir, 'backups')
  const { uid, gid } = statSync(config.dataDir)
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, uid, gid)
  }
  const file = join(folder, `before-go-live-${now().toISOString().replaceAll(/[:.]/g, '-')}.sql.gz`)
  const { rows } = await backupToFile(url, file, { secrets: createSecrets(key), version: packageJson.version })
  chownSync(file, uid, gid)
  console.log(`Backed up ${rows} rows to ${file}.`)
}

/** Idempotent. The shop creates a missing price or code when it starts or at the next use. */
async function ensurePricesAndCodes(db: Database, keys: NonNullable<Config['stripe']>) {
  const stripe = createStripeGateway(keys)
  const catalog = await openCatalog(db)
  await publishInitialPrices(db, catalog.products())
  const context = { db, now, stripe, audit: createAudit({ db, now }), catalog }
  const faults: string[] = []
  await createPrices(context).ensureAll((error) => faults.push((error as Error).message))
  console.log('The prices are at Stripe.')
  await createCodes(context).recreateCoupons((error) => faults.push((error as Error).message))
  for (const fault of faults) console.warn(`A price or code is not at Stripe yet; the shop makes it later: ${fault}`)
}
