import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openEmbedded } from '#server/database/embedded.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'shop-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'file')
writeFileSync(file, 'not a backup')

function run(command: string, env: Record<string, string>) {
  const [name = '', ...args] = command.split(' ')
  const { status, stderr, stdout } = spawnSync(process.execPath, [`scripts/${name}.ts`, ...args], {
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: folder, ...env },
    encoding: 'utf8',
  })
  return { status, output: stderr || stdout }
}

test('a database that does not answer is reported in one line', () => {
  const line = /^Cannot reach the PostgreSQL at 127.0.0.1:1[^\n]+\n$/
  const result = run(`restore ${file}`, { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/shop' })
  expect(result).toEqual({ status: 1, output: expect.stringMatching(line) })
})

test.each([
  ['stripe check', { STRIPE_SECRET_KEY: 'pk_test_1' }, 'STRIPE_SECRET_KEY must start with sk_ or rk_\n'],
  [
    'stripe setup',
    { STRIPE_SECRET_KEY: 'sk_test_1' },
    'PUBLIC_URL is not set: put it in .env, or in the environment\n',
  ],
  ['admin add a@example.com', { PORT: 'abc' }, 'PORT must be a whole number\n'],
  [`backup ${file}`, {}, `${file} is there already, and a backup never replaces another. Choose a new name.\n`],
])('%s says what is wrong, in one line', (command, env, output) => {
  expect(run(command, env)).toEqual({ status: 1, output })
  expect(readFileSync(file, 'utf8')).toBe('not a backup')
})

test('a database role without rights is reported in one line, with the statement that grants them', async () => {
  const { superuserUrl, close } = await openEmbedded(folder)
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await close()
  })
  await client.query(`create role weak login password 'weak'`)
  await client.query('create database weaks_shop')
  await client.query('grant all privileges on database weaks_shop to weak')
  const url = `postgres://weak:weak@${new URL(superuserUrl).host}/weaks_shop`
  const refused = run('admin add a@example.com', { DATABASE_URL: url })
  expect(refused).toEqual({
    status: 1,
    output: expect.stringMatching(/^The role "weak" lacks rights in its database \(permission denied[^\n]+\n$/),
  })
  await client.query(/superuser: (.+;)\n$/.exec(refused.output)?.[1] ?? '')
  expect(run('admin add a@example.com', { DATABASE_URL: url })).toMatchObject({ status: 0 })
})

test('a command that fails leaves no PostgreSQL running', () => {
  for (const [command, line] of [
    [`backup ${file}.gz`, /^There is no SECRETS_KEY/],
    [`restore ${file}`, /^This is not a backup/],
  ] as const)
    expect(run(command, {})).toEqual({ status: 1, output: expect.stringMatching(line) })
  expect(existsSync(join(folder, 'postgres', 'data', 'PG_VERSION'))).toBe(true)
  expect(existsSync(join(folder, 'postgres', 'data', 'postmaster.pid'))).toBe(false)
})

test('commands are recorded in the audit log, and only its owner can read a backup', async () => {
  const database = await createTestDatabase()
  // Simulates another user of the machine who wants to read the backup.
  writeFileSync(`${file}.gz.part`, '', { mode: 0o644 })
  const env = { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('hex') }
  for (const command of [
    'admin add a@example.com',
    'admin reset a@example.com',
    'secrets rotate',
    `backup ${file}.gz`,
    `restore ${file}.gz --replace`,
  ])
    expect([command, run(command, env)]).toEqual([command, { status: 0, output: expect.any(String) }])
  expect(statSync(`${file}.gz`).mode & 0o777).toBe(0o600)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(
    'select action, actor_id as actor, about_id is not null as about, detail from audit_log order by id',
  )
  await client.end()
  await database.drop()
  expect(rows).toEqual([
    { action: 'admin.add', actor: null, about: true, detail: null },
    { action: 'admin.reset', actor: null, about: true, detail: null },
    { action: 'secrets.rotate', actor: null, about: false, detail: { resealed: 0 } },
    { action: 'backup.create', actor: null, about: false, detail: null },
    { action: 'backup.restore', actor: null, about: false, detail: { unsigned: false } },
  ])
})
