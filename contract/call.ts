import { type Endpoint, type InputOf, isEmptyOutput, type OutputOf } from './endpoint.ts'
import type { RefusalCode } from './refusals.ts'
import type { WayToProve } from './statuses.ts'

/** HTTP/2 has no status texts. These statuses often come from a proxy, without a readable body. */
const statusTexts: Record<number, string> = {
  413: 'Content Too Large',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** A refused call. `message` is "status: body" (docs/product.md); `serverMessage` is the sentence to show people. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly serverMessage: string | undefined
  /** Code for programs; undefined if a proxy answered instead of the shop. */
  readonly code: RefusalCode | undefined
  readonly fields: Record<string, string>
  readonly retryAfterSeconds: number | undefined
  /** Proofs of identity that allow repeating the call (`again` on the wire). */
  readonly acceptedProofs: WayToProve[] | undefined
  /** Second steps that complete the login (`next` on the wire). */
  readonly secondSteps: WayToProve[] | undefined
  /** Changed price in cents, if the caller quoted an outdated one (`amount` on the wire). */
  readonly currentAmount: number | undefined

  constructor(status: number, statusText: string, body: string, retryAfter?: string | null) {
    // Drops HTML: it is a proxy's error page.
    const isMarkup = /^\s*</.test(body)
    const readableBody = isMarkup ? '' : body
    super(`${status}: ${readableBody || statusText || statusTexts[status] || 'Error'}`)
    this.status = status
    const parsed = parseError(body)
    this.serverMessage = parsed.message
    this.code = parsed.code
    this.fields = parsed.fields ?? {}
    this.acceptedProofs = parsed.again
    this.secondSteps = parsed.next
    this.currentAmount = parsed.amount
    this.retryAfterSeconds = retryAfter ? Number(retryAfter) : undefined
  }
}

/** The server could not be reached, or the connection ended during the answer. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
}

/** `fetch`, and reading its answer, reject with a TypeError when the connection fails. */
async function overNetwork<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (error) {
    throw error instanceof TypeError ? new ConnectionError(error.message, { cause: error }) : error
  }
}

type ErrorBody = {
  message?: string
  code?: RefusalCode
  fields?: Record<string, string>
  again?: WayToProve[]
  next?: WayToProve[]
  amount?: number
}

function parseError(body: string): ErrorBody {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed !== 'object' || parsed === null) return {}
    const isFromAnotherServer = 'message' in parsed && typeof parsed.message !== 'string'
    return isFromAnotherServer ? {} : parsed
  } catch {
    return {}
  }
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

/** `next` is the cursor of the next page, undefined on the last one. */
export type Page<Item> = { items: Item[]; next: string | undefined }

/** `proveAgain` asks for a proof of identity and returns whether it was given; if so, the call is repeated. */
export function createCaller(fetch: Fetch, proveAgain?: (ways: WayToProve[]) => Promise<boolean>) {
  async function send<E extends Endpoint>(endpoint: E, input: InputOf<E>, init: RequestInit = {}): Promise<Response> {
    const { address, body } = requestFor(endpoint, input)
    const jsonBody = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
    const request = { method: endpoint.method, credentials: 'same-origin' as const, ...jsonBody, ...init }
    const response = await overNetwork(fetch(address, request))
    if (response.ok) return response

    const { status, statusText, headers } = response
    const error = new ApiError(status, statusText, await overNetwork(response.text()), headers.get('retry-after'))
    const hasProven = error.acceptedProofs && (await proveAgain?.(error.acceptedProofs))
    if (hasProven) return send(endpoint, input, init)
    throw error
  }

  async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, init?: RequestInit): Promise<OutputOf<E>> {
    const response = await send(endpoint, input, init)
    const body = await overNetwork(response.text())
    const output: OutputOf<E> = JSON.parse(isEmptyOutput(endpoint.output) ? '{}' : body)
    return output
  }

  /** Returns false if the call answered 202: try again later. */
  async function callAndCheckDone<E extends Endpoint & { answer?: 'later' }>(endpoint: E, input: InputOf<E>) {
    const response = await send(endpoint, input)
    await overNetwork(response.text())
    return response.status !== 202
  }

  async function callPage<E extends Endpoint & { answer?: 'list' }>(
    endpoint: E,
    input: InputOf<E>,
    init?: RequestInit,
  ): Promise<Page<OutputOf<E> extends (infer Item)[] ? Item : never>> {
    const response = await send(endpoint, input, init)
    // For example: </api/purchases?cursor=abc>; rel="next"
    const [, nextCursor] = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
    return { items: await overNetwork(response.json()), next: nextCursor && decodeURIComponent(nextCursor) }
  }

  return { send, call, callAndCheckDone, callPage }
}

/** Path segments are encoded, so an id cannot change the path. */
function requestFor(endpoint: Endpoint, input: Record<string, unknown>) {
  const fields = { ...input }
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(String(value))
  })
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined && value !== '')
        query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    return { address: query.size > 0 ? `${path}?${query}` : path, body: undefined }
  }
  return { address: path, body: JSON.stringify(fields) }
}
