import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Compressed } from './compressed.ts'

/** Files are ready in each encoding. */
export type Responder = {
  serve(request: IncomingMessage, response: ServerResponse): boolean
  headersOf(path: string): Record<string, string> | undefined
  notFound(request: IncomingMessage, response: ServerResponse): boolean
}

export type SiteFile = Compressed & {
  /** `/about`, `/assets/x.js`, or `*` for the not-found page. */
  path: string
  alsoAt: string[]
  type: string
  hash: string
  immutable: boolean
  headers: Record<string, string>
}

type Variant = { status: number; etag: string; headers: Record<string, string>; body: Buffer }
type Entry = Record<'br' | 'gzip' | 'identity', Variant>

export function createResponder(): Responder & { show(files: SiteFile[]): void } {
  let entries = new Map<string, Entry>()
  let pages = new Map<string, SiteFile>()
  let notFoundEntry: Entry | undefined
  let patterns: { parts: string[]; entry: Entry }[] = []

  return {
    show(files) {
      entries = new Map(files.map((file) => [file.path, entryFor(file)]))
      pages = new Map(files.filter(({ type }) => type.startsWith('text/html')).map((file) => [file.path, file]))
      notFoundEntry = entries.get('*')
      entries.delete('*')
      patterns = files.flatMap(({ path, alsoAt }) => {
        const entry = entries.get(path)
        return entry ? alsoAt.map((pattern) => ({ parts: pattern.split('/'), entry })) : []
      })
    },
    serve(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const url = request.url ?? '/'
      const queryStart = url.indexOf('?')
      const path = queryStart < 0 ? url : url.slice(0, queryStart)
      const entry = entries.get(path)
      if (entry) {
        answer(entry, request, response)
        return true
      }
      if (path.length > 1 && path.endsWith('/') && entries.has(path.slice(0, -1))) {
        const query = queryStart < 0 ? '' : url.slice(queryStart)
        response.writeHead(308, { location: path.slice(0, -1) + query }).end()
        return true
      }
      const pattern = patterns.find(({ parts }) => matchesPattern(path.split('/'), parts))
      if (pattern) answer(pattern.entry, request, response)
      return pattern !== undefined
    },
    headersOf: (path) => (path === '*' ? undefined : pages.get(path)?.headers),
    notFound(request, response) {
      if (notFoundEntry) answer(notFoundEntry, request, response)
      return notFoundEntry !== undefined
    },
  }
}

const matchesPattern = (address: string[], pattern: string[]) =>
  address.length === pattern.length &&
  pattern.every((part, index) => part === address[index] || (part.startsWith(':') && address[index] !== ''))

function answer(entry: Entry, request: IncomingMessage, response: ServerResponse) {
  const variant = variantFor(entry, request.headers['accept-encoding'] ?? '')
  const cachedEtags = request.headers['if-none-match']
  if (cachedEtags && variant.status === 200 && cachedEtags.includes(variant.etag)) {
    response.writeHead(304, variant.headers).end()
    return
  }
  response.writeHead(variant.status, variant.headers)
  response.end(request.method === 'HEAD' ? undefined : variant.body)
}

function variantFor(entry: Entry, acceptedEncodings: string): Variant {
  if (acceptedEncodings.includes('br')) return entry.br
  if (acceptedEncodings.includes('gzip')) return entry.gzip
  return entry.identity
}

function entryFor(file: SiteFile): Entry {
  const variant = (encoding: keyof Entry, body: Buffer): Variant => {
    // A strong ETag must differ between encodings.
    const etag = `"${file.hash}-${encoding}"`
    const headers: Record<string, string> = {
      'content-type': file.type,
      'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
      vary: 'accept-encoding',
      etag,
      'content-length': String(body.length),
      ...file.headers,
    }
    if (encoding !== 'identity') headers['content-encoding'] = encoding
    return { status: file.path === '*' ? 404 : 200, etag, headers, body }
  }
  return {
    br: file.br ? variant('br', file.br) : variant('identity', file.body),
    gzip: file.gzip ? variant('gzip', file.gzip) : variant('identity', file.body),
    identity: variant('identity', file.body),
  }
}
