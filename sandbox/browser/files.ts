import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'

type File = { type: string; body: string }

const source = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Node calls this function experimental, with a warning that would greet everyone who starts the shop. */
function withoutTypes(name: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source(name))
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
  ['/stripe.js', () => classicScript('./payment-element.ts', './stripe.ts')],
  ['/three-d-secure.ts', () => module('./three-d-secure.ts')],
  ['/card-frame.ts', () => module('./card-frame.ts')],
  ['/card-input.ts', () => module('./card-input.ts')],
  ['/pay-invoice.ts', () => module('./pay-invoice.ts')],
  ['/busy.ts', () => module('./busy.ts')],
  ['/pages.css', () => ({ type: 'text/css', body: source('../pages/pages.css') })],
  ['/card-frame.css', () => ({ type: 'text/css', body: source('./card-frame.css') })],
  ['/card-frame', () => ({ type: 'text/html', body: source('./card-frame.html') })],
])
const ready = new Map<string, File>()

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; frame-ancestors 'self'"

export function serveFile(path: string, response: ServerResponse): boolean {
  const file = ready.get(path) ?? files.get(path)?.()
  if (!file) return false
  ready.set(path, file)
  response.writeHead(200, {
    'content-type': `${file.type}; charset=utf-8`,
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  response.end(file.body)
  return true
}
