import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get as ask, createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { LabShop } from '../lab/lab.ts'
import { get, type Requests, runLoad } from '../lab/load.ts'
import { cpuMicros, untilIdle } from '../lab/measures.ts'

export type Line = { what: string; figure: string; budget: string; ok: boolean | undefined }

export const line = (what: string, figure: string, budget = '', ok?: boolean): Line => ({ what, figure, budget, ok })

const mark = (ok: boolean | undefined) => (ok === undefined ? '' : ok ? 'yes' : 'NO')

export const tableOf = (lines: Line[]) =>
  [
    '| what | figure | budget | met |',
    '|---|---|---|---|',
    ...lines.map(({ what, figure, budget, ok }) => `| ${what} | ${figure} | ${budget} | ${mark(ok)} |`),
  ].join('\n')

/** Server under load and the requests it gets. */
export type Target = { pid: number; port: number; request: Requests }

export async function measure(target: Target, seconds: number, connections = 64) {
  const before = cpuMicros(target.pid)
  const { requests, p99, failures, ...report } = await runLoad({ ...target, connections, seconds })
  await untilIdle(target.pid)
  const micros = (cpuMicros(target.pid) - before) / Math.max(1, requests)
  return { cpuMicros: micros, perSecond: requests / report.seconds, p99, failures }
}

const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

export type Bench = { shop: LabShop; limit: Target; rounds: number; seconds: number }

/** Requests compared with the limit, in alternating rounds; each figure is the median of its rounds. */
export async function compareWithBaseline(
  { shop, limit, rounds, seconds }: Bench,
  what: string,
  request: Requests,
  budget: { cpu?: number } = {},
): Promise<Line[]> {
  const target = { pid: shop.pid(), port: shop.port, request }
  // Warm up first: visitors meet a server whose code is already compiled.
  await measure(limit, seconds)
  await measure(target, seconds * 2)
  const [limits, targets]: Awaited<ReturnType<typeof measure>>[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    limits?.push(await measure(limit, seconds))
    targets?.push(await measure(target, seconds))
  }
  const both = (key: 'cpuMicros' | 'perSecond' | 'p99') =>
    [targets, limits].map((figures = []) => median(figures.map((each) => each[key]))) as [number, number]
  const [[cpu, leastCpu], [rate, mostRate], [p99, leastP99]] = [both('cpuMicros'), both('perSecond'), both('p99')]
  const failed = targets?.some(({ failures }) => failures > 0)
  return [
    line(
      `${what}, CPU`,
      `${(cpu / leastCpu).toFixed(2)} x limit (${cpu.toFixed(0)} µs, ${rate.toFixed(0)}/s; limit ${leastCpu.toFixed(0)} µs, ${mostRate.toFixed(0)}/s)`,
      budget.cpu ? `at most ${budget.cpu} x limit` : '',
      failed ? false : budget.cpu ? cpu / leastCpu <= budget.cpu : undefined,
    ),
    line(`${what}, p99`, `${(p99 / leastP99).toFixed(2)} x limit (${p99.toFixed(1)} ms)`),
  ]
}

type Limit = Target & { close(): void }

/** The limit: a bare server that writes a page's own bytes and headers. */
export async function openLimit(url: string, path = '/'): Promise<Limit> {
  const asked = ask(url + path, { headers: { 'accept-encoding': 'br' } })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const child = fork(import.meta.filename)
  child.send({
    body: (await buffer(response)).toString('base64'),
    headers: Object.entries(response.headers)
      .filter(([name]) => !/^(date|connection|keep-alive)$/.test(name))
      .flat(),
  })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return { pid: child.pid ?? 0, port, request: get('/'), close: () => child.kill() }
}

/** A bare node:http server that writes one ready-made buffer: Serves one ready-made buffer with bare node:http, the cheapest response that Node can give. */
if (import.meta.main)
  process.once('message', ({ body, headers }: { body: string; headers: string[] }) => {
    const bytes = Buffer.from(body, 'base64')
    const server = createServer((_request, response) => {
      response.writeHead(200, headers)
      response.end(bytes)
    })
    server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
  })
