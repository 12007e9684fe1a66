import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#server/database/free-port.ts'

/** Debian's, where it is installed. */
const program = '/usr/sbin/nginx'
export const hasNginx = existsSync(program)

/** The proxy in front, configured as docs/scaling.md says. */
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
      const child = spawn(program, ['-p', folder, '-c', settings, '-e', 'error.log', '-g', 'daemon off;'], {
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
${upstreams.map((each) => `    server 127.0.0.1:${each.port} max_fails=0;`).join('\n')}
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
