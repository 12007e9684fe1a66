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

export type Bench = { shop: LabShop; bareServer: Target; rounds: number; seconds: number }

/** Alternates between the shop and the bare server, and compares the medians. */
export async function compareWithBareServer(
  { shop, bareServer, rounds, seconds }: Bench,
  what: string,
  request: Requests,
  cpuBudget?: number,
): Promise<Line[]> {
  const target = { pid: shop.pid(), port: shop.port, request }
  // Warms up both servers, because visitors meet one whose code is already compiled.
  await measure(bareServer, seconds)
  await measure(target, seconds * 2)
  type Measurement = Awaited<ReturnType<typeof measure>>
  const bareRounds: Measurement[] = []
  const shopRounds: Measurement[] = []
  for (let round = 0; round < rounds; round++) {
    bareRounds.push(await measure(bareServer, seconds))
    shopRounds.push(await measure(target, seconds))
  }
  const medians = (measurements: Measurement[]) => ({
    cpu: median(measurements.map(({ cpuMicros: micros }) => micros)),
    rate: median(measurements.map(({ perSecond }) => perSecond)),
    p99: median(measurements.map(({ p99 }) => p99)),
  })
  const [shopMedian, bareMedian] = [medians(shopRounds), medians(bareRounds)]
  const cpuRatio = shopMedian.cpu / bareMedian.cpu
  const isWithinBudget = cpuBudget ? cpuRatio <= cpuBudget : undefined
  const hasFailures = shopRounds.some(({ failures }) => failures > 0)
  return [
    line(
      `${what}, CPU`,
      `${cpuRatio.toFixed(2)} x bare (${shopMedian.cpu.toFixed(0)} µs, ${shopMedian.rate.toFixed(0)}/s; bare server ${bareMedian.cpu.toFixed(0)} µs, ${bareMedian.rate.toFixed(0)}/s)`,
      cpuBudget ? `at most ${cpuBudget} x bare` : '',
      hasFailures ? false : isWithinBudget,
    ),
    line(`${what}, p99`, `${(shopMedian.p99 / bareMedian.p99).toFixed(2)} x bare (${shopMedian.p99.toFixed(1)} ms)`),
  ]
}

type BareServer = Target & { close(): void }
type CopiedCall = { path?: string; cookie?: string | undefined; statements?: number; databaseUrl?: string }
/** Message to the child process. `body` is in base64. */
type BareResponse = { body: string; headers: string[]; statements: number; databaseUrl: string | undefined }

/**
 * Starts a bare `node:http` server that sends the same response as a call of the shop. Before each response, it reads a
 * user `statements` times from the database, because a call with a session can't cost less.
 */
export async function openBareServer(
  url: string,
  { path = '/', cookie = '', statements = 0, databaseUrl }: CopiedCall = {},
): Promise<BareServer> {
  const request = httpGet(url + path, { headers: { 'accept-encoding': 'br', cookie } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const child = fork(import.meta.filename)
  const message: BareResponse = {
    body: (await buffer(response)).toString('base64'),
    headers: Object.entries(response.headers)
      .filter(([name]) => !/^(date|connection|keep-alive)$/.test(name))
      .flatMap(([name, value]) => [name, String(value)]),
    statements,
    databaseUrl,
  }
  child.send(message)
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return { pid: child.pid ?? 0, port, request: get('/'), close: () => child.kill() }
}

/** Answers every request with one ready-made buffer, the cheapest response that Node can give. */
if (import.meta.main)
  process.once('message', ({ body, headers, statements, databaseUrl }: BareResponse) => {
    const bytes = Buffer.from(body, 'base64')
    // The shop opens as many connections.
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
