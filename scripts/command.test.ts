import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
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
  return { status, said: stderr || stdout }
}

const commands = ['admin add a@example.com', `backup ${file}.gz`, `restore ${file}`, 'secrets rotate', 'demo']

test.each(commands)('%s: a problem with the settings is reported in one line', (command) => {
  for (const [env, line] of [
    [{ PORT: 'abc' }, /^PORT must be a whole number\n$/],
    [
      { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/shop' },
      /^Cannot reach the PostgreSQL at 127.0.0.1:1[^\n]+\n$/,
    ],
  ] as const)
    expect(run(command, env)).toEqual({ status: 1, said: expect.stringMatching(line) })
})

test('a command that fails leaves no PostgreSQL running', () => {
  for (const [command, line] of [
    [`backup ${file}.gz`, /^There is no SECRETS_KEY/],
    [`restore ${file}`, /^This is not a backup/],
  ] as const)
    expect(run(command, {})).toEqual({ status: 1, said: expect.stringMatching(line) })
  expect(existsSync(join(folder, 'postgres', 'data', 'PG_VERSION'))).toBe(true)
  expect(existsSync(join(folder, 'postgres', 'data', 'postmaster.pid'))).toBe(false)
})

test('what is done on the command line is in the audit log, and a backup is for its owner alone', async () => {
  const database = await createTestDatabase()
  // As if another user of this machine had put it there, to read the backup.
  writeFileSync(`${file}.gz.part`, '', { mode: 0o644 })
  const env = { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('hex') }
  for (const command of [
    'admin add a@example.com',
    'admin reset a@example.com',
    'secrets rotate',
    `backup ${file}.gz`,
    `restore ${file}.gz --replace`,
  ])
    expect([command, run(command, env)]).toEqual([command, { status: 0, said: expect.any(String) }])
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
