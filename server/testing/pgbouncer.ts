import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nobody } from '../database/embedded-place.ts'
import { freePort } from '../database/free-port.ts'
import { isListening } from './is-listening.ts'

const program = '/usr/sbin/pgbouncer'
export const hasPgBouncer = existsSync(program)

/** `sessionUrl` pools by session, for a DATABASE_DIRECT_URL that must follow the pooler to a new primary. */
export async function openPgBouncer(databaseUrl: string, sessions = 4) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  let child: ChildProcess

  async function start() {
    child = spawn(program, ['--quiet', settings], { ...nobody, stdio: 'ignore' })
    while (!(await isListening(port))) await sleep(50)
  }

  async function kill() {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  writeFileSync(settings, settingsFor(databaseUrl, port, sessions))
  await start()
  return {
    url: `postgres://shop@127.0.0.1:${port}/shop`,
    sessionUrl: `postgres://shop@127.0.0.1:${port}/shop_session`,
    start,
    kill,
    repoint(newUrl: string) {
      writeFileSync(settings, settingsFor(newUrl, port, sessions))
      child.kill('SIGHUP')
    },
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function settingsFor(databaseUrl: string, listenPort: number, sessions: number) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const database = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  return `[databases]
shop = ${database}
shop_session = ${database} pool_mode=session pool_size=40
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
; By default it waits 15 s before it tries a PostgreSQL again.
server_login_retry = 1
`
}
