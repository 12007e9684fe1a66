import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from './api/api.ts'
import { Failure } from './failure.ts'
import { apiVersion } from './work.ts'

const bodyLimit = 256 * 1024

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyLimit) {
      throw new Failure(413, { type: 'invalid_request_error', message: 'The request body is too large.' })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

const keyOf = ({ headers }: IncomingMessage) => /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]

type Log = (message: string, detail?: object) => void

/** Answers an API call; browsers reach it under a path of the shop, and only part of it. */
export async function serveApi(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  log: Log,
  browsersPath?: string,
) {
  const address = (request.url ?? '').slice(browsersPath?.length ?? 0)
  const [path = '', query = ''] = address.split('?')
  const idempotencyKey = first(request.headers['idempotency-key'])
  try {
    const reply = await api.answer({
      method: request.method ?? 'GET',
      path,
      query,
      body: await readBody(request),
      key: keyOf(request),
      idempotencyKey,
      fromBrowser: browsersPath !== undefined,
    })
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'request-id': reply.requestId,
      'stripe-version': apiVersion,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(reply.replayed ? { 'idempotent-replayed': 'true' } : {}),
      ...(reply.shouldRetry === undefined ? {} : { 'stripe-should-retry': String(reply.shouldRetry) }),
    })
    response.end(reply.body)
  } catch (error) {
    sendFailure(response, error, log)
  }
}

export function sendFailure(response: ServerResponse, error: unknown, log: Log) {
  if (!(error instanceof Failure)) log('The sandbox failed to answer', { error: String(error) })
  const failure =
    error instanceof Failure
      ? error
      : new Failure(500, { type: 'api_error', message: 'The sandbox failed. Please try again.' })
  if (!response.headersSent) response.writeHead(failure.status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: failure.error }))
}
