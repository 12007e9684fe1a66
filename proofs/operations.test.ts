import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
import { freePort } from '#server/database/free-port.ts'
import { readMigrations } from '#server/database/migrations.ts'
import { codeAt } from '#server/features/identity/factors/factors.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import { addNextMigrations, copyOfThisVersion } from './lab/next-version.ts'

/**
 * `npm run proof -- operations`: follows docs/operations.md. Every block of commands runs as it stands there, in order, in a
 * fresh copy of the shop; what each promises is checked through the front door. Only this differs from a real machine:
 * folders lie below a temporary one, the port is free, requests for access wait for the seller, the user stays the one
 * who runs this, and a few lines of bash stand in for systemd, which start and stop what the unit says.
 */
type Block = { heading: string; commands: string }
type Check = (output: string) => Promise<void>

const root = mkdtempSync(join(tmpdir(), 'shop-operations-'))
chmodSync(root, 0o755)
const port = await freePort()
const url = `http://localhost:${port}`
const folder = join(root, 'opt/rebound-sigma-shop')
const dataDir = join(root, 'var/lib/rebound-sigma-shop')
const keys = { apiKey: 'an api key of the exchange', secretKey: 'its secret' }

const admin: Visitor = createVisitor(url)
const sold: string[] = []
/** What the admin's authenticator app shows, once it is set up. */
let codeNow = () => ''

/** One for each block of the page, in its order. */
const checks: [heading: string, promise: string, check: Check][] = [
  ['Deploy', 'the shop is open, its admin logs in and sets up a second step, a buyer buys', deployed],
  ['Upgrade', 'the next version runs its migrations, shows the same purchases, and sells', upgraded],
  ['Roll back', 'the version before runs on the same data, and nothing sold since is lost', rolledBack],
  ['Roll back', 'after damage, everything is as it was before the upgrade', restored],
  ['Backup and restore', 'a backup is taken while the shop runs', backedUp],
  ['Keys', 'exchange keys can still be revealed, with the new key', rotated],
  ['Keys', 'both admins can log in with the passwords shown', renewed],
  ['What to watch', 'the metrics are there', watched],
]

const blocks = readBlocks(readFileSync('docs/operations.md', 'utf8'))

beforeAll(() => {
  makeOrigin()
  makeStandIns()
})

afterAll(() => {
  spawnSync(join(root, 'bin/systemctl'), ['stop'])
  rmSync(root, { recursive: true, force: true })
})

test('docs/operations.md has the blocks that are followed here', () => {
  expect(blocks.map(({ heading }) => heading)).toEqual(checks.map(([heading]) => heading))
})

test.for(checks.map((each, index) => [...each, index] as const))('%s: %s', async ([, , check, index]) => {
  const output = follow(blocks[index]?.commands ?? '')
  // Connections to a shop that the commands have stopped are only noticed now.
  await sleep(100)
  await expect(check(output)).resolves.toBeUndefined()
})

test('systemd accepts the unit', ({ skip }) => {
  const unit = 'deploy/rebound-sigma-shop.service'
  const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
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

/** The repository that an operator clones: this version, and a next one with migrations. */
function makeOrigin() {
  const origin = join(root, 'origin')
  mkdirSync(origin)
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Shop', '-c', 'user.email=shop@example.com', ...args], origin)
  copyOfThisVersion(origin)
  git('init', '--quiet')
  for (const version of ['old', 'new']) {
    if (version === 'new') addNextMigrations(origin)
    git('add', '--all')
    git('commit', '--quiet', `--message=${version}`)
    git('tag', version)
  }
}

function makeStandIns() {
  for (const name of ['bin', 'etc/systemd/system', 'opt', 'run', 'var/lib'])
    mkdirSync(join(root, name), { recursive: true })
  const program = (name: string, text: string) =>
    writeFileSync(join(root, 'bin', name), `#!/bin/bash\nset -euo pipefail\n${text}`, { mode: 0o755 })
  program('useradd', 'true\n')
  program(
    'systemctl',
    `unit=${root}/etc/systemd/system/rebound-sigma-shop.service
pid=${root}/run/shop.pid
value() { sed --quiet "s/^$1=//p" "$unit" | sed 's#/\\(opt\\|etc\\|var/lib\\)/#${root}&#g'; }
start() {
  mkdir --parents ${dataDir}
  cd "$(value WorkingDirectory)"
  (
    export $(value Environment)
    set -a
    source "$(value EnvironmentFile)"
    exec $(value ExecStart)
  ) < /dev/null >> ${root}/run/shop.log 2>&1 &
  echo $! > "$pid"
}
stop() {
  [ -f "$pid" ] || return 0
  kill -TERM "$(cat "$pid")" || true
  while kill -0 "$(cat "$pid")" 2> /dev/null; do sleep 0.1; done
  rm "$pid"
}
case "$1" in
  daemon-reload) ;;
  start | enable) start ;;
  stop) stop ;;
  restart) stop; start ;;
  *) exit 1 ;;
esac
`,
  )
}

/** Runs a block the way it stands on the page, and shows it. */
function follow(commands: string): string {
  const here = commands
    .replaceAll(/\/(?=(?:opt|etc|var\/lib)\/)/g, `${root}/`)
    .replaceAll('localhost:3000', `localhost:${port}`)
    .replace('NODE_ENV=production\n', `NODE_ENV=production\nPORT=${port}\nTRADINGVIEW=off\n`)
    .replace(' --group=shop', '')
  console.log(commands.trim().replaceAll(/^/gm, '    '))
  return run('bash', ['-euo', 'pipefail', '-c', here], existsSync(folder) ? folder : root)
}

function run(program: string, args: string[], cwd: string): string {
  // As on a machine of its own: without this project's tools and npm's settings for this run.
  const path = (process.env.PATH ?? '').split(':').filter((entry) => !entry.includes('node_modules'))
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: [join(root, 'bin'), ...path].join(':'),
      HOME: process.env.HOME ?? root,
      SHOP: join(root, 'origin'),
      OLD: 'old',
      NEW: 'new',
    },
  })
  if (status !== 0) {
    const log = join(root, 'run/shop.log')
    const shopsLog = existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : ''
    throw new Error(`exited with code ${status}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}\n${shopsLog}`)
  }
  return stdout
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

async function deployed(output: string) {
  const [, email = '', password = ''] = /([\w.]+@[\w.]+) {2}(\S+)$/m.exec(output) ?? []
  await admin.call(accounts.login, { email, password })
  const { secret, sealed } = await admin.call(factors.beginAppCodes, {})
  codeNow = () => codeAt(secret, Math.floor(Date.now() / 30_000))
  await admin.call(factors.confirmAppCodes, { sealed, code: codeNow() })
  await sell()
  await mustShow(sold)
}

async function upgraded() {
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
  must(existsSync(join(folder, 'shop.sql.gz')), 'the file')
}

async function mustReveal() {
  const [waiting] = await admin.call(accessAdmin.todo, { limit: 100 })
  const revealed = await admin.call(accessAdmin.reveal, { id: waiting?.id ?? '' })
  must(JSON.stringify(revealed) === JSON.stringify(keys), 'the exchange keys')
}

async function rotated(output: string) {
  must(/^2 sealed anew/m.test(output), 'an exchange key and the app’s secret sealed anew')
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
      must(error instanceof ApiError && error.next?.[0] === 'code', 'a login, or one that asks for a code')
      await visitor.call(logins.withCode, { code: codeNow() })
    })
  }
}

async function watched(output: string) {
  must(/^shop_stripe_events_overdue /m.test(output), 'the gauge of overdue events')
}
