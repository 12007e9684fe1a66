import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { type Embedded, openEmbedded } from './embedded.ts'
import { linkPostgresLibraries, nobody, postgresBinaries } from './embedded-place.ts'

/** Shared by all tests, because the first start takes longest. */
const dataDir = mkdtempSync(join(tmpdir(), 'shop-embedded-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

const pidFile = (folder: string) => join(folder, 'postmaster.pid')
const postmasterPid = ({ folder }: Embedded) => Number(readFileSync(pidFile(folder), 'utf8').split('\n')[0])
const pathsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

test('a local PostgreSQL that dies restarts at the same address with all its data', async () => {
  const embedded = await openEmbedded(dataDir)
  try {
    await query(embedded.url, 'create table kept as select 42 as answer')
    const killedPid = postmasterPid(embedded)
    process.kill(killedPid, 'SIGKILL')
    const readRows = () => query(embedded.url, 'select answer from kept')
    const rows = await vi.waitFor(readRows, { timeout: 30_000, interval: 200 })
    expect(rows).toEqual([{ answer: 42 }])
    expect(postmasterPid(embedded)).not.toBe(killedPid)
  } finally {
    await embedded.close()
  }
})

test('the local PostgreSQL has connections for ten processes of the shop', async () => {
  const embedded = await openEmbedded(dataDir)
  try {
    const [row] = await query(embedded.url, `select current_setting('max_connections')::int as connections`)
    expect(row.connections).toBeGreaterThan(10 * 31)
  } finally {
    await embedded.close()
  }
})

test('a process that reused the pid of a killed PostgreSQL is not mistaken for it', async () => {
  const { folder, close } = await openEmbedded(dataDir)
  const pidFileText = readFileSync(pidFile(folder), 'utf8')
  await close()
  // Simulates a power failure, which leaves the file. PostgreSQL itself would wait for a process of the same user.
  const sleeper = spawn('sleep', ['600'], { ...nobody })
  try {
    writeFileSync(pidFile(folder), pidFileText.replace(/^\d+/, String(sleeper.pid)))
    const reopened = await openEmbedded(dataDir)
    expect(postmasterPid(reopened)).not.toBe(sleeper.pid)
    expect(await query(reopened.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await reopened.close()
  } finally {
    sleeper.kill('SIGKILL')
  }
})

test.runIf(process.platform === 'linux')('the local PostgreSQL sees none of the shop’s settings', async () => {
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_planted')
  const embedded = await openEmbedded(dataDir)
  vi.unstubAllEnvs()
  try {
    const environment = readFileSync(`/proc/${postmasterPid(embedded)}/environ`, 'utf8').split('\0')
    expect(environment).toContain('TZ=UTC')
    expect(environment.join()).not.toMatch(/planted|HOME|npm_/)
  } finally {
    await embedded.close()
  }
})

test.runIf(nobody)('root can start a service’s PostgreSQL, and all files still belong to the service', async () => {
  const serviceUid = 4321
  const { folder, close } = await openEmbedded(dataDir)
  await close()
  const home = dirname(folder)
  const paths = [home, ...pathsIn(home)]
  for (const path of paths) chownSync(path, serviceUid, serviceUid)
  const embedded = await openEmbedded(dataDir)
  try {
    expect(statSync(`/proc/${postmasterPid(embedded)}`).uid).toBe(serviceUid)
    expect(paths.filter((path) => existsSync(path) && statSync(path).uid !== serviceUid)).toEqual([])
  } finally {
    await embedded.close()
  }
})

test.runIf(nobody)(
  'root can restore into an empty folder of a service, and all files belong to the service',
  async () => {
    // A user of every Debian: initdb needs a user with a name.
    const serviceUid = 1
    const empty = mkdtempSync(join(tmpdir(), 'shop-embedded-'))
    chownSync(empty, serviceUid, serviceUid)
    chmodSync(empty, 0o700)
    const { folder, close } = await openEmbedded(empty)
    await close()
    const paths = pathsIn(empty)
    expect(paths).toContain(folder)
    expect(paths.filter((path) => statSync(path).uid !== serviceUid)).toEqual([])
    expect(statSync(empty).mode & 0o777).toBe(0o700)
    rmSync(empty, { recursive: true })
  },
)

test.runIf(nobody)('data of another user is refused in a sentence with the command that mends it', async () => {
  const { folder, close } = await openEmbedded(dataDir)
  await close()
  const program = `import { openEmbedded } from '#server/database/embedded.ts'
    await openEmbedded(${JSON.stringify(dataDir)}).catch((error) => console.log(error.message))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    uid: 4322,
    gid: 4322,
    encoding: 'utf8',
  })
  expect(stdout).toContain(`but the shop runs as 4322. As root, run: chown --recursive 4322: ${dirname(folder)}`)
})

test('data of an older PostgreSQL is refused with what to do, and nothing is changed', async () => {
  const { folder, close } = await openEmbedded(dataDir)
  await close()
  const file = join(folder, 'PG_VERSION')
  const version = readFileSync(file, 'utf8')
  writeFileSync(file, '17\n')
  await expect(openEmbedded(dataDir)).rejects.toThrow(/made by PostgreSQL 17, .+ make a backup; then restore it/)
  expect(readFileSync(file, 'utf8')).toBe('17\n')
  writeFileSync(file, version)
})

test('the package’s links are made by the build, never at a start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-postgres-'))
  chmodSync(folder, 0o755)
  const installed = { folder, manifest: join(folder, 'package.json') }
  mkdirSync(join(folder, 'native/lib'), { recursive: true })
  writeFileSync(join(folder, 'native/lib/libpq.so.5.18'), '')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))

  expect(() => postgresBinaries(installed)).toThrow(/lacks .+libpq\.so\.5\. .+ npm run build$/)
  expect(existsSync(join(folder, 'native/lib/libpq.so.5'))).toBe(false)
  linkPostgresLibraries(installed)
  linkPostgresLibraries(installed)
  expect(postgresBinaries(installed)).toBe(join(folder, 'native'))
  rmSync(folder, { recursive: true })
})

describe('the shop in its local PostgreSQL', () => {
  const statementsOutside = [
    `copy (select 1) to program 'cat'`,
    `select pg_read_file('PG_VERSION')`,
    'create role another',
    'create database another',
    'alter system set fsync = off',
  ]

  test('may do what it likes with its own data, and nothing outside of it', async () => {
    const { url, close } = await openEmbedded(dataDir)
    try {
      await query(url, 'create schema own; create table own.kept as select 1')
      for (const statement of statementsOutside)
        await expect(query(url, statement), statement).rejects.toThrow(/permission/)
    } finally {
      await close()
    }
  })
})
