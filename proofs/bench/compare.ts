import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import type { LabShop } from '../lab/lab.ts'
import { get, type Requests, runLoad } from '../lab/load.ts'
import { cpuMicros, waitUntilIdle } from '../lab/measures.ts'

/** Row of the printed table; `ok` is undefined if it has no budget. */
export type Line = { what: string; figure: string; budget: string; ok: boolean | undefined }

export const line = (what: string, figure: string, budget = '', ok?: boolean): Line => ({ what, figure, budget, ok })

function markOf(ok: boolean | undefined) {
  if (ok === undefined) return ''
  return ok ? 'yes' : 'NO'
}

export const tableOf = (lines: Line[]) =>
  [
    '| what | figure | budget | met |',
    '|---|---|---|---|',
    ...lines.map(({ what, figure, budget, ok }) => `| ${what} | ${figure} | ${budget} | ${markOf(ok)} |`),
  ].join('\n')

export type Target = { pid: number; port: number; request: Requests }

export async function measure(target: Target, seconds: number, connections = 64) {
  const before = cpuMicros(target.pid)
  const { requests, p99, failures, ...report } = await runLoad({ ...target, connections, seconds })
  await waitUntilIdle(target.pid)
  const micros = (cpuMicros(target.pid) - before) / Math.max(1, requests)
  return { cpuMicros: micros, perSecond: requests / report.seconds, p99, failures }
}

const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

export type Bench = { shop: LabShop; limit: Target; rounds: number; seconds: number }

/** Alternates between the shop and the limit, and compares the medians. */
export async function compareWithBaseline(
  { shop, limit, rounds, seconds }: Bench,
  what: string,
  request: Requests,
  budget: { cpu?: number } = {},
): Promise<Line[]> {
  const target = { pid: shop.pid(), port: shop.port, request }
  // Warms up both servers, because visitors meet one whose code is already compiled.
  await measure(limit, seconds)
  await measure(target, seconds * 2)
  type Measurement = Awaited<ReturnType<typeof measure>>
  const limitRounds: Measurement[] = []
  const shopRounds: Measurement[] = []
  for (let round = 0; round < rounds; round++) {
    limitRounds.push(await measure(limit, seconds))
    shopRounds.push(await measure(target, seconds))
  }
  const medians = (measurements: Measurement[]) => ({
    cpu: median(measurements.map(({ cpuMicros: micros }) => micros)),
    rate: median(measurements.map(({ perSecond }) => perSecond)),
    p99: median(measurements.map(({ p99 }) => p99)),
  })
  const [shopMedian, limitMedian] = [medians(shopRounds), medians(limitRounds)]
  const cpuRatio = shopMedian.cpu / limitMedian.cpu
  const isWithinBudget = budget.cpu ? cpuRatio <= budget.cpu : undefined
  const hasFailures = shopRounds.some(({ failures }) => failures > 0)
  return [
    line(
      `${what}, CPU`,
      `${cpuRatio.toFixed(2)} x limit (${shopMedian.cpu.toFixed(0)} µs, ${shopMedian.rate.toFixed(0)}/s; limit ${limitMedian.cpu.toFixed(0)} µs, ${limitMedian.rate.toFixed(0)}/s)`,
      budget.cpu ? `at most ${budget.cpu} x limit` : '',
      hasFailures ? false : isWithinBudget,
    ),
    line(`${what}, p99`, `${(shopMedian.p99 / limitMedian.p99).toFixed(2)} x limit (${shopMedian.p99.toFixed(1)} ms)`),
  ]
}

type Limit = Target & { close(): void }
type LimitOptions = { path?: string; cookie?: string | undefined; statements?: number; databaseUrl?: string }
type Orders = { body: string; headers: string[]; statements: number; databaseUrl: string | undefined }

/**
 * Starts a bare Node server that answers with the bytes and headers of a call of the shop. With `statements`, it first
 * reads that often a user from the database, because a call with a session can't cost less.
 */
export async function openLimit(
  url: string,
  { path = '/', cookie = '', statements = 0, databaseUrl }: LimitOptions = {},
): Promise<Limit> {
  const request = httpGet(url + path, { headers: { 'accept-encoding': 'br', cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const child = fork(import.meta.filename)
  const orders: Orders = {
    body: (await buffer(response)).toString('base64'),
    headers: Object.entries(response.headers)
      .filter(([name]) => !/^(date|connection|keep-alive)$/.test(name))
      .flatMap(([name, value]) => [name, String(value)]),
    statements,
    databaseUrl,
  }
  child.send(orders)
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return { pid: child.pid ?? 0, port, request: get('/'), close: () => child.kill() }
}

/** Answers every request with one ready-made buffer, the cheapest response that Node can give. */
if (import.meta.main)
  process.once('message', ({ body, headers, statements, databaseUrl }: Orders) => {
    const bytes = Buffer.from(body, 'base64')
    // As many connections as the shop opens.
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
    const answer = async (response: ServerResponse) => {
      for (let count = 0; count < statements; count++)
        await pool.query('select * from users where id = $1', [randomUUID()])
      response.writeHead(200, headers)
      response.end(bytes)
    }
    const server = createServer((_request, response) => void answer(response))
    server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
  })
