import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { get as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { freePort } from '#server/database/free-port.ts'
import type { Victim } from '../faults/victim.ts'
import { compare, cpuMicros, memory, runLoad, type Target } from './measure.ts'

/** One line of the table: a figure, what it may be at most (or at least), and whether it is. */
export type Line = { what: string; figure: string; budget: string; ok: boolean | undefined }

export type Bench = {
  shop: Victim
  limit: Target
  cookie: { user: string; admin: string }
  rounds: number
  seconds: number
}

export async function openLimit(shop: Victim): Promise<Target & { close(): void }> {
  const response = await fetch(`${shop.url}/`, { headers: { 'accept-encoding': 'br' } })
  const child = fork(fileURLToPath(new URL('./limit.ts', import.meta.url)))
  const raw = await rawAnswer(shop.url)
  child.send({
    body: raw.toString('base64'),
    headers: [...response.headers]
      .filter(([name]) => !/^(date|connection|keep-alive|content-encoding|content-length)$/.test(name))
      .flat()
      .concat('content-length', String(raw.length)),
  })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return { pid: child.pid ?? 0, port, request: get('/'), close: () => child.kill() }
}

/** The compressed bytes as they travel, which fetch would unpack. */
async function rawAnswer(url: string): Promise<Buffer> {
  const [response] = (await once(ask(url, { headers: { 'accept-encoding': 'br' } }), 'response')) as [
    IncomingMessage,
  ]
  return buffer(response)
}

const get = (path: string, cookie = '') =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}\r\n`

const post = (path: string, body: object) => {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

/** Served requests against the limit, in alternating rounds. */
export async function served(
  bench: Bench,
  what: string,
  path: string,
  budget: { cpu: number; p99?: number },
  cookie = '',
): Promise<Line[]> {
  const target = { pid: bench.shop.pid(), port: bench.shop.port, request: get(path, cookie) }
  const { limit, target: shop } = await compare(bench.limit, target, bench)
  const ratio = shop.cpuMicros / limit.cpuMicros
  const slower = shop.p99 / limit.p99
  const lines: Line[] = [
    {
      what: `${what}, CPU`,
      figure: `${ratio.toFixed(2)} x limit (${shop.cpuMicros.toFixed(0)} µs, ${shop.perSecond.toFixed(0)}/s; limit ${limit.cpuMicros.toFixed(0)} µs, ${limit.perSecond.toFixed(0)}/s)`,
      budget: `at most ${budget.cpu} x limit`,
      ok: shop.failures === 0 && ratio <= budget.cpu,
    },
  ]
  if (budget.p99) {
    lines.push({
      what: `${what}, p99`,
      figure: `${slower.toFixed(2)} x limit (${shop.p99.toFixed(1)} ms)`,
      budget: `at most ${budget.p99} x limit`,
      ok: slower <= budget.p99,
    })
  }
  return lines
}

/** Hashing is bounded, so a flood of logins must not stop the pages. */
export async function loginFlood(
  { shop, seconds }: Bench,
  credentials: { email: string; password: string },
): Promise<Line[]> {
  const page = { port: shop.port, request: get('/api/products'), connections: 8, seconds: seconds * 2 }
  const calm = await runLoad(page)
  const before = cpuMicros(shop.pid())
  const flood = runLoad({
    port: shop.port,
    request: post('/api/login', credentials),
    connections: 32,
    seconds: seconds * 2 + 1,
  })
  const during = await runLoad(page)
  const logins = await flood
  const ratio = during.p99 / calm.p99
  const each = (cpuMicros(shop.pid()) - before) / 1000 / Math.max(1, logins.requests)
  return [
    {
      what: 'login',
      figure: `${(logins.requests / logins.seconds).toFixed(0)}/s, about ${each.toFixed(0)} ms CPU each`,
      budget: '',
      ok: undefined,
    },
    {
      what: 'other calls during a flood of logins, p99',
      figure: `${ratio.toFixed(2)} x (${calm.p99.toFixed(1)} ms, then ${during.p99.toFixed(1)} ms)`,
      budget: 'at most 3 x without it',
      ok: ratio <= 3,
    },
  ]
}

/** An export against PostgreSQL's own COPY of the same rows, in the same run. */
export async function csvExport({ shop, cookie }: Bench): Promise<Line[]> {
  const own = await timed(async () => {
    const client = new pg.Client({ connectionString: shop.databaseUrl })
    await client.connect()
    let bytes = 0
    const stream = client.query(
      copyTo(
        'COPY (select p.*, u.email, u.name from purchases p join users u on u.id = p.user_id order by p.created_at desc, p.id desc) TO STDOUT (format csv)',
      ),
    )
    for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length
    await client.end()
    return bytes
  })
  const idle = memory(shop.pid()).now
  let peak = idle
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(shop.pid()).now)
  }, 20)
  const ours = await timed(async () => {
    const response = await fetch(`${shop.url}/api/admin/export/orders`, { headers: { cookie: cookie.admin } })
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length
    return bytes
  })
  clearInterval(watch)
  const speed = ours.result / ours.seconds / (own.result / own.seconds)
  return [
    {
      what: 'CSV of all orders',
      figure: `${speed.toFixed(2)} x COPY (${(ours.result / 1e6).toFixed(0)} MB in ${ours.seconds.toFixed(1)} s)`,
      budget: 'at least 0.8 x COPY',
      ok: speed >= 0.8,
    },
    {
      what: 'CSV of all orders, memory',
      figure: `${peak - idle} MB more while it runs`,
      budget: 'at most 100 MB',
      ok: peak - idle <= 100,
    },
  ]
}

async function timed<Result>(work: () => Promise<Result>) {
  const started = performance.now()
  return { result: await work(), seconds: (performance.now() - started) / 1000 }
}

/** From nothing to the first answer, with a database that is there and nothing to build; and what it weighs then. */
export async function coldStart(shop: Victim): Promise<Line[]> {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: `${shop.dataDir}-cold`,
    DATABASE_URL: shop.databaseUrl,
    LOG_LEVEL: 'error',
  }
  const times: number[] = []
  let idle = 0
  for (let start = 0; start < 3; start++) {
    const begun = performance.now()
    const child = spawn(process.execPath, ['scripts/start.ts'], { env, stdio: 'ignore' })
    while (
      !(await fetch(`http://127.0.0.1:${port}/`).then(
        (response) => response.ok,
        () => false,
      ))
    ) {
      await new Promise((done) => setTimeout(done, 10))
    }
    times.push(performance.now() - begun)
    await new Promise((done) => setTimeout(done, 1000))
    idle = memory(child.pid ?? 0).now
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  rmSync(`${shop.dataDir}-cold`, { recursive: true, force: true })
  // The first renders the pages for these settings; later ones find them.
  const later = Math.min(...times.slice(1))
  return [
    {
      what: 'cold start',
      figure: `${(later / 1000).toFixed(2)} s (the first time, with rendering: ${((times[0] ?? 0) / 1000).toFixed(2)} s)`,
      budget: 'under 1 s',
      ok: later < 1000,
    },
    { what: 'memory, idle', figure: `${idle} MB`, budget: 'under 130 MB', ok: idle < 130 },
  ]
}

export function loaded(shop: Victim): Line[] {
  const { now } = memory(shop.pid())
  return [{ what: 'memory after all of this', figure: `${now} MB`, budget: 'under 200 MB', ok: now < 200 }]
}
