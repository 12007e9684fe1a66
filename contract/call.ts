import { type Endpoint, type InputOf, isNothing, type OutputOf } from './endpoint.ts'
import type { RefusalCode } from './refusals.ts'
import type { WayToProve } from './statuses.ts'

/** HTTP/2 has no status texts; these are what proxies answer with in our place. */
const statusTexts: Record<number, string> = {
  413: 'Content Too Large',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** A refused call. Its message is "status: body", as docs/product.md has it; `serverMessage` is the one to show. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly serverMessage: string | undefined
  /** Code for programs; undefined if a proxy answered instead of the shop. */
  readonly code: RefusalCode | undefined
  readonly fields: Record<string, string>
  readonly retryAfterSeconds: number | undefined
  /** Accepted proofs of identity for repeating the call. */
  readonly again: WayToProve[] | undefined
  /** Second steps that complete the login. */
  readonly next: WayToProve[] | undefined
  /** Current amount in cents. */
  readonly amount: number | undefined

  constructor(status: number, statusText: string, body: string, retryAfter?: string | null) {
    // Drops HTML: it is a proxy's error page.
    const isMarkup = /^\s*</.test(body)
    super(`${status}: ${(isMarkup ? '' : body) || statusText || statusTexts[status] || 'Error'}`)
    this.status = status
    const parsed = parseError(body)
    this.serverMessage = parsed.message
    this.code = parsed.code
    this.fields = parsed.fields ?? {}
    this.again = parsed.again
    this.next = parsed.next
    this.amount = parsed.amount
    this.retryAfterSeconds = retryAfter ? Number(retryAfter) : undefined
  }
}

type Explained = {
  message?: string
  code?: RefusalCode
  fields?: Record<string, string>
  again?: WayToProve[]
  next?: WayToProve[]
  amount?: number
}

function parseError(body: string): Explained {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed !== 'object' || parsed === null) return {}
    // Ignores JSON of other servers.
    return 'message' in parsed && typeof parsed.message !== 'string' ? {} : parsed
  } catch {
    return {}
  }
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

export type Page<Item> = { items: Item[]; next: string | undefined }

/** `proveAgain` asks for a proof of identity; with one, the call is repeated. */
export function createCaller(fetch: Fetch, proveAgain?: (ways: WayToProve[]) => Promise<boolean>) {
  async function send<E extends Endpoint>(endpoint: E, input: InputOf<E>, init: RequestInit = {}): Promise<Response> {
    const { address, body } = requestFor(endpoint, input)
    const response = await fetch(address, {
      method: endpoint.method,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      ...init,
    })
    if (!response.ok) {
      const error = new ApiError(
        response.status,
        response.statusText,
        await response.text(),
        response.headers.get('retry-after'),
      )
      if (error.again && (await proveAgain?.(error.again))) return send(endpoint, input, init)
      throw error
    }
    return response
  }

  async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, init?: RequestInit): Promise<OutputOf<E>> {
    const response = await send(endpoint, input, init)
    const body = await response.text()
    const output: OutputOf<E> = JSON.parse(isNothing(endpoint.output) ? '{}' : body)
    return output
  }

  async function isDone<E extends Endpoint & { answer?: 'later' }>(endpoint: E, input: InputOf<E>) {
    const response = await send(endpoint, input)
    await response.text()
    return response.status !== 202
  }

  async function callPage<E extends Endpoint & { answer?: 'list' }>(
    endpoint: E,
    input: InputOf<E>,
    init?: RequestInit,
  ): Promise<Page<OutputOf<E> extends (infer Item)[] ? Item : never>> {
    const response = await send(endpoint, input, init)
    const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    return { items: await response.json(), next: next && decodeURIComponent(next) }
  }

  return { send, call, isDone, callPage }
}

/** Splits an input into path, query and body. Path segments are encoded, so an id can never turn into another path. */
function requestFor(endpoint: Endpoint, input: Record<string, unknown>) {
  const rest = { ...input }
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined && value !== '')
        query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    return { address: query.size > 0 ? `${path}?${query}` : path, body: undefined }
  }
  return { address: path, body: JSON.stringify(rest) }
}
