import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../errors.ts'
import { userName } from '../process/permission-fault.ts'
import { type EmbeddedPaths, placeFor, postgresBinaries } from './embedded-place.ts'
import { postmasterOf } from './embedded-postmaster.ts'
import { asSuperuser, prepareRole, type Server, shopUrl, superuserUrl } from './embedded-role.ts'
import { freePort } from './free-port.ts'

export type Embedded = { url: string; superuserUrl: string; folder: string; close(): Promise<void> }

export async function openEmbedded(dataDir: string, binaries = postgresBinaries()): Promise<Embedded> {
  const place = placeFor(dataDir)
  assertOwned(place)
  if (!existsSync(join(place.data, 'PG_VERSION'))) await createData(binaries, place)
  const password = readFileSync(place.password, 'utf8').trim()
  const port = (await runningPort(place, password)) ?? (await start(binaries, place, password))
  const server = serverAt(place, port, password)
  await prepareRole(server)
  const stopWatching = keepRunning(binaries, place, port)
  return {
    url: shopUrl(server),
    superuserUrl: superuserUrl(server),
    folder: place.data,
    async close() {
      await stopWatching()
      await stopUnlessUsed(binaries, place, server)
    },
  }
}

const settings = [
  "listen_addresses = '127.0.0.1'",
  'jit = off',
  // A solid-state disk reads any page about as fast as the next one.
  'random_page_cost = 1.1',
  // Ten processes (WEB_CONCURRENCY) of at most 31 connections, and commands. The default is 100.
  'max_connections = 350',
]

/** PostgreSQL refuses data that belongs to another user. */
function assertOwned({ data, user }: EmbeddedPaths) {
  const owner = statSync(data, { throwIfNoEntry: false })?.uid
  const isNew = owner === undefined
  const isStartedByRoot = user !== undefined
  const isOwn = owner === process.getuid?.()
  if (!isNew && !isStartedByRoot && !isOwn)
    throw new StartError(
      `${data} belongs to the user with the id ${owner}, but the shop runs as ${userName()}. As root, run: chown --recursive ${userName()}: ${dirname(data)}`,
    )
}

/** Creates the data folder under another name and renames it, so that a killed start leaves no incomplete one. */
async function createData(binaries: string, place: EmbeddedPaths) {
  const unfinished = `${place.data}.${process.pid}`
  mkdirSync(dirname(place.data), { recursive: true })
  mkdirSync(unfinished, { mode: 0o700 })
  if (!existsSync(place.password)) {
    writeFileSync(place.password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' })
    if (place.user) chownSync(place.password, place.user.uid, place.user.gid)
  }
  if (place.user) chownSync(unfinished, place.user.uid, place.user.gid)
  try {
    await run(binaries, place, 'initdb', [
      `--pgdata=${unfinished}`,
      '--username=shop',
      '--auth=scram-sha-256',
      `--pwfile=${place.password}`,
      '--encoding=UTF8',
      ...localeOptions(binaries),
    ])
    const conf = join(unfinished, 'postgresql.conf')
    writeFileSync(conf, settings.map((line) => `${line}\n`).join(''), { flag: 'a' })
    // If two first starts race, the second one uses the folder of the first.
    if (!existsSync(place.data)) renameSync(unfinished, place.data)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Select a locale that is equal on every machine, unlike the system's. */
function localeOptions(binaries: string): string[] {
  const { stdout } = spawnSync(join(binaries, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' })
  const version = Number(/\d+/.exec(stdout)?.[0])
  return version < 17 ? ['--locale=C.UTF-8'] : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
}

/** Port of a PostgreSQL that a killed shop has left running. Waits up to 10 s for it to be ready. */
async function runningPort(place: EmbeddedPaths, password: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const running = postmasterOf(place)
    if (!running) return undefined
    if (running.isReady && (await isAnswering(serverAt(place, running.port, password)))) return running.port
    await new Promise((done) => setTimeout(done, 100))
  }
  return undefined
}

/** Restarts PostgreSQL after it has ended, for example on a full disk. Returns a function that stops this. */
function keepRunning(binaries: string, place: EmbeddedPaths, port: number): () => Promise<void> {
  let starting: Promise<void> | undefined
  const timer = setInterval(() => {
    if (starting || postmasterOf(place)) return
    starting = launch(binaries, place, port)
      .catch(() => undefined)
      .finally(() => (starting = undefined))
  }, 1000)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await starting
  }
}

const isAnswering = (server: Server) => asSuperuser(server, 'postgres', async () => true).catch(() => false)

const logOf = (place: EmbeddedPaths) => join(dirname(place.data), 'postgres.log')

const launch = (binaries: string, place: EmbeddedPaths, port: number) =>
  run(binaries, place, 'pg_ctl', [
    'start',
    '--wait',
    '--silent',
    `--pgdata=${place.data}`,
    `--log=${logOf(place)}`,
    // Puts the socket into the data folder, which no other user can enter.
    `--options=-p ${port}${process.platform === 'win32' ? '' : ' -k .'}`,
  ])

/** Uses the socket, unless there is none (on Windows) or its path is too long (100 bytes). */
function serverAt(place: EmbeddedPaths, port: number, password: string): Server {
  const socket = join(place.data, `.s.PGSQL.${port}`)
  const isUsable = existsSync(socket) && Buffer.byteLength(socket) < 100
  return { port, password, socket: isUsable ? place.data : undefined }
}

async function start(binaries: string, place: EmbeddedPaths, password: string): Promise<number> {
  const port = await freePort()
  const log = logOf(place)
  try {
    await launch(binaries, place, port)
  } catch (error) {
    // Another process of the shop may have started PostgreSQL at the same moment.
    const otherPort = await runningPort(place, password)
    if (otherPort) return otherPort
    const reason = lastLines(log) ?? String(error)
    const [, olderVersion] = /initialized by PostgreSQL version (\d+)/.exec(reason) ?? []
    if (olderVersion)
      throw new StartError(
        `${place.data} was made by PostgreSQL ${olderVersion}, and this version of the shop has a newer one. Nothing was changed. With the version of the shop before, make a backup; then restore it into an empty folder (docs/backups.md, "Restore into an empty folder").`,
      )
    throw new StartError(`The local PostgreSQL did not start: ${reason} (its log: ${log})`)
  }
  if (!(await isAnswering(serverAt(place, port, password))))
    throw new StartError(`The local PostgreSQL does not answer (its log: ${log})`)
  return port
}

function lastLines(log: string): string | undefined {
  if (!existsSync(log)) return undefined
  return readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ')
}

async function stopUnlessUsed(binaries: string, place: EmbeddedPaths, server: Server) {
  const isUsed = await asSuperuser(server, 'postgres', async (client) => {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
    )
    return rows.length > 0
  }).catch(() => true)
  if (!isUsed)
    await run(binaries, place, 'pg_ctl', ['stop', '--mode=fast', '--wait', '--silent', `--pgdata=${place.data}`])
}

/** Environment of PostgreSQL without the shop's keys. Windows needs SystemRoot to start programs. */
const environment = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/bin:/bin',
  ...(process.env.SystemRoot && { SystemRoot: process.env.SystemRoot }),
}

function run(binaries: string, place: EmbeddedPaths, program: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(join(binaries, 'bin', program), args, {
      ...place.user,
      stdio: ['ignore', 'ignore', 'pipe'],
      // Ctrl+C must not reach PostgreSQL before the shop has closed its connections.
      detached: true,
      cwd: '/',
      env: environment,
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
