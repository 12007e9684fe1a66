import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../errors.ts'

type ConnectionError = Error & { code?: string }

export const lastResponses = new WeakMap<Duplex, ServerResponse>()

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, 'too-large', 'The address or the headers of this request are too long'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, 'timed-out', 'This request took too long to arrive'),
}
const otherwise = new Refusal(400, 'unreadable', 'The request could not be read')

/** An unreadable request gets a response like any other; after that, nothing on this connection can be trusted. */
export const answerUnreadable = (headers: Record<string, string>) => (error: ConnectionError, socket: Socket) => {
  const response = lastResponses.get(socket)
  const hasBegun = response?.headersSent && !response.writableFinished
  // If a response has begun, or no one is listening, another one would be noise.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
    socket.destroy(error)
    return
  }
  const { status, code, message } = refusals[error.code ?? ''] ?? otherwise
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

/** Node keeps the first of two; a proxy in front may have believed the other. */
export const hasTwoHosts = ({ rawHeaders }: IncomingMessage) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length > 1
