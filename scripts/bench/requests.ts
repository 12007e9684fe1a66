import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Victim } from '../faults/victim.ts'
import type { Asked } from './load.ts'
import { compare, cpuMicros, runLoad, type Target } from './measure.ts'
import type { Line } from './table.ts'

export type Bench = { shop: Victim; limit: Target; rounds: number; seconds: number }

export const get = (path: string, cookie = '') =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}\r\n`

const post = (path: string, body: object) => {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

/** A bare server that writes a page's own bytes and headers. */
export async function openLimit(url: string, path = '/'): Promise<Target & { close(): void }> {
  const [response] = (await once(ask(url + path, { headers: { 'accept-encoding': 'br' } }), 'response')) as [
    IncomingMessage,
  ]
  const child = fork(fileURLToPath(new URL('./limit.ts', import.meta.url)))
  child.send({
    body: (await buffer(response)).toString('base64'),
    headers: Object.entries(response.headers)
      .filter(([name]) => !/^(date|connection|keep-alive)$/.test(name))
      .flat(),
  })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return { pid: child.pid ?? 0, port, request: get('/'), close: () => child.kill() }
}

/** Served requests against the limit, in alternating rounds. */
export async function served(
  bench: Bench,
  what: string,
  request: Asked,
  budget: { cpu?: number; p99?: number },
): Promise<Line[]> {
  const target = { pid: bench.shop.pid(), port: bench.shop.port, request }
  const { limit, target: shop } = await compare(bench.limit, target, bench)
  const ratio = shop.cpuMicros / limit.cpuMicros
  const slower = shop.p99 / limit.p99
  return [
    {
      what: `${what}, CPU`,
      figure: `${ratio.toFixed(2)} x limit (${shop.cpuMicros.toFixed(0)} µs, ${shop.perSecond.toFixed(0)}/s; limit ${limit.cpuMicros.toFixed(0)} µs, ${limit.perSecond.toFixed(0)}/s)`,
      budget: budget.cpu ? `at most ${budget.cpu} x limit` : '',
      ok: shop.failures === 0 && (budget.cpu ? ratio <= budget.cpu : undefined),
    },
    {
      what: `${what}, p99`,
      figure: `${slower.toFixed(2)} x limit (${shop.p99.toFixed(1)} ms)`,
      budget: budget.p99 ? `at most ${budget.p99} x limit` : '',
      ok: budget.p99 ? slower <= budget.p99 : undefined,
    },
  ]
}

/** Hashing is bounded, so a flood of logins must not stop the pages. */
export async function loginFlood(
  { shop, seconds }: Bench,
  credentials: { email: string; password: string },
): Promise<Line[]> {
  const page = { port: shop.port, request: get('/api/products'), connections: 64, seconds: seconds * 2 }
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
