import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbedded } from '#server/database/embedded.ts'
import { nobody, postgresBinaries } from '#server/database/embedded-place.ts'
import { freePort } from '#server/database/free-port.ts'
import { childrenOf } from '../lab/usage.ts'

/**
 * A primary and its synchronous replica: a commit is acknowledged once both have it on disk. The replica begins as a
 * cold copy. Nothing restarts either of them.
 */
export async function openPostgresPair(home: string) {
  const first = await openEmbedded(join(home, 'primary'))
  await first.close()
  const copy = join(home, 'replica')
  mkdirSync(copy, { mode: 0o755 })
  if (nobody) chownSync(copy, nobody.uid, nobody.gid)
  // As its owner, and with its permissions: PostgreSQL insists on both.
  must('cp', ['-a', first.folder, join(copy, 'data')], {})

  const [primaryPort, replicaPort] = [await freePort(), await freePort()]
  const primary = serverIn(first.folder, primaryPort)
  const replica = serverIn(join(copy, 'data'), replicaPort)
  const { username, password } = new URL(first.superuserUrl)
  appendFileSync(
    join(replica.folder, 'postgresql.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=${username} password=${password} application_name=replica'
hot_standby_feedback = on
`,
  )
  writeFileSync(join(replica.folder, 'standby.signal'), '')
  // Only after the copy: a promoted replica has no replica of its own to wait for.
  appendFileSync(
    join(primary.folder, 'postgresql.conf'),
    "synchronous_standby_names = 'replica'\nwal_keep_size = '1GB'\n",
  )
  primary.start()
  replica.start()
  const at = (url: string, port: number) => Object.assign(new URL(url), { port: String(port) }).href
  return {
    primary: { ...primary, url: at(first.url, primaryPort) },
    replica: { ...replica, url: at(first.url, replicaPort) },
    close() {
      primary.kill()
      replica.kill()
    },
  }
}

function serverIn(folder: string, port: number) {
  const pgCtl = (...args: string[]) =>
    must(join(postgresBinaries(), 'bin', 'pg_ctl'), [...args, '--wait', '--silent', `--pgdata=${folder}`], {
      ...nobody,
      cwd: '/',
    })
  return {
    folder,
    start: () => pgCtl('start', `--log=${folder}.log`, `--options=-p ${port}`),
    promote: () => pgCtl('promote'),
    /** Every process at once, as when the machine loses power. */
    kill() {
      const [line] = read(join(folder, 'postmaster.pid')).split('\n')
      const postmaster = Number(line)
      if (postmaster > 0) for (const pid of [postmaster, ...childrenOf(postmaster)]) killed(pid)
    },
  }
}

function read(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function killed(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended on its own.
  }
}

function must(program: string, args: string[], options: object) {
  const { status } = spawnSync(program, args, { ...options, stdio: 'ignore' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with code ${status}`)
}
