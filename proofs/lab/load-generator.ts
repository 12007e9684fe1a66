import { connect } from 'node:net'
import { concurrently } from './concurrently.ts'

/**
 * A cheap load generator: raw keep-alive sockets, one request at a time on each. It runs in its own process, so its
 * work is not counted as the server's, and stops on its own after the given time.
 */
export type LoadOptions = { port: number; request: Requests; connections: number; seconds: number }
/** Every connection sends the same request, or each takes the next of these. */
export type Requests = string | string[]
/** Latencies are in milliseconds; a failure is a response other than 2xx, or none. */
export type LoadReport = { requests: number; failures: number; seconds: number; p50: number; p99: number }

async function load({ port, request, connections, seconds }: LoadOptions): Promise<LoadReport> {
  const requests = [request].flat()
  const started = performance.now()
  const end = started + seconds * 1000
  const results = await concurrently(connections, (number) =>
    sendUntil(end, port, requests[number % requests.length] ?? ''),
  )
  const latencies = results.flatMap((result) => result.latencies).toSorted((a, b) => a - b)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    requests: latencies.length,
    failures: results.reduce((sum, result) => sum + result.failures, 0),
    seconds: (performance.now() - started) / 1000,
    p50: percentile(0.5),
    p99: percentile(0.99),
  }
}

/** One connection: each request waits for the previous response. */
function sendUntil(end: number, port: number, request: string) {
  const bytes = Buffer.from(request)
  const isHead = request.startsWith('HEAD ')
  const latencies: number[] = []
  let failures = 0
  let sentAt: number | undefined
  let received = Buffer.alloc(0)
  return new Promise<{ latencies: number[]; failures: number }>((done) => {
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
        const length = answerLength(received, isHead)
        if (length === undefined || received.length < length || sentAt === undefined) return
        if (received.toString('latin1', 9, 10) !== '2') failures += 1
        latencies.push(performance.now() - sentAt)
        received = received.subarray(length)
        send()
      })
      // The close event that follows reports it.
      .on('error', () => undefined)
      .on('close', () => {
        if (sentAt !== undefined || latencies.length === 0) failures += 1
        done({ latencies, failures })
      })
  })
}

/** Length in bytes of the response at the start of the buffer; undefined while its head is incomplete. */
function answerLength(buffer: Buffer, isHead: boolean): number | undefined {
  const headEnd = buffer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  if (isHead) return headEnd + 4
  const length = /content-length: (\d+)/i.exec(buffer.toString('latin1', 0, headEnd))?.[1]
  return headEnd + 4 + Number(length ?? 0)
}

process.once('message', (options: LoadOptions) => {
  void load(options).then((report) => {
    process.send?.(report)
    process.disconnect()
  })
})
