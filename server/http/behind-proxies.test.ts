import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { freePort } from '../database/free-port.ts'
import { sessions } from '../database/schema.ts'
import { isListening } from '../testing/is-listening.ts'
import { openShop } from '../testing/open-shop.ts'

const nginx = ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0)
const skipReason = nginx ? '' : ' (skipped: nginx is not installed; apt-get install nginx-light)'

/** A real nginx that appends the visitor's address, as almost everyone configures it. */
async function openNginx(shopPort: number) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'shop-nginx-'))
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
     events {}
     http {
       access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
       fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass http://localhost:${shopPort};
           proxy_set_header Host $host;
           proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
         }
         location /plain/ { proxy_pass http://localhost:${shopPort}/; }
       }
     }`,
  )
  const child: ChildProcess = spawn(nginx ?? '', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'inherit',
  })
  while (!(await isListening(port))) await sleep(50)
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `from` may be any address of 127.0.0.0/8, which all belong to this machine. */
async function send(port: number, from: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const outgoing = request({
    port,
    host: '127.0.0.1',
    localAddress: from,
    path,
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
  }).end(body && JSON.stringify(body))
  const [response] = await once(outgoing, 'response')
  response.resume()
  return response.statusCode as number
}

const logIn = (port: number, from: string, number: number, forwarded: string) =>
  send(
    port,
    from,
    '/api/login',
    { email: `victim-${number}@example.com`, password: 'not the password' },
    { 'x-forwarded-for': forwarded },
  )

describe.skipIf(!nginx)(`behind nginx${skipReason}`, () => {
  test('nobody gets more tries by putting other addresses into X-Forwarded-For', async () => {
    await using shop = await openShop({ rateLimits: true, env: { TRUST_PROXY: '1' } })
    await using proxy = await openNginx(shop.config.port)
    const statuses: number[] = []
    for (let number = 0; number < 25; number++)
      statuses.push(await logIn(proxy.port, '127.0.0.2', number, `198.51.100.${number}`))
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
    // Another visitor is not blocked, even one who claims the blocked address.
    expect(await logIn(proxy.port, '127.0.0.3', 0, '127.0.0.2')).toBe(401)
  })

  test('we store the address that the proxy saw, whatever the visitor wrote', async () => {
    await using shop = await openShop({ env: { TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' } })
    await using proxy = await openNginx(shop.config.port)
    const lies = ['<b>moderator</b>', `198.51.100.7, ${'x'.repeat(5000)}`, '203.0.113.9', '10.0.0.1, 10.0.0.2']
    for (const [number, lie] of lies.entries())
      await send(
        proxy.port,
        `127.0.0.${number + 2}`,
        '/api/register',
        { email: `ada-${number}@example.com`, password: 'correct horse battery', name: 'Ada' },
        { 'x-forwarded-for': lie },
      )
    const stored = await shop.connection.db.select({ ip: sessions.ip }).from(sessions).orderBy(sessions.createdAt)
    expect(stored.map(({ ip }) => ip)).toEqual(['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'])
  })

  test('behind two proxies, TRUST_PROXY=2 finds the visitor’s address', async () => {
    await using shop = await openShop({ env: { TRUST_PROXY: '2' } })
    await using inner = await openNginx(shop.config.port)
    await using outer = await openNginx(inner.port)
    await send(
      outer.port,
      '127.0.0.8',
      '/api/register',
      { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' },
      { 'x-forwarded-for': '203.0.113.9' },
    )
    expect(await shop.connection.db.select({ ip: sessions.ip }).from(sessions)).toEqual([{ ip: '127.0.0.8' }])
  })

  test('neither emails nor test payments are shown through a proxy, even one that adds no headers', async () => {
    await using shop = await openShop()
    await using proxy = await openNginx(shop.config.port)
    for (const path of ['/dev/mails', '/dev/mails/raw?mail=receipt', '/_sandbox/', '/metrics'])
      for (const proxyPath of [path, `/plain${path}`])
        expect([proxyPath, await send(proxy.port, '127.0.0.1', proxyPath)]).toEqual([proxyPath, 404])
  })
})
