import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#server/database/free-port.ts'
import { addNextMigration, copyThisVersion } from '../lab/next-version.ts'

export const root = mkdtempSync(join(tmpdir(), 'shop-operations-'))
chmodSync(root, 0o755)
const port = await freePort()
export const caddyPort = await freePort()
export const nginxPort = await freePort()
export const url = `http://localhost:${port}`
export const folder = join(root, 'opt/rebound-sigma-shop')
export const dataDir = join(root, 'var/lib/rebound-sigma-shop')

/** Unprivileged user of the shop: `daemon` of Debian, because PostgreSQL needs a user with a name. */
export const service = { uid: 1, gid: 1 }

const origin = join(root, 'origin')

export function makeOrigin() {
  mkdirSync(origin)
  copyThisVersion(origin)
  commitVersion('init', '--quiet', '--initial-branch=main')
}

export function publishNextVersion() {
  addNextMigration(origin)
  commitVersion('status', '--short')
}

function commitVersion(...firstCommand: string[]) {
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Shop', '-c', 'user.email=shop@example.com', ...args], origin)
  git(...firstCommand)
  git('add', '--all')
  git('commit', '--quiet', '--message=A version')
}

export function makeStandIns() {
  const folders = ['bin', 'etc/systemd/system', 'etc/caddy', 'etc/nginx/sites-available', 'etc/nginx/sites-enabled']
  for (const name of [...folders, 'etc/letsencrypt/live/shop.example', 'opt', 'run', 'var/lib'])
    mkdirSync(join(root, name), { recursive: true })
  const writeProgram = (name: string, text: string) =>
    writeFileSync(join(root, 'bin', name), `#!/bin/bash\nset -euo pipefail\n${text}`, { mode: 0o755 })
  writeProgram('useradd', 'true\n')
  writeProgram('apt-get', '[ "$1" = update ] || /usr/bin/apt-get --simulate --quiet "$@"\n')
  writeProgram(
    'systemctl',
    `name=\${!#}
unit=${root}/etc/systemd/system/\${name%.service}.service
pid=${root}/run/\${name%.service}.pid
value() { sed --quiet "s/^$1=-\\?//p" "$unit" | sed 's#/\\(opt\\|etc\\|var/lib\\)/#${root}&#g'; }
as_unit() {
  install --directory --owner=${service.uid} --group=${service.gid} --mode=755 ${dataDir}
  cd "$(value WorkingDirectory)"
  umask "$(value UMask)"
  export $(value Environment)
  set -a
  for file in $(value EnvironmentFile); do [ ! -f "$file" ] || source "$file"; done
  exec setpriv --reuid=${service.uid} --regid=${service.gid} --clear-groups --no-new-privs $(value ExecStart)
}
start() {
  case "$name" in
    caddy)
      (
        echo "{
          admin off
          http_port ${caddyPort + 1}
          https_port ${caddyPort}
          auto_https disable_redirects
          local_certs
          skip_install_trust
        }"
        sed 's/localhost:3000/localhost:${port}/' ${root}/etc/caddy/Caddyfile
      ) > ${root}/run/Caddyfile
      caddy validate --config ${root}/etc/caddy/Caddyfile --adapter caddyfile
      XDG_DATA_HOME=${root}/run caddy run --config ${root}/run/Caddyfile --adapter caddyfile < /dev/null > ${root}/run/caddy.log 2>&1 & ;;
    nginx)
      openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop.example -quiet \
        -keyout ${root}/etc/letsencrypt/live/shop.example/privkey.pem -out ${root}/etc/letsencrypt/live/shop.example/fullchain.pem 2> /dev/null ||
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=shop.example \
        -keyout ${root}/etc/letsencrypt/live/shop.example/privkey.pem -out ${root}/etc/letsencrypt/live/shop.example/fullchain.pem
      (
        echo "pid ${root}/run/nginx.own; error_log stderr; events { } http { access_log off;"
        sed '/listen \\[/d; s#listen 443#listen ${nginxPort}#; s#listen 80#listen ${nginxPort + 1}#; s#/etc/#${root}/etc/#; s/localhost:3000/localhost:${port}/' ${root}/etc/nginx/sites-enabled/*
        echo "}"
      ) > ${root}/run/nginx.conf
      PATH=$PATH:/usr/sbin nginx -c ${root}/run/nginx.conf -g 'daemon off;' < /dev/null > ${root}/run/nginx.log 2>&1 & ;;
    *) (as_unit) < /dev/null >> ${root}/run/shop.log 2>&1 & ;;
  esac
  echo $! > "$pid"
}
stop() {
  [ -f "$pid" ] || return 0
  kill -TERM "$(cat "$pid")" || true
  while kill -0 "$(cat "$pid")" 2> /dev/null; do sleep 0.1; done
  rm "$pid"
}
case "$1 $name" in
  daemon-reload* | enable*.timer) ;;
  start*-backup.service) (as_unit) ;;
  start* | enable*) start ;;
  stop*) stop ;;
  restart* | reload*) stop; start ;;
  *) exit 1 ;;
esac
`,
  )
}

export function runBlock(commands: string): string {
  const adaptedCommands = commands
    .replaceAll(/\/(?=(?:opt|etc|var\/lib)\/)/g, `${root}/`)
    .replaceAll('localhost:3000', `localhost:${port}`)
    .replace('https://git.example/rebound-sigma-shop.git', join(root, 'origin'))
    .replace('NODE_ENV=production\n', `NODE_ENV=production\nPORT=${port}\nTRADINGVIEW=off\n`)
    .replace('--group=shop', `--group=${service.gid}`)
  console.log(commands.trim().replaceAll(/^/gm, '    '))
  return run('bash', ['-euo', 'pipefail', '-c', adaptedCommands], existsSync(folder) ? folder : root)
}

export function run(program: string, args: string[], cwd: string): string {
  // Hides this project's tools and npm settings, like on a fresh machine.
  const path = (process.env.PATH ?? '').split(':').filter((entry) => !entry.includes('node_modules'))
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: [join(root, 'bin'), ...path].join(':'), HOME: process.env.HOME ?? root },
  })
  if (status !== 0) {
    const log = join(root, 'run/shop.log')
    const logText = existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : ''
    throw new Error(`exited with code ${status}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}\n${logText}`)
  }
  return stdout
}
