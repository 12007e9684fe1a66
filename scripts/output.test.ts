import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '#server/database/free-port.ts'
import { paths } from '#server/paths.ts'
import { startArguments } from '#server/testing/start-arguments.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import freshBuild from './fresh-build.ts'

beforeAll(freshBuild)

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>

async function runBuild(env: Record<string, string>, preparedDatabase?: TestDatabase) {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-output-'))
  const { url, drop } = preparedDatabase ?? (await createTestDatabase({ empty: true }))
  const child = spawn(process.execPath, startArguments, {
    cwd: paths.root,
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([child.stdout, child.stderr].map((stream) => once(stream, 'close')))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  const lineWith = async (text: string) => {
    await expect.poll(() => lines.find((line) => line.includes(text)), { interval: 50 }).toBeDefined()
    return JSON.parse(lines.find((line) => line.includes(text)) ?? '')
  }
  return { lines, lineWith, ended, child }
}

const production = {
  NODE_ENV: 'production',
  PAYMENTS: 'sandbox',
  SECRETS_KEY: randomBytes(32).toString('hex'),
  PUBLIC_URL: 'https://shop.example',
}

test('in production, the shop prints JSON with TypeScript lines of errors, and gets no webhook before it listens', async () => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  // Due immediately. Its type is none that the shop reads.
  await client.query(`insert into sandbox.events (id, type, created, data) values ('evt_1', 'product.updated', 0,
    '{"id": "evt_1", "object": "event", "type": "product.updated", "data": {"object": {}}}')`)
  await client.query(`insert into sandbox.deliveries (event) values ('evt_1')`)

  const { lines, lineWith } = await runBuild(production, database)
  onTestFinished(() => client.end())
  await lineWith('The first admin')
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages).toContain('The shop is open')
  const delivered = 'select attempts, last_answer from sandbox.deliveries where delivered_at is not null'
  await expect
    .poll(async () => (await client.query(delivered)).rows)
    .toEqual([{ attempts: 1, last_answer: '200 {"received":true}' }])

  await client.query('alter table shop_settings rename to moved_away')
  const { err } = await lineWith('could not refresh the pages')
  expect(err.stack).toMatch(/server\/settings\/settings\.ts:\d+:\d+/)
})

test('in production, the reason for not starting is printed as JSON', async () => {
  const { lines, ended } = await runBuild({ NODE_ENV: 'production', SECRETS_KEY: '' })
  await ended
  expect(lines).not.toEqual([])
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 60 })
})

test('a data folder that cannot be created fails with one line and exit code 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-data-'))
  writeFileSync(join(folder, 'file'), '')
  for (const dataDir of ['/proc/nowhere/data', join(folder, 'file', 'data')]) {
    const { status, stderr } = spawnSync(process.execPath, startArguments, {
      cwd: paths.root,
      env: { ...process.env, PORT: '0', DATA_DIR: dataDir },
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(stderr).toMatch(/^The shop cannot start. Cannot write to the data folder [^\n]+\n$/)
    expect(stderr).toContain(dataDir)
    expect(status).toBe(1)
  }
  rmSync(folder, { recursive: true })
})

test('a killed server process and a shutdown print one line each', async () => {
  const { lines, lineWith, ended, child } = await runBuild({
    ...production,
    WEB_CONCURRENCY: '2',
    PORT: String(await freePort()),
  })
  await lineWith('The shop is open')
  const { pid } = await lineWith('Server listening')
  process.kill(pid, 'SIGKILL')
  expect(await lineWith('A server process ended')).toMatchObject({ level: 50, signal: 'SIGKILL' })
  child.kill('SIGTERM')
  await ended
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages.filter((message) => /process ended/.test(message))).toHaveLength(1)
  expect(messages.filter((message) => /closed/.test(message))).toEqual(['The shop is closed'])
})

test('a shop that is stopped during its start exits cleanly', async () => {
  const { child } = await runBuild({}, await createTestDatabase())
  const exited = once(child, 'exit')
  // The shop starts listening before it has looked for its first admin, so its start is not finished yet.
  child.stdout.on('data', (lines) => {
    if (String(lines).includes('Server listening')) child.kill('SIGTERM')
  })
  expect(await exited).toEqual([0, null])
})
