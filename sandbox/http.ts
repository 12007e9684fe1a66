import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from './api/api.ts'
import { Failure } from './failure.ts'
import { apiVersion } from './work.ts'

const bodyLimitBytes = 256 * 1024
/** Stripe accepts evidence files of up to 5 MB. */
const fileLimitBytes = 5 * 1024 * 1024

export const readBody = async (request: IncomingMessage) => (await readBytes(request, bodyLimitBytes)).toString('utf8')

async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of request) {
    byteCount += chunk.length
    if (byteCount > limitBytes) {
      throw new Failure(413, { type: 'invalid_request_error', message: 'The request body is too large.' })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function readForm(request: IncomingMessage): Promise<string> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return readBody(request)
  const bytes = await readBytes(request, fileLimitBytes)
  const upload = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
  const form = new URLSearchParams()
  for (const [name, value] of await upload.formData()) {
    if (typeof value === 'string') form.append(name, value)
    else {
      form.append(`${name}[name]`, value.name)
      form.append(`${name}[type]`, value.type)
      form.append(`${name}[data]`, Buffer.from(await value.arrayBuffer()).toString('base64'))
    }
  }
  return form.toString()
}

const firstValue = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

const apiKeyOf = ({ headers }: IncomingMessage) => /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]

type Log = (message: string, detail?: object) => void

/** `browserPrefix` is the path prefix of calls from browsers, which may use only some routes. */
export async function serveApi(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  log: Log,
  browserPrefix?: string,
) {
  const address = (request.url ?? '').slice(browserPrefix?.length ?? 0)
  const [path = '', query = ''] = address.split('?')
  const idempotencyKey = firstValue(request.headers['idempotency-key'])
  try {
    const reply = await api.answer({
      method: request.method ?? 'GET',
      path,
      query,
      body: await readForm(request),
      key: apiKeyOf(request),
      idempotencyKey,
      fromBrowser: browserPrefix !== undefined,
    })
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'request-id': reply.requestId,
      'stripe-version': apiVersion,
    }
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    if (reply.replayed) headers['idempotent-replayed'] = 'true'
    if (reply.shouldRetry !== undefined) headers['stripe-should-retry'] = String(reply.shouldRetry)
    response.writeHead(reply.status, headers)
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
