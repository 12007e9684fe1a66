import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { describeSchema } from '../testing/describe-schema.ts'
import { look, type Seen } from '../testing/life.ts'
import { loadDump } from '../testing/load-dump.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { connect } from './connect.ts'

/** Data that each release wrote, and what it showed: made by `server/testing/freeze.ts`, never changed. */
const released = fileURLToPath(new URL('../testing/released', import.meta.url))

/** What 1.0 put something else in place of; `access-move.test.ts` and a test below show that it arrives there. */
const isReplaced = /^\/api\/(admin\/)?access|\/admin\/overview$|\/export\/forms$|\/admin\/reminders$/

/** Orders have more columns now, after the ten of then. */
function asThen(path: string, seen: Awaited<ReturnType<typeof look>>) {
  if (!path.endsWith('/export/orders') || !Array.isArray(seen.body)) return seen
  return { ...seen, body: seen.body.map((line) => String(line).split(',').slice(0, 10).join(',')) }
}

describe.each(readdirSync(released))('a shop from release %s', (release) => {
  const seen: Seen = JSON.parse(gunzipSync(readFileSync(join(released, release, 'seen.json.gz'))).toString())
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let shop: TestShop

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true })
    await loadDump(database.url, join(released, release, 'database.sql.gz'))
    await stopTheClocks()
    await leaveJobs()
    shop = await openShop({
      databaseUrl: database.url,
      env: { SECRETS_KEY: seen.secretsKey },
      startsAt: new Date(seen.at),
    })
  })
  afterAll(async () => {
    await shop.close()
    await database.drop()
  })

  /** Between the release and today no renewal falls due, and no schedule is missed. */
  async function stopTheClocks() {
    const { db, close } = connect(database.url, () => {})
    const offset = Math.floor((new Date(seen.at).getTime() - Date.now()) / 1000)
    await db.execute(sql`update sandbox.settings set clock_offset = ${offset}`)
    await db.execute(sql`update jobs.version set cron_on = now()`)
    await close()
  }

  /** Under a name that today's release no longer uses: twice for each person, as was possible then. */
  async function leaveJobs() {
    const { db, close } = connect(database.url, () => {})
    await db.execute(
      sql`insert into jobs.job (name, policy, data) select q.name, q.policy, jsonb_build_object('userId', u.id)
          from jobs.queue q, users u, generate_series(1, 2) where q.name = 'tradingview-sync'`,
    )
    await close()
  }

  /** Someone who was logged in then and still is. */
  function comeBack(name: string) {
    const visitor = shop.visitor()
    for (const [cookie, value] of Object.entries(seen.people[name] ?? {})) visitor.cookies.set(cookie, value)
    return visitor
  }

  function passwordOf(name: string) {
    const credentials = seen.passwords[name]
    if (!credentials) throw new Error(`${name} had no password`)
    return credentials
  }

  test('was backed up before it was changed for good', () => {
    expect(readdirSync(join(shop.config.dataDir, 'backups'))).toEqual([
      expect.stringMatching(/^before-1\..*\.sql\.gz$/),
    ])
  })

  test.each(Object.keys(seen.people))('still knows %s and shows what it showed then', async (name) => {
    const visitor = comeBack(name)
    const answers = Object.entries(seen.answers[name] ?? {}).filter(([path]) => !isReplaced.test(path))
    expect(answers.length).toBeGreaterThan(3)
    for (const [path, answer] of answers)
      expect({ path, ...asThen(path, await look(visitor, path, shop.url)) }).toMatchObject({ path, ...answer })
  })

  test('knows who has access, who waits, and whose access is to be removed', async () => {
    const admin = comeBack('admin')
    const people = await admin.call(accessAdmin.people, { limit: 100 })
    const stateOf = (name: string) => people.find(({ user }) => user.email === `${name}@example.com`)
    for (const name of ['ada', 'david', 'emil'])
      expect(stateOf(name)).toMatchObject({ state: 'unlocked', username: `${name}_trades` })
    expect(stateOf('ben')).toMatchObject({ state: 'asked', username: 'ben_trades' })
    expect(stateOf('carla')).toMatchObject({ state: 'none', username: null })
    const toLock = (await admin.call(accessAdmin.todo, { kind: 'lock', limit: 100 })).map(({ user }) => user.email)
    const path = '/api/admin/access-requests/to-revoke?limit=100'
    const toRevoke = seen.answers.admin?.[path]?.body as { user: { email: string } }[]
    expect(toLock.toSorted()).toEqual(toRevoke.map(({ user }) => user.email).toSorted())
  })

  test('has the same schema as a new shop', async () => {
    await using fresh = await openShop()
    expect(await describeSchema(database.url)).toEqual(await describeSchema(fresh.connection.url))
  })

  test('names nobody in the audit log', async () => {
    const { rows } = await shop.connection.pool.query(
      `select count(*)::int as entries, count(about_id)::int as about,
         count(*) filter (where audit_log::text ~ '@')::int as named from audit_log`,
    )
    expect(rows).toEqual([{ entries: expect.any(Number), about: expect.any(Number), named: 0 }])
    expect(rows[0].about).toBeGreaterThan(2)
  })

  test('lets everyone in with their password from then', async () => {
    for (const credentials of Object.values(seen.passwords))
      expect(await shop.visitor().call(accounts.login, credentials)).toMatchObject({ email: credentials.email })
  })

  test('reveals the exchange keys that were sealed then', async () => {
    const admin = comeBack('admin')
    const open = await admin.call(accessAdmin.todo, { limit: 100 })
    const bens = open.find(({ user }) => user.email === 'ben@example.com')
    expect(await admin.call(accessAdmin.reveal, { id: bens?.id ?? '' })).toEqual(seen.begun.keys)
  })

  test('books a payment made today for a checkout started then', async () => {
    expect(await shop.pay(seen.begun.checkout)).toBe('succeeded')
    await shop.settle()
    const booked = await comeBack('admin').call(purchases.adminList, { q: 'gina@example.com', limit: 10 })
    expect(booked).toMatchObject([{ status: 'active', paymentIntentId: seen.begun.checkout.paymentIntentId }])
  })

  test('accepts the links that were emailed then', async () => {
    await shop.visitor().call(newsletter.confirm, seen.begun.newsletterLink)
    await shop.visitor().call(accounts.resetPassword, { token: seen.begun.resetToken, newPassword: 'a new password' })
    const email = 'ada@example.com'
    expect(await shop.visitor().call(accounts.login, { email, password: 'a new password' })).toMatchObject({ email })
  })

  test('sends the email that was waiting when the shop was stopped', async () => {
    const mails = await shop.mails()
    expect(mails.filter(({ text }) => text.includes('Sent while the mail server was away'))).toHaveLength(1)
  })

  test('hands on the jobs that waited under a former name', async () => {
    await shop.settle()
    const { rows } = await shop.connection.pool.query<{ name: string; isDone: boolean }>(
      `select distinct name, state = 'completed' as "isDone" from jobs.job where name in ('tradingview-sync', 'tradingview-person')`,
    )
    const wereThere = rows.some(({ name }) => name === 'tradingview-sync')
    expect(rows.every(({ isDone }) => isDone)).toBe(true)
    expect(rows.some(({ name }) => name === 'tradingview-person')).toBe(wereThere)
  })

  test('renews a subscription bought then', async () => {
    const bens = async () => {
      const admin = shop.visitor()
      await admin.call(accounts.login, passwordOf('admin'))
      const [purchase] = await admin.call(purchases.adminList, { q: 'ben@example.com', limit: 1 })
      return purchase
    }
    const before = await bens()
    await shop.advance(1, 'month')
    const end = new Date(before?.currentPeriodEnd ?? '')
    end.setUTCMonth(end.getUTCMonth() + 1)
    expect(await bens()).toMatchObject({ id: before?.id, status: 'active', currentPeriodEnd: end.toISOString() })
  })
})
