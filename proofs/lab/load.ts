import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'

type LoadOptions = { port: number; request: Requests; connections: number; seconds: number }
/** A list is assigned to the connections in turn. */
export type Requests = string | string[]
/** Latencies are in milliseconds; a failure is a response other than 2xx, or none. */
type LoadReport = { requests: number; failures: number; seconds: number; p99: number }

/** Runs this file in its own process, so that its work is not counted as the server's. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const child = fork(import.meta.filename)
  child.send(options)
  const [report] = (await once(child, 'message')) as [LoadReport]
  return report
}

export const get = (path: string, cookie = '') =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}\r\n`

export const post = (path: string, body: object) => {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

export const concurrently = <Result>(count: number, work: (number: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from(Array(count).keys(), work))

/** Runs `count` workers until it is stopped. `createWork` is called once for each worker, its result for each turn. */
export function repeatConcurrently(count: number, createWork: (number: number) => (turn: number) => Promise<unknown>) {
  let isRunning = true
  const finished = concurrently(count, async (number) => {
    const work = createWork(number)
    for (let turn = 0; isRunning; turn++) await work(turn)
  })
  return {
    async stop() {
      isRunning = false
      await finished
    },
  }
}

async function load({ port, request, connections, seconds }: LoadOptions): Promise<LoadReport> {
  const requests = [request].flat()
  const started = performance.now()
  const end = started + seconds * 1000
  const results = await concurrently(connections, (number) =>
    sendUntil(end, port, requests[number % requests.length] ?? ''),
  )
  const latencies = results.flatMap((result) => result.latencies).toSorted((a, b) => a - b)
  return {
    requests: latencies.length,
    failures: results.reduce((sum, result) => sum + result.failures, 0),
    seconds: (performance.now() - started) / 1000,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  }
}

function sendUntil(end: number, port: number, request: string) {
  const bytes = Buffer.from(request)
  const isHead = request.startsWith('HEAD ')
  const latencies: number[] = []
  let failures = 0
  let sentAt: number | undefined
  let received = Buffer.alloc(0)
  return new Promise<{ latencies: number[]; failures: number }>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const send = () => {
      if (performance.now() < end) {
        sentAt = performance.now()
        socket.write(bytes)
      } else {
        sentAt = undefined
        socket.destroy()
      }
    }
    socket
      .setNoDelay(true)
      .on('connect', send)
      .on('data', (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const length = responseLength(received, isHead)
        if (length === undefined || received.length < length || sentAt === undefined) return
        const firstDigitOfStatus = received.toString('latin1', 9, 10)
        if (firstDigitOfStatus !== '2') failures += 1
        latencies.push(performance.now() - sentAt)
        received = received.subarray(length)
        send()
      })
      // The close event follows and counts the failure.
      .on('error', () => undefined)
      .on('close', () => {
        const wasInterrupted = sentAt !== undefined
        const neverAnswered = latencies.length === 0
        if (wasInterrupted || neverAnswered) failures += 1
        resolve({ latencies, failures })
      })
  })
}

function responseLength(buffer: Buffer, isHead: boolean): number | undefined {
  const headEnd = buffer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  if (isHead) return headEnd + 4
  const length = /content-length: (\d+)/i.exec(buffer.toString('latin1', 0, headEnd))?.[1]
  return headEnd + 4 + Number(length ?? 0)
}

if (import.meta.main)
  process.once('message', (options: LoadOptions) => {
    void load(options).then((report) => {
      process.send?.(report)
      process.disconnect()
    })
  })
