import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nobody } from '../database/embedded-place.ts'
import { freePort } from '../database/free-port.ts'

/** Debian's, where it is installed. */
const program = '/usr/sbin/pgbouncer'
export const hasPgBouncer = existsSync(program)

/** A pooler in transaction mode in front of a database, with fewer sessions than a shop has connections. */
export async function openPgBouncer(databaseUrl: string, sessions = 4) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'shop-pgbouncer-'))
  chmodSync(folder, 0o755)
  const ownPort = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]
shop = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
`,
  )
  const child = spawn(program, ['--quiet', settings], { ...nobody, stdio: 'ignore' })
  const exited = once(child, 'exit')
  while (!(await isOpen(ownPort))) await sleep(50)
  return {
    url: `postgres://shop@127.0.0.1:${ownPort}/shop`,
    async close() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isOpen = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
