import type { IncomingMessage, ServerResponse } from 'node:http'
import type { createApi } from '../api/api.ts'
import type { Books } from '../books.ts'
import type { Controls } from '../controls.ts'
import { readApiRequest, sendApi, sendFailure } from '../http.ts'
import { serveFile } from './files.ts'

type Given = {
  api: ReturnType<typeof createApi>
  books: Books
  controls: Controls
  log: (message: string, detail?: object) => void
}

const prefix = '/_sandbox'

export function createBrowser({ api, log }: Given) {
  async function serve(request: IncomingMessage, response: ServerResponse, path: string) {
    if (path.startsWith('/v1/')) {
      const call = await readApiRequest(request, prefix, true)
      return sendApi(response, await api.answer(call), call.idempotencyKey)
    }
    if (serveFile(path, response)) return
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found')
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [address = ''] = (request.url ?? '').split('?')
    if (!address.startsWith(`${prefix}/`)) return false
    serve(request, response, address.slice(prefix.length)).catch((error: unknown) => {
      log('The sandbox failed to answer a browser', { url: address, error: String(error) })
      sendFailure(response, error)
    })
    return true
  }
}
