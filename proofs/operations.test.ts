import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { ApiError } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { logins } from '#contract/identity/logins.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { readMigrations } from '#server/database/migrations.ts'
import { codeAt } from '#server/features/identity/factors/factors.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import {
  caddyPort,
  dataDir,
  folder,
  makeOrigin,
  makeStandIns,
  nginxPort,
  publishNextVersion,
  root,
  run,
  runBlock,
  service,
  url,
} from './operations/machine.ts'

/**
 * `npm run proof -- operations`: runs every block of commands of the pages below, in order, as root. What differs from a
 * real machine: folders below a temporary one, free ports, requests wait for the seller, apt only simulates, Caddy and
 * nginx have certificates that no one trusts, and bash stands in for systemd.
 */
type Block = { heading: string; commands: string }
type Check = (output: string) => Promise<void>

const keys = { apiKey: 'an api key of the exchange', secretKey: 'its secret' }

const admin: Visitor = createVisitor(url)
const buyerEmails: string[] = []
/** Set once the admin has an authenticator app. */
let codeNow = () => ''

const pages = ['docs/install.md', 'docs/operations.md', 'docs/backups.md']

const checks: [heading: string, promise: string, check: Check][] = [
  ['Machine', 'Debian has the packages, and there is a Node', checkPackages],
  ['Software', 'the pages are built', checkBuild],
  ['Settings', 'the settings are one file', checkSettingsLink],
  ['Service', 'the shop is open, its admin logs in and sets up a second step, a buyer buys', checkInstalledShop],
  ['TLS', 'Caddy serves the shop, encrypted', () => checkProxy(caddyPort)],
  ['TLS', 'nginx serves the shop, encrypted', () => checkProxy(nginxPort)],
  [
    'Upgrade',
    'the next version runs its migrations, keeps the seller’s own change and the purchases, and sells',
    checkUpgrade,
  ],
  ['Roll back', 'the version before runs on the same data, and nothing sold since is lost', checkRollback],
  ['Roll back', 'after damage, everything is as it was before the upgrade', checkRestore],
  ['What to watch', 'the metrics are there', checkMetrics],
  ['Take a backup', 'a backup is taken while the shop runs', checkBackupFile],
  ['Back up every night', 'the timer’s service has taken one, and calls the monitoring service', checkBackupTimer],
  ['Practice a restore', 'a copy is restored beside the shop, which goes on', checkRestoredCopy],
  [
    'Restore into an empty folder',
    'a restore into an empty folder leaves it to the service, which sells on',
    checkMovedShop,
  ],
  ['Keys', 'exchange keys can still be revealed, with the new key', checkKeyRotation],
  ['Passwords', 'both admins can log in with the passwords shown', checkNewPasswords],
]

const blocks = pages.flatMap((page) => readBlocks(readFileSync(page, 'utf8')))

beforeAll(() => {
  makeOrigin()
  makeStandIns()
})

afterAll(() => {
  for (const unit of ['rebound-sigma-shop', 'caddy', 'nginx']) spawnSync(join(root, 'bin/systemctl'), ['stop', unit])
  rmSync(root, { recursive: true, force: true })
})

test('the pages have the blocks that are followed here', () => {
  expect(blocks.map(({ heading }) => heading)).toEqual(checks.map(([heading]) => heading))
})

test.for(checks.map((check, index) => [...check, index] as const))('%s: %s', async ([, , check, index]) => {
  if (blocks[index]?.heading === 'Upgrade') publishNextVersion()
  const output = runBlock(blocks[index]?.commands ?? '')
  // Gives this process time to notice that connections to a stopped shop are closed.
  await sleep(100)
  await expect(check(output)).resolves.toBeUndefined()
})

test('systemd accepts the units', ({ skip }) => {
  // The units name folders of a real machine, so they are replaced.
  for (const name of ['', '-backup']) {
    const text = readFileSync(`deploy/rebound-sigma-shop${name}.service`, 'utf8')
    writeFileSync(
      join(root, `rebound-sigma-shop${name}.service`),
      text.replaceAll('=/opt/', `=${root}/opt/`).replace('User=shop\n', ''),
    )
  }
  cpSync('deploy/rebound-sigma-shop-backup.timer', join(root, 'rebound-sigma-shop-backup.timer'))
  const units = ['.service', '-backup.service', '-backup.timer'].map((end) => `${root}/rebound-sigma-shop${end}`)
  const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
  skip(Boolean(error), 'there is no systemd-analyze here')
  expect(status, stderr).toBe(0)
})

function readBlocks(page: string): Block[] {
  let heading = ''
  return [...page.matchAll(/^## (.+)$|^```sh\n([^]*?)^```$/gm)].flatMap(([, title, commands]) => {
    heading = title ?? heading
    return commands ? [{ heading, commands }] : []
  })
}

const checkThat = (ok: boolean, what: string) => expect(ok, what).toBe(true)

async function sell() {
  const page = await (await fetch(`${url}/checkout`)).text()
  const { buy } = createBuyers({ url, publishableKey: () => /pk_test_\w+/.exec(page)?.[0] ?? '' })
  const buyer = createVisitor(url)
  const email = `buyer-${buyerEmails.length + 1}@shop.example`
  await buyer.call(accounts.register, { name: 'Buyer', email, password: 'a long password for the shop' })
  const { paymentIntentId } = await buy(buyer)
  await buyer.call(access.submit, {
    paymentIntentId: paymentIntentId ?? '',
    exchangeName: 'Kraken',
    tradingViewUsername: 'buyer_of_the_shop',
    ...keys,
  })
  buyerEmails.push(email)
}

async function checkPurchases(emails: string[]) {
  const listedEmails = (await admin.call(purchasesAdmin.list, { limit: 100 })).map(({ user }) => user.email)
  checkThat(
    listedEmails.toSorted().join() === emails.toSorted().join(),
    `purchases of ${emails.join(', ')}, but the admin sees ${listedEmails.join(', ')}`,
  )
}

async function inDatabase<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const embedded = await openEmbedded(dataDir)
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  const { rows } = await client.query<Row>(statement)
  await client.end()
  await embedded.close()
  return rows
}

async function countAppliedMigrations() {
  return (await inDatabase('select from drizzle.__drizzle_migrations')).length
}

function countMigrationFiles() {
  return readMigrations(join(folder, 'server/database/migrations')).length
}

async function checkPackages(output: string) {
  checkThat(/^v\d+\./m.test(output), 'a version')
}

async function checkBuild() {
  const user = { ...service, encoding: 'utf8' as const }
  const { status, stderr } = spawnSync('test', ['-w', join(folder, 'node_modules')], user)
  checkThat(status === 1, `a folder that the service cannot write ${stderr}`)
  checkThat(existsSync(join(folder, 'dist/sources')), 'the stamp of a build')
}

async function checkSettingsLink() {
  checkThat(/^PAYMENTS=sandbox$/m.test(readFileSync(join(folder, '.env'), 'utf8')), 'the settings, by their link')
}

async function checkInstalledShop(output: string) {
  const [, email = '', password = ''] = /([\w.]+@[\w.]+) {2}(\S+)$/m.exec(output) ?? []
  await admin.call(accounts.login, { email, password })
  const { secret, sealed } = await admin.call(factors.beginAppCodes, {})
  codeNow = () => codeAt(secret, Math.floor(Date.now() / 30_000))
  await admin.call(factors.confirmAppCodes, { sealed, code: codeNow() })
  await sell()
  await checkPurchases(buyerEmails)
  // Changes by the seller live in their own branch.
  const help = join(folder, 'content/help.md')
  writeFileSync(help, readFileSync(help, 'utf8').replace(/^## .+$/m, '## What only this shop says'))
  run('git', ['-c', 'user.name=Seller', '-c', 'user.email=a@shop.example', 'commit', '-qam', 'Ours'], folder)
}

async function checkProxy(proxyPort: number) {
  const target = ['--resolve', `shop.example:${proxyPort}:127.0.0.1`, `https://shop.example:${proxyPort}/about`]
  const retries = ['--retry', '60', '--retry-delay', '1', '--retry-all-errors']
  const page = run('curl', ['--silent', '--fail', '--insecure', ...retries, ...target], folder)
  checkThat(page.includes('Test mode.'), 'the page, with its ribbon')
}

async function checkUpgrade() {
  checkThat((await (await fetch(`${url}/help`)).text()).includes('What only this shop says'), 'the seller’s own text')
  checkThat((await countAppliedMigrations()) === countMigrationFiles(), 'every migration of the next version')
  await checkPurchases(buyerEmails)
  await sell()
}

async function checkRollback() {
  checkThat((await countAppliedMigrations()) > countMigrationFiles(), 'an older version on the next version’s schema')
  await sell()
  await checkPurchases(buyerEmails)
  // Does damage that the next block repairs.
  await inDatabase('delete from access_forms')
}

async function checkRestore() {
  checkThat((await countAppliedMigrations()) === countMigrationFiles(), 'the schema of this version')
  await checkPurchases(buyerEmails.slice(0, 1))
  await checkRevealedKeys()
}

async function checkBackupFile() {
  checkThat(existsSync(join(dataDir, 'shop.sql.gz')), 'the file')
}

async function checkBackupTimer(output: string) {
  checkThat(/^daily-[\dT-]+\.sql\.gz$/m.test(output), 'a backup of today')
  const pingServer = createServer((request, response) => response.end(request.url))
  await once(pingServer.listen(0), 'listening')
  const ping = once(pingServer, 'request')
  const { port: pingPort } = pingServer.address() as AddressInfo
  writeFileSync(join(root, 'etc/rebound-sigma-shop-backup.env'), `BACKUP_PING_URL='http://127.0.0.1:${pingPort}/alive'`)
  // Runs asynchronously, because this process must answer the ping.
  const again = spawn(join(root, 'bin/systemctl'), ['start', 'rebound-sigma-shop-backup.service'], { stdio: 'ignore' })
  const [code] = await once(again, 'exit')
  checkThat(code === 0, 'a second backup')
  const [request] = (await ping) as [IncomingMessage]
  checkThat(request.url === '/alive', 'the sign')
  pingServer.close()
}

async function checkRestoredCopy(output: string) {
  checkThat(/^Restored \d+ rows in \d+ tables .*every checksum matches\.$/m.test(output), 'a restored copy')
  await checkPurchases(buyerEmails.slice(0, 1))
}

async function checkMovedShop() {
  const home = join(dataDir, 'postgres')
  for (const path of [dataDir, home, join(home, 'data'), join(home, 'password')])
    checkThat(statSync(path).uid === service.uid, `${path} of the service`)
  checkThat((statSync(dataDir).mode & 0o777) === 0o755, 'the mode of the data folder')
  await checkPurchases(buyerEmails.slice(0, 1))
  await checkRevealedKeys()
}

async function checkRevealedKeys() {
  const [waiting] = await admin.call(accessAdmin.todo, { limit: 100 })
  const revealed = await admin.call(accessAdmin.reveal, { id: waiting?.id ?? '' })
  checkThat(JSON.stringify(revealed) === JSON.stringify(keys), 'the exchange keys')
}

async function checkKeyRotation(output: string) {
  checkThat(/^2 sealed again/m.test(output), 'an exchange key and the app’s secret sealed again')
  const settings = readFileSync(join(root, 'etc/rebound-sigma-shop.env'), 'utf8')
  checkThat(!/^SECRETS_KEY_OLD=/m.test(settings), 'no old key')
  await checkRevealedKeys()
}

async function checkNewPasswords(output: string) {
  const credentials = [...output.matchAll(/^(\S+) is now an admin with the password (\S+)$/gm)]
  checkThat(credentials.length === 2, 'two passwords')
  for (const [, email = '', password = ''] of credentials) {
    const visitor = createVisitor(url)
    await visitor.call(accounts.login, { email, password }).catch(async (error: unknown) => {
      // The first admin has a second step, sealed with the key that was just changed.
      checkThat(error instanceof ApiError && error.secondSteps?.[0] === 'code', 'a login, or one that asks for a code')
      await visitor.call(logins.withCode, { code: codeNow() })
    })
  }
}

async function checkMetrics(output: string) {
  checkThat(/^shop_stripe_events_overdue /m.test(output), 'the gauge of overdue events')
}
