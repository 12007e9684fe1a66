import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../errors.ts'

type ConnectionError = Error & { code?: string }

/** Latest response on each connection. */
export const lastResponses = new WeakMap<Duplex, ServerResponse>()

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, 'too-large', 'The address or the headers of this request are too long'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, 'timed-out', 'This request took too long to arrive'),
}
const defaultRefusal = new Refusal(400, 'unreadable', 'The request could not be read')

/** The handler closes the connection, because its further bytes cannot be trusted. */
export const createUnreadableHandler =
  (headers: Record<string, string>) => (error: ConnectionError, socket: Socket) => {
    const response = lastResponses.get(socket)
    const hasBegun = response?.headersSent && !response.writableFinished
    // A second response would corrupt one that has begun.
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
      socket.destroy(error)
      return
    }
    const { status, code, message } = refusals[error.code ?? ''] ?? defaultRefusal
    const body = JSON.stringify({ message, code })
    const lines = Object.entries({
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
  }

/** With two Host headers, Node uses the first, but a proxy in front may have used the other. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage) {
  // Names and values alternate.
  const isHostName = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === 'host'
  return rawHeaders.filter(isHostName).length > 1
}
