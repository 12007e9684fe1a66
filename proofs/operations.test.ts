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
import { purchases } from '#contract/selling/purchases.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { readMigrations } from '#server/database/migrations.ts'
import { codeAt } from '#server/features/identity/factors/factors.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import {
  caddyPort,
  dataDir,
  folder,
  follow,
  makeOrigin,
  makeStandIns,
  nginxPort,
  publishNextVersion,
  root,
  run,
  service,
  url,
} from './operations/machine.ts'

/**
 * `npm run proof -- operations`: follows the pages below. Every block of commands runs as it stands there, in order, in a
 * fresh copy of the shop; what each promises is checked by requests. Only this differs from a real machine:
 * folders lie below a temporary one, ports are free, requests for access wait for the seller, apt only looks whether it
 * could install, Caddy and nginx (which must be installed) have certificates that no one else trusts, and a few lines of bash
 * stand in for systemd: they start and stop what the units say, as an unprivileged user. It must run as root.
 */
type Block = { heading: string; commands: string }
type Check = (output: string) => Promise<void>

const keys = { apiKey: 'an api key of the exchange', secretKey: 'its secret' }

const admin: Visitor = createVisitor(url)
const sold: string[] = []
/** Code of the admin's authenticator app, once it is set up. */
let codeNow = () => ''

/** Pages in the order in which an operator follows them. */
const pages = ['docs/install.md', 'docs/operations.md', 'docs/backups.md']

/** Checks for each block of the pages, in their order. */
const checks: [heading: string, promise: string, check: Check][] = [
  ['Machine', 'Debian has the packages, and there is a Node', available],
  ['Software', 'the pages are built', built],
  ['Settings', 'the settings are one file', linked],
  ['Service', 'the shop is open, its admin logs in and sets up a second step, a buyer buys', deployed],
  ['TLS', 'Caddy serves the shop, encrypted', () => mustServe(caddyPort)],
  ['TLS', 'nginx serves the shop, encrypted', () => mustServe(nginxPort)],
  [
    'Upgrade',
    'the next version runs its migrations, keeps the seller’s own change and the purchases, and sells',
    upgraded,
  ],
  ['Roll back', 'the version before runs on the same data, and nothing sold since is lost', rolledBack],
  ['Roll back', 'after damage, everything is as it was before the upgrade', restored],
  ['What to watch', 'the metrics are there', watched],
  ['Take a backup', 'a backup is taken while the shop runs', backedUp],
  ['Back up every night', 'the timer’s service has taken one, and calls the monitoring service', timed],
  ['Practice a restore', 'a copy is restored beside the shop, which goes on', drilled],
  ['Restore into an empty folder', 'a restore into an empty folder leaves it to the service, which sells on', movedIn],
  ['Keys', 'exchange keys can still be revealed, with the new key', rotated],
  ['Passwords', 'both admins can log in with the passwords shown', renewed],
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

test.for(checks.map((each, index) => [...each, index] as const))('%s: %s', async ([, , check, index]) => {
  if (blocks[index]?.heading === 'Upgrade') publishNextVersion()
  const output = follow(blocks[index]?.commands ?? '')
  // Connections to a shop that the commands have stopped are only noticed now.
  await sleep(100)
  await expect(check(output)).resolves.toBeUndefined()
})

test('systemd accepts the units', ({ skip }) => {
  // Where they say it is, the shop is not installed here.
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

const must = (ok: boolean, what: string) => expect(ok, what).toBe(true)

/** A buyer with an account buys and requests access. */
async function sell() {
  const page = await (await fetch(`${url}/checkout`)).text()
  const { buy } = createBuyers({ url, publishableKey: () => /pk_test_\w+/.exec(page)?.[0] ?? '' })
  const buyer = createVisitor(url)
  const email = `buyer-${sold.length + 1}@shop.example`
  await buyer.call(accounts.register, { name: 'Buyer', email, password: 'a long password for the shop' })
  const { paymentIntentId } = await buy(buyer)
  await buyer.call(access.submit, {
    paymentIntentId: paymentIntentId ?? '',
    exchangeName: 'Kraken',
    tradingViewUsername: 'buyer_of_the_shop',
    ...keys,
  })
  sold.push(email)
}

async function mustShow(emails: string[]) {
  const shown = (await admin.call(purchases.adminList, { limit: 100 })).map(({ user }) => user.email)
  must(
    shown.toSorted().join() === emails.toSorted().join(),
    `purchases of ${emails.join(', ')}, but the admin sees ${shown.join(', ')}`,
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

async function migrationsRun() {
  return (await inDatabase('select from drizzle.__drizzle_migrations')).length
}

function migrationsHere() {
  return readMigrations(join(folder, 'server/database/migrations')).length
}

async function available(output: string) {
  must(/^v\d+\./m.test(output), 'a version')
}

async function built() {
  const user = { ...service, encoding: 'utf8' as const }
  const { status, stderr } = spawnSync('test', ['-w', join(folder, 'node_modules')], user)
  must(status === 1, `a folder that the service cannot write ${stderr}`)
  must(existsSync(join(folder, 'dist/sources')), 'the stamp of a build')
}

async function linked() {
  must(/^PAYMENTS=sandbox$/m.test(readFileSync(join(folder, '.env'), 'utf8')), 'the settings, by their link')
}

async function deployed(output: string) {
  const [, email = '', password = ''] = /([\w.]+@[\w.]+) {2}(\S+)$/m.exec(output) ?? []
  await admin.call(accounts.login, { email, password })
  const { secret, sealed } = await admin.call(factors.beginAppCodes, {})
  codeNow = () => codeAt(secret, Math.floor(Date.now() / 30_000))
  await admin.call(factors.confirmAppCodes, { sealed, code: codeNow() })
  await sell()
  await mustShow(sold)
  // Changes by the seller live in their own branch.
  const help = join(folder, 'content/help.md')
  writeFileSync(help, readFileSync(help, 'utf8').replace(/^## .+$/m, '## What only this shop says'))
  run('git', ['-c', 'user.name=Seller', '-c', 'user.email=a@shop.example', 'commit', '-qam', 'Ours'], folder)
}

async function mustServe(proxyPort: number) {
  const at = ['--resolve', `shop.example:${proxyPort}:127.0.0.1`, `https://shop.example:${proxyPort}/about`]
  const patience = ['--retry', '60', '--retry-delay', '1', '--retry-all-errors']
  const page = run('curl', ['--silent', '--fail', '--insecure', ...patience, ...at], folder)
  must(page.includes('Test mode.'), 'the page, with its ribbon')
}

async function upgraded() {
  must((await (await fetch(`${url}/help`)).text()).includes('What only this shop says'), 'the seller’s own text')
  must((await migrationsRun()) === migrationsHere(), 'every migration of the next version')
  await mustShow(sold)
  await sell()
}

async function rolledBack() {
  must((await migrationsRun()) > migrationsHere(), 'an older version on the next version’s schema')
  await sell()
  await mustShow(sold)
  // The damage that the next block repairs.
  await inDatabase('delete from access_forms')
}

async function restored() {
  must((await migrationsRun()) === migrationsHere(), 'the schema of this version')
  await mustShow(sold.slice(0, 1))
  await mustReveal()
}

async function backedUp() {
  must(existsSync(join(dataDir, 'shop.sql.gz')), 'the file')
}

async function timed(output: string) {
  must(/^daily-[\dT-]+\.sql\.gz$/m.test(output), 'a backup of today')
  const sign = createServer((request, response) => response.end(request.url))
  await once(sign.listen(0), 'listening')
  const asked = once(sign, 'request')
  const { port: at } = sign.address() as AddressInfo
  writeFileSync(join(root, 'etc/rebound-sigma-shop-backup.env'), `BACKUP_PING_URL='http://127.0.0.1:${at}/alive'`)
  // Not in step with this process, which has to answer.
  const again = spawn(join(root, 'bin/systemctl'), ['start', 'rebound-sigma-shop-backup.service'], { stdio: 'ignore' })
  const [code] = await once(again, 'exit')
  must(code === 0, 'a second backup')
  const [request] = (await asked) as [IncomingMessage]
  must(request.url === '/alive', 'the sign')
  sign.close()
}

async function drilled(output: string) {
  must(/^Restored \d+ rows in \d+ tables .*every checksum matches\.$/m.test(output), 'a restored copy')
  await mustShow(sold.slice(0, 1))
}

async function movedIn() {
  const home = join(dataDir, 'postgres')
  for (const path of [dataDir, home, join(home, 'data'), join(home, 'password')])
    must(statSync(path).uid === service.uid, `${path} of the service`)
  must((statSync(dataDir).mode & 0o777) === 0o755, 'the mode of the data folder')
  await mustShow(sold.slice(0, 1))
  await mustReveal()
}

async function mustReveal() {
  const [waiting] = await admin.call(accessAdmin.todo, { limit: 100 })
  const revealed = await admin.call(accessAdmin.reveal, { id: waiting?.id ?? '' })
  must(JSON.stringify(revealed) === JSON.stringify(keys), 'the exchange keys')
}

async function rotated(output: string) {
  must(/^2 sealed again/m.test(output), 'an exchange key and the app’s secret sealed again')
  const settings = readFileSync(join(root, 'etc/rebound-sigma-shop.env'), 'utf8')
  must(!/^SECRETS_KEY_OLD=/m.test(settings), 'no old key')
  await mustReveal()
}

async function renewed(output: string) {
  const shown = [...output.matchAll(/^(\S+) is now an admin with the password (\S+)$/gm)]
  must(shown.length === 2, 'two passwords')
  for (const [, email = '', password = ''] of shown) {
    const visitor = createVisitor(url)
    await visitor.call(accounts.login, { email, password }).catch(async (error: unknown) => {
      // The first admin has a second step, sealed with the key that was just changed.
      must(error instanceof ApiError && error.secondSteps?.[0] === 'code', 'a login, or one that asks for a code')
      await visitor.call(logins.withCode, { code: codeNow() })
    })
  }
}

async function watched(output: string) {
  must(/^shop_stripe_events_overdue /m.test(output), 'the gauge of overdue events')
}
