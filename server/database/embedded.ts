import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { StartError } from '../errors.ts'
import { nobody, type Place, placeFor, postgresBinaries } from './embedded-place.ts'
import { freePort } from './free-port.ts'

/** A PostgreSQL of the shop's own: real binaries from npm, durable, reached only by this machine. */
export type Embedded = { url: string; folder: string; close(): Promise<void> }

export async function openEmbedded(dataDir: string): Promise<Embedded> {
  const place = placeFor(dataDir)
  const binaries = postgresBinaries()
  if (!existsSync(join(place.data, 'PG_VERSION'))) await initialise(binaries, place)
  const password = readFileSync(place.password, 'utf8').trim()
  const port = (await runningPort(place, password)) ?? (await start(binaries, place, password))
  const letGo = keepRunning(binaries, place, port)
  return {
    url: urlOf(port, password, 'shop'),
    folder: place.data,
    async close() {
      await letGo()
      await stopUnlessUsed(binaries, place, urlOf(port, password, 'postgres'))
    },
  }
}

const urlOf = (port: number, password: string, database: string) =>
  `postgres://shop:${password}@127.0.0.1:${port}/${database}`

/** Built beside its final place and renamed, so that a killed first start leaves nothing half-made. */
async function initialise(binaries: string, place: Place) {
  const unfinished = `${place.data}.${process.pid}`
  mkdirSync(dirname(place.data), { recursive: true })
  mkdirSync(unfinished, { mode: 0o700 })
  if (!existsSync(place.password)) {
    writeFileSync(place.password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' })
    if (nobody) chownSync(place.password, nobody.uid, nobody.gid)
  }
  if (nobody) chownSync(unfinished, nobody.uid, nobody.gid)
  try {
    await run(binaries, 'initdb', [
      `--pgdata=${unfinished}`,
      '--username=shop',
      '--auth=scram-sha-256',
      `--pwfile=${place.password}`,
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
    ])
    const conf = join(unfinished, 'postgresql.conf')
    writeFileSync(conf, "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\njit = off\n", {
      flag: 'a',
    })
    // Two first starts can race: the rename decides, and the loser uses what the winner made.
    if (!existsSync(place.data)) renameSync(unfinished, place.data)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** A killed server leaves its PostgreSQL running: the next start adopts it. */
async function runningPort(place: Place, password: string): Promise<number | undefined> {
  const pidFile = join(place.data, 'postmaster.pid')
  for (let attempt = 0; attempt < 100; attempt++) {
    if (!existsSync(pidFile)) return undefined
    const [, , , port, , , , status] = readFileSync(pidFile, 'utf8').split('\n')
    if (!isRunning(place)) return undefined
    if (status?.trim() === 'ready' && (await answers(Number(port), password))) return Number(port)
    await new Promise((done) => setTimeout(done, 100))
  }
  return undefined
}

function isRunning(place: Place) {
  try {
    process.kill(Number(readFileSync(join(place.data, 'postmaster.pid'), 'utf8').split('\n')[0]), 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** PostgreSQL gives up when it cannot even recover, as on a full disk: it is started again until it can. */
function keepRunning(binaries: string, place: Place, port: number): () => Promise<void> {
  let starting: Promise<void> | undefined
  const look = setInterval(() => {
    if (starting || isRunning(place)) return
    starting = launch(binaries, place, port)
      .catch(() => undefined)
      .finally(() => (starting = undefined))
  }, 1000)
  look.unref()
  return async () => {
    clearInterval(look)
    await starting
  }
}

async function answers(port: number, password: string) {
  const client = new pg.Client({
    connectionString: urlOf(port, password, 'postgres'),
    connectionTimeoutMillis: 2000,
  })
  try {
    await client.connect()
    await client.query('create database shop').catch(ignoreExisting)
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function ignoreExisting(error: { code?: string }) {
  if (error.code !== '42P04' && error.code !== '23505') throw error
}

const logOf = (place: Place) => join(dirname(place.data), 'postgres.log')

const launch = (binaries: string, place: Place, port: number) =>
  run(binaries, 'pg_ctl', [
    'start',
    '--wait',
    '--silent',
    `--pgdata=${place.data}`,
    `--log=${logOf(place)}`,
    `--options=-p ${port}`,
  ])

async function start(binaries: string, place: Place, password: string): Promise<number> {
  const port = await freePort()
  const log = logOf(place)
  try {
    await launch(binaries, place, port)
  } catch (error) {
    // Another server of ours may have started it in this very moment.
    const adopted = await runningPort(place, password)
    if (adopted) return adopted
    const lines = existsSync(log)
      ? readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ')
      : String(error)
    throw new StartError(`The local PostgreSQL did not start: ${lines} (its log: ${log})`)
  }
  if (!(await answers(port, password)))
    throw new StartError(`The local PostgreSQL does not answer (its log: ${log})`)
  return port
}

/** Another process of the shop may have adopted the same PostgreSQL: then it goes on. */
async function stopUnlessUsed(binaries: string, place: Place, url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
    )
    if (rows.length > 0) return
  } catch {
    return
  } finally {
    await client.end().catch(() => undefined)
  }
  await run(binaries, 'pg_ctl', ['stop', '--mode=fast', '--wait', '--silent', `--pgdata=${place.data}`])
}

function run(binaries: string, program: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(join(binaries, 'bin', program), args, {
      ...nobody,
      stdio: ['ignore', 'ignore', 'pipe'],
      // A stop of the shop by Ctrl-C must not reach PostgreSQL before the shop has finished with it.
      detached: true,
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    })
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += chunk))
    child.on('error', failed)
    // Not 'close': the PostgreSQL that pg_ctl leaves behind inherits stderr and keeps it open.
    child.on('exit', (code) => {
      child.stderr.destroy()
      if (code === 0) done()
      else failed(new StartError(`The local PostgreSQL: ${program} failed. ${errors.trim()}`))
    })
  })
}
