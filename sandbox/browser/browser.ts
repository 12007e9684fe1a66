import type { IncomingMessage, ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { Api } from '../api/api.ts'
import type { Books } from '../books.ts'
import type { Controls } from '../controls.ts'
import { readSandboxFile } from '../files.ts'
import { readBody, sendFailure, serveApi } from '../http.ts'
import { actionOf, controlPage } from '../pages/control.ts'
import { handleButton, notFound, send } from '../pages/html.ts'
import { findBill, findCreditNote, invoicePage, type Paper } from '../pages/invoice.ts'
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
/** Browser side of the sandbox: script, frame, hosted invoices and control page. */
export function createBrowser(given: BrowserDeps) {
  const { api, books, controls, publishableKey, businessName, mayControl, log } = given

  const sendPdf = (response: ServerResponse, paper: Paper) =>
    send(response, 200, 'application/pdf', documentPdf(paper), {
      'content-disposition': `attachment; filename="${paper.title.replace(' ', '-')}-${paper.number}.pdf"`,
    })

  async function serveInvoice(response: ServerResponse, id: string, secret: string, pdf: boolean) {
    const bill = await books.read((work) => findBill(work, id, secret, businessName))
    if (!bill) return notFound(response)
    if (pdf) return sendPdf(response, bill.paper)
    return send(response, 200, 'text/html', invoicePage(bill, publishableKey))
  }

  async function serveCreditNote(response: ServerResponse, id: string, secret: string) {
    const paper = await books.read((work) => findCreditNote(work, id, secret, businessName))
    return paper ? sendPdf(response, paper) : notFound(response)
  }

  async function press(request: IncomingMessage, response: ServerResponse, kind: string) {
    const action = actionOf(kind)
    if (!action) return notFound(response)
    const act = async () => action(controls, new URLSearchParams(await readBody(request)))
    return handleButton(request, response, { act, next: `${prefix}/?done` })
  }

  async function serve(request: IncomingMessage, response: ServerResponse, url: URL) {
    const path = url.pathname.slice(prefix.length)
    if (path.startsWith('/v1/')) return serveApi(api, request, response, log, prefix)
    if (path === '') return response.writeHead(308, { location: `${prefix}/` }).end()
    const [, place = '', id = '', secret = '', ending] = path.split('/')
    const isPost = request.method === 'POST'
    if (isPost && place === 'controls' && (await mayControl(request))) return press(request, response, id)
    if (isPost) return notFound(response)
    if (place === '' && (await mayControl(request))) {
      const page = await books.read((work) => controlPage(work, url.searchParams))
      return send(response, 200, 'text/html', page)
    }
    if (place === 'invoices' && (ending === undefined || ending === 'pdf')) {
      return serveInvoice(response, id, secret, ending === 'pdf')
    }
    if (place === 'credit-notes' && ending === 'pdf') return serveCreditNote(response, id, secret)
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

type File = { type: string; body: string }

/** Hides Node's warning that this function is experimental from everyone who starts the shop. */
function withoutTypes(name: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(readSandboxFile(name))
  } finally {
    process.emitWarning = emitWarning
  }
}

const module = (name: string): File => ({ type: 'text/javascript', body: withoutTypes(name) })

/** `stripe.js` loads as a classic script, like Stripe's own: its modules become one function. */
function classicScript(...names: string[]): File {
  const body = names.map((name) =>
    withoutTypes(name)
      .replaceAll(/^import .*$/gm, '')
      .replaceAll(/^export /gm, ''),
  )
  return { type: 'text/javascript', body: `(() => {\n${body.join('\n')}\n})()\n` }
}

const files = new Map<string, () => File>([
  ['/stripe.js', () => classicScript('browser/payment-element.ts', 'browser/stripe.ts')],
  ['/card-frame.ts', () => module('browser/card-frame.ts')],
  ['/card-input.ts', () => module('browser/card-input.ts')],
  ['/pay-invoice.ts', () => module('browser/pay-invoice.ts')],
  ['/pages.css', () => ({ type: 'text/css', body: readSandboxFile('pages/pages.css') })],
  ['/card-frame.css', () => ({ type: 'text/css', body: readSandboxFile('browser/card-frame.css') })],
  ['/card-frame', () => ({ type: 'text/html', body: readSandboxFile('browser/card-frame.html') })],
])
const ready = new Map<string, File>()

const filePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; frame-ancestors 'self'"

function serveFile(path: string, response: ServerResponse): boolean {
  const file = ready.get(path) ?? files.get(path)?.()
  if (!file) return false
  ready.set(path, file)
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
