import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { connect } from '#server/database/connect.ts'
import { readMigrations } from '#server/database/migrations.ts'
import { readOutbox } from '#server/gateways/outbox.ts'
import { compareBooks } from '#server/testing/books.ts'
import { jobsAreDone } from '#server/testing/crashes.ts'
import { hasPgBouncer, openPgBouncer } from '#server/testing/pgbouncer.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { hasNginx, openNginx, openPostgresPair } from './cluster/machines.ts'
import { openVisitors, type Visitors } from './cluster/visitors.ts'
import { countDifferent } from './lab/books.ts'
import { query } from './lab/lab.ts'
import { entryOfThisVersion, installNextVersion } from './lab/next-version.ts'
import { openProcess } from './lab/shop-process.ts'

/** `npm run proof -- cluster`: nginx, two shops, PgBouncer, a primary and its replica; each dies while buyers buy. */
const home = mkdtempSync(join(tmpdir(), 'shop-cluster-'))
chmodSync(home, 0o755)
const secretsKey = randomBytes(32).toString('hex')
const dataDirs = [join(home, 'one'), join(home, 'two')] as const

test('no acknowledged write is lost, whichever part of a cluster dies', async () => {
  if (!hasPgBouncer || !hasNginx)
    throw new Error('This needs PgBouncer and nginx: apt-get install pgbouncer nginx-light')
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { primary, replica, close } = await openPostgresPair(home)
  onTestFinished(close)
  const pooler = await openPgBouncer(primary.url, 20)
  onTestFinished(pooler.close)
  const front = await openNginx(home)
  const env = {
    NODE_ENV: 'production',
    // The admin of this proof logs in without a second step.
    ADMIN_TWO_FACTOR: 'optional',
    PUBLIC_URL: front.url,
    PAYMENTS: 'sandbox',
    SECRETS_KEY: secretsKey,
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: pooler.sessionUrl,
    DATABASE_REPLICA_URL: replica.url,
    // Two proxies: nginx, and the visitors, who send their own address like a CDN.
    TRUST_PROXY: '2',
    LOG_LEVEL: 'silent',
  }
  const openMachine = async (dataDir: string) => {
    const machine = await openProcess({ ...env, DATA_DIR: dataDir }, { entry: entryOfThisVersion })
    onTestFinished(async () => void (await machine.stop()))
    return machine
  }
  // Both start at the same time on an empty database, so one migrates while the other waits.
  const [one, two] = await Promise.all([openMachine(dataDirs[0]), openMachine(dataDirs[1])])
  onTestFinished((await front.start([one, two])).close)
  // Events come from outside, through the proxy, as Stripe sends them.
  await query(pooler.url, `update sandbox.settings set quirks = '{"drop": true}'`)

  await checkSharedState(one.url, two.url)
  const sessionsBefore = await countSessionsOn(replica.url)
  const visitors = await openVisitors({ front, databaseUrl: pooler.url, dataDir: home, secretsKey })
  const during = (name: string, limit: number, work: () => Promise<unknown>) =>
    checkInterruption(visitors, name, limit, work)

  await during('nothing broken', 2, () => sleep(10_000))
  const { exports } = visitors.counts
  const sessions = (await countSessionsOn(replica.url)) - sessionsBefore
  checkThat(exports > 0 && sessions >= exports, `${exports} exports read from the replica`)
  await during('a shop killed with SIGKILL, started again after 1 s', 3, async () => {
    await one.stop('SIGKILL')
    await sleep(1000)
    await one.startAgain()
  })
  await during('PgBouncer killed with SIGKILL, started again after 1 s', 5, async () => {
    await pooler.kill()
    await sleep(1000)
    await pooler.start()
  })
  await during('primary killed with SIGKILL, replica promoted, PgBouncer pointed to it', 10, async () => {
    primary.kill()
    replica.promote()
    pooler.repoint(replica.url)
  })
  const nextVersion = join(home, 'next-version')
  const nextEntry = installNextVersion(nextVersion)
  await during('the next version deployed, one machine after the other, with a migration', 2, async () => {
    for (const machine of [one, two]) {
      await machine.stop('SIGTERM')
      await machine.startAgain(nextEntry)
    }
  })
  await visitors.stop()
  await checkAcknowledged(visitors, replica.url)
  await checkMigrationsOf(replica.url, nextVersion)
})

function checkThat(ok: boolean, sentence: string) {
  console.log(`${ok ? '✓' : '✗'} ${sentence}`)
  expect.soft(ok, sentence).toBe(true)
}

/** Checks the longest time without an answer during `breakIt` and 8 s after it. */
async function checkInterruption(
  visitors: Visitors,
  name: string,
  limitSeconds: number,
  breakIt: () => Promise<unknown>,
) {
  const from = performance.now()
  await breakIt()
  await sleep(8000)
  const to = performance.now()
  const gaps = Object.entries(visitors.timelines).map(([what, timeline]) => ({
    what,
    seconds: timeline.longestGap(from, to) / 1000,
  }))
  const figures = gaps.map(({ what, seconds }) => `${what} ${seconds.toFixed(1)} s`).join(', ')
  checkThat(
    gaps.every(({ seconds }) => seconds < limitSeconds),
    `${name}: longest time without an answer: ${figures}`,
  )
  console.log(`    ${visitors.answers.show()}`)
  visitors.answers.clear()
}

async function checkSharedState(one: string, two: string) {
  const [visitorAtOne, visitorAtTwo] = [createVisitor(one), createVisitor(two)]
  const [email, password] = ['shared@cluster.example', 'a long password for the cluster']
  await visitorAtOne.call(accounts.register, { name: 'Shared', email, password })
  for (const [name, value] of visitorAtOne.cookies) visitorAtTwo.cookies.set(name, value)
  const isLoggedIn = await visitorAtTwo.call(accounts.user, {}).then(
    (user) => user?.email === email,
    () => false,
  )
  checkThat(isLoggedIn, 'someone who logged in at one machine is logged in at the other')
  const statuses: number[] = []
  for (let tries = 0; tries < 12; tries++) statuses.push(await logInAt(tries % 2 ? one : two, email))
  const refused = statuses.filter((status) => status === 429).length
  checkThat(refused === 2, `12 wrong passwords, half at each machine: ${refused} refused (10 are allowed)`)
}

async function logInAt(url: string, email: string) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email, password: 'not the password' })
  return (await fetch(`${url}/api/login`, { method: 'POST', headers, body })).status
}

async function countSessionsOn(url: string): Promise<number> {
  // Statistics arrive when a session ends, at the latest after a second.
  await sleep(1200)
  const [row] = await query<{ sessions: number }>(
    url,
    'select sessions::int from pg_stat_database where datname = current_database()',
  )
  return row?.sessions ?? 0
}

async function checkAcknowledged(visitors: Visitors, url: string) {
  const { counts, gaveUp, people, posted, writes } = visitors
  const { confirmed, registeredEmails } = people
  const connection = connect(url, () => {})
  await jobsAreDone(connection)
  const books = await compareBooks({ connection })
  await connection.close()
  const countMissing = async (from: string, values: string[]) => {
    const [row] = await query<{ found: number }>(url, `select count(*)::int as found from ${from} = any($1)`, [values])
    return values.length - (row?.found ?? 0)
  }
  const lostCounts = [
    await writes.countLost(url),
    await countMissing('users where email', registeredEmails),
    await countMissing('purchases where payment_intent_id', confirmed),
    await countMissing('stripe_events where id', [...posted]),
  ]
  const lostCount = lostCounts.reduce((sum, count) => sum + count, 0)
  const acknowledgedCount = writes.acknowledged.length + registeredEmails.length + confirmed.length + posted.size
  checkThat(lostCount === 0, `${acknowledgedCount} acknowledged writes, ${lostCount} lost`)

  const [doubled] = await query<{ count: number }>(
    url,
    'select count(*)::int from (select from purchases group by user_id having count(*) > 1) as twice',
  )
  const mailsByMachine = await Promise.all(dataDirs.map((folder) => readOutbox(join(folder, 'outbox'))))
  const receipts = mailsByMachine.flat().filter(({ subject }) => subject.startsWith('Your receipt'))
  const receiptCount = new Set(receipts.map(({ messageId }) => messageId)).size
  const different = countDifferent(books)
  checkThat(
    doubled?.count === 0 && different === 0 && receiptCount === books.booked.length && books.booked.length > 0,
    `${books.booked.length} purchases: ${doubled?.count} doubled, ${different} differ from the payment side, ${receiptCount} receipts`,
  )
  checkThat(
    people.counts.logins > 0 && people.counts.sessionsLost === 0,
    `${people.counts.logins} logins, ${people.counts.sessionsLost} sessions lost`,
  )
  checkThat(
    gaveUp.length === 0,
    `${confirmed.length} buyers got through, ${people.counts.byEmail} guests have to log in by email, ${gaveUp.length} gave up${gaveUp.map((why) => `; ${why}`).join('')}`,
  )
  console.log(`  ${counts.exports} exports, ${counts.failedExports} had to be repeated`)
}

async function checkMigrationsOf(url: string, nextVersion: string) {
  const hashes = readMigrations(join(nextVersion, 'server/database/migrations')).map(({ hash }) => hash)
  const [row] = await query<{ applied: number }>(
    url,
    'select count(*)::int as applied from drizzle.__drizzle_migrations where hash = any($1)',
    [hashes],
  )
  checkThat(
    row?.applied === hashes.length,
    `${row?.applied} of the next version’s ${hashes.length} migrations have run`,
  )
}
