import { connect, type Socket } from 'node:net'

/**
 * A load generator that costs little: raw keep-alive sockets, one request at a time on each. Runs as a process of
 * its own, so that its work is not counted as the server's. Stops by itself after the given time.
 */
export type LoadOrder = { port: number; request: Asked; connections: number; seconds: number }
/** Every connection sends the same, or each the next of these. */
export type Asked = string | string[]
export type LoadReport = { requests: number; failures: number; seconds: number; p50: number; p99: number }

async function load({ port, request, connections, seconds }: LoadOrder): Promise<LoadReport> {
  const asked = [request].flat()
  const latencies: number[] = []
  let failures = 0
  const started = performance.now()
  const end = started + seconds * 1000

  const visitor = (text: string) =>
    new Promise<void>((done) => {
      const bytes = Buffer.from(text)
      const isHead = text.startsWith('HEAD ')
      const socket: Socket = connect(port, '127.0.0.1')
      socket.setNoDelay(true)
      let sent = 0
      let pending = Buffer.alloc(0)
      const ask = () => {
        if (performance.now() >= end) {
          socket.destroy()
          done()
          return
        }
        sent = performance.now()
        socket.write(bytes)
      }
      socket.on('connect', ask)
      socket.on('error', () => {
        failures += 1
        done()
      })
      socket.on('close', () => done())
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const length = answerLength(pending, isHead)
        if (length === undefined || pending.length < length) return
        if (pending.toString('latin1', 9, 10) !== '2') failures += 1
        latencies.push(performance.now() - sent)
        pending = pending.subarray(length)
        ask()
      })
    })

  await Promise.all(
    Array.from({ length: connections }, (_, index) => visitor(asked[index % asked.length] ?? '')),
  )
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    failures,
    seconds: (performance.now() - started) / 1000,
    p50: at(0.5),
    p99: at(0.99),
  }
}

/** How many bytes the answer at the start of the buffer has; undefined while its head is incomplete. */
function answerLength(buffer: Buffer, isHead: boolean): number | undefined {
  const headEnd = buffer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  if (isHead) return headEnd + 4
  const length = /content-length: (\d+)/i.exec(buffer.toString('latin1', 0, headEnd))?.[1]
  return headEnd + 4 + Number(length ?? 0)
}

async function obey(order: LoadOrder) {
  process.send?.(await load(order))
  process.disconnect()
}

process.once('message', (order: LoadOrder) => void obey(order))
