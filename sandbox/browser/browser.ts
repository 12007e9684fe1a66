import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../api/api.ts'
import type { Books } from '../books.ts'
import type { Controls } from '../controls.ts'
import { readBuiltScript, readSandboxFile } from '../files.ts'
import { readBody, sendFailure, serveApi } from '../http.ts'
import { actionOf, controlPage } from '../pages/control.ts'
import { handleButton, notFound, send } from '../pages/html.ts'
import { findCreditNote, findInvoice, invoicePage, type PrintedDocument } from '../pages/invoice.ts'
import { documentPdf } from '../pages/invoice-pdf.ts'

export type MayControl = (request: IncomingMessage) => boolean | Promise<boolean>

type BrowserDeps = {
  api: Api
  books: Books
  controls: Controls
  publishableKey: string
  businessName: string
  mayControl: MayControl
  log: (message: string, detail?: object) => void
}

const prefix = '/_sandbox'

export function createBrowser(deps: BrowserDeps) {
  const { api, books, controls, publishableKey, businessName, mayControl, log } = deps

  const sendPdf = (response: ServerResponse, printed: PrintedDocument) =>
    send(response, 200, 'application/pdf', documentPdf(printed), {
      'content-disposition': `attachment; filename="${printed.title.replace(' ', '-')}-${printed.number}.pdf"`,
    })

  async function serveInvoice(response: ServerResponse, id: string, secret: string, format: 'html' | 'pdf') {
    const view = await books.read((work) => findInvoice(work, id, secret, businessName))
    if (!view) return notFound(response)
    if (format === 'pdf') return sendPdf(response, view.printed)
    return send(response, 200, 'text/html', invoicePage(view, publishableKey))
  }

  async function serveCreditNote(response: ServerResponse, id: string, secret: string) {
    const printed = await books.read((work) => findCreditNote(work, id, secret, businessName))
    return printed ? sendPdf(response, printed) : notFound(response)
  }

  async function pressButton(request: IncomingMessage, response: ServerResponse, kind: string) {
    const action = actionOf(kind)
    if (!action) return notFound(response)
    const act = async () => action(controls, new URLSearchParams(await readBody(request)))
    return handleButton(request, response, { act, nextPath: `${prefix}/?done` })
  }

  async function serve(request: IncomingMessage, response: ServerResponse, url: URL) {
    const path = url.pathname.slice(prefix.length)
    if (path.startsWith('/v1/')) return serveApi(api, request, response, log, prefix)
    if (path === '') return response.writeHead(308, { location: `${prefix}/` }).end()
    const [, section = '', id = '', secret = '', ending] = path.split('/')
    const isPost = request.method === 'POST'
    if (isPost && section === 'controls' && (await mayControl(request))) return pressButton(request, response, id)
    if (isPost) return notFound(response)
    if (section === '' && (await mayControl(request))) {
      const page = await books.read((work) => controlPage(work, url.searchParams))
      return send(response, 200, 'text/html', page)
    }
    if (section === 'invoices' && (ending === undefined || ending === 'pdf')) {
      return serveInvoice(response, id, secret, ending === 'pdf' ? 'pdf' : 'html')
    }
    if (section === 'credit-notes' && ending === 'pdf') return serveCreditNote(response, id, secret)
    if (!serveFile(path, response)) notFound(response)
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const address = request.url ?? ''
    if (!/^\/_sandbox(\/|$|\?)/.test(address) || !URL.canParse(address, 'http://shop')) return false
    serve(request, response, new URL(address, 'http://shop')).catch((error: unknown) =>
      sendFailure(response, error, log),
    )
    return true
  }
}

type StaticFile = { type: string; body: string }

const scriptFile = (name: string): StaticFile => ({ type: 'text/javascript', body: readBuiltScript(name) })

const files = new Map<string, () => StaticFile>([
  ['/stripe.js', () => scriptFile('stripe.js')],
  ['/card-frame.js', () => scriptFile('card-frame.js')],
  ['/pay-invoice.js', () => scriptFile('pay-invoice.js')],
  ['/pages.css', () => ({ type: 'text/css', body: readSandboxFile('pages/pages.css') })],
  ['/card-frame.css', () => ({ type: 'text/css', body: readSandboxFile('browser/card-frame.css') })],
  ['/card-frame', () => ({ type: 'text/html', body: readSandboxFile('browser/card-frame.html') })],
])
const cachedFiles = new Map<string, StaticFile>()

const filePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; frame-ancestors 'self'"

function serveFile(path: string, response: ServerResponse): boolean {
  const file = cachedFiles.get(path) ?? files.get(path)?.()
  if (!file) return false
  cachedFiles.set(path, file)
  response.writeHead(200, {
    'content-type': `${file.type}; charset=utf-8`,
    'cache-control': 'no-cache',
    'content-security-policy': filePolicy,
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  response.end(file.body)
  return true
}
