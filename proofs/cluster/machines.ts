import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbedded } from '#server/database/embedded.ts'
import { nobody, postgresBinaries } from '#server/database/embedded-place.ts'
import { freePort } from '#server/database/free-port.ts'
import { childrenOf } from '../lab/measures.ts'

const nginx = '/usr/sbin/nginx'
export const hasNginx = existsSync(nginx)

/** Configured as in docs/scaling.md. */
export async function openNginx(home: string) {
  const folder = join(home, 'nginx')
  mkdirSync(folder)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    port,
    url,
    async start(upstreams: { port: number }[]) {
      const settings = join(folder, 'nginx.conf')
      writeFileSync(settings, settingsFor(port, upstreams))
      const child = spawn(nginx, ['-p', folder, '-c', settings, '-e', 'error.log', '-g', 'daemon off;'], {
        stdio: 'ignore',
      })
      const exited = once(child, 'exit')
      while (!(await isUp(url))) await sleep(50)
      return {
        async close() {
          child.kill('SIGTERM')
          await exited
        },
      }
    },
  }
}

const isUp = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

const settingsFor = (port: number, upstreams: { port: number }[]) => `pid nginx.pid;
error_log error.log;
events { worker_connections 2048; }
http {
  access_log off;
  upstream shop {
${upstreams.map((upstream) => `    server 127.0.0.1:${upstream.port} max_fails=0;`).join('\n')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://shop;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_connect_timeout 1s;
      proxy_max_temp_file_size 0;
    }
  }
}
`

/** A commit is acknowledged once both have it on disk. */
export async function openPostgresPair(home: string) {
  const first = await openEmbedded(join(home, 'primary'))
  await first.close()
  const copy = join(home, 'replica')
  mkdirSync(copy, { mode: 0o755 })
  if (nobody) chownSync(copy, nobody.uid, nobody.gid)
  // PostgreSQL requires the owner and the permissions of its folder.
  runOrThrow('cp', ['-a', first.folder, join(copy, 'data')], {})

  const [primaryPort, replicaPort] = [await freePort(), await freePort()]
  const primary = postgresIn(first.folder, primaryPort)
  const replica = postgresIn(join(copy, 'data'), replicaPort)
  const { username, password } = new URL(first.superuserUrl)
  appendFileSync(
    join(replica.folder, 'postgresql.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=${username} password=${password} application_name=replica'
hot_standby_feedback = on
`,
  )
  writeFileSync(join(replica.folder, 'standby.signal'), '')
  // Set after the copy, because a promoted replica has no replica of its own to wait for.
  appendFileSync(
    join(primary.folder, 'postgresql.conf'),
    "synchronous_standby_names = 'replica'\nwal_keep_size = '1GB'\n",
  )
  primary.start()
  replica.start()
  // The addresses use TCP, as between machines.
  const addressAt = (url: string, port: number) => Object.assign(new URL(url), { port: String(port), search: '' }).href
  return {
    primary: { ...primary, url: addressAt(first.url, primaryPort) },
    replica: { ...replica, url: addressAt(first.url, replicaPort) },
    close() {
      primary.kill()
      replica.kill()
    },
  }
}

function postgresIn(folder: string, port: number) {
  const pgCtl = (...args: string[]) =>
    runOrThrow(join(postgresBinaries(), 'bin', 'pg_ctl'), [...args, '--wait', '--silent', `--pgdata=${folder}`], {
      ...nobody,
      cwd: '/',
    })
  return {
    folder,
    start: () => pgCtl('start', `--log=${folder}.log`, `--options=-p ${port}`),
    promote: () => pgCtl('promote'),
    /** Kills all processes together, like a loss of power. */
    kill() {
      const [line] = readIfPresent(join(folder, 'postmaster.pid')).split('\n')
      const postmaster = Number(line)
      if (postmaster > 0) for (const pid of [postmaster, ...childrenOf(postmaster)]) killIfRunning(pid)
    },
  }
}

function readIfPresent(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function killIfRunning(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended by itself.
  }
}

function runOrThrow(program: string, args: string[], options: object) {
  const { status } = spawnSync(program, args, { ...options, stdio: 'ignore' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with code ${status}`)
}
