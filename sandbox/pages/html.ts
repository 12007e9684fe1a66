import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../failure.ts'

/** Escaped markup; created only by `html`. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type HtmlPart = string | number | Html | HtmlPart[] | undefined | null | false

function render(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(render).join('')
  if (part === undefined || part === null || part === false) return ''
  return String(part).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export const html = (strings: TemplateStringsArray, ...parts: HtmlPart[]) =>
  new Html(strings.map((text, index) => text + render(parts[index])).join(''))

export const money = (cents: number, currency: string) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)

export const date = (seconds: number) =>
  new Date(seconds * 1000).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

export const moment = (at: Date) =>
  at.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

type Page = { title: string; body: Html; scripts?: string[] }

export const page = ({ title, body, scripts = [] }: Page) =>
  html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="/_sandbox/pages.css">
    ${scripts.map((src) => html`<script type="module" src="${src}"></script>`)}
  </head>
  <body>
    ${body}
  </body>
</html>
`.text

/** `about` names the object for screen readers, because several buttons have the same label. */
export const button = (action: string, label: string, fields: Record<string, string> = {}, about?: string) =>
  html`<form method="post" action="/_sandbox/${action}">${Object.entries(fields).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  )}<button aria-label="${about ? `${label}: ${about}` : label}">${label}</button></form>`

export const table = (title: string, heads: string[], rows: HtmlPart[][]) => html`<section>
      <h2>${title}</h2>
      <div class="Scroll" role="region" aria-label="${title}" tabindex="0"><table>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
      </table></div>
    </section>`

export const select = (name: string, chosen: string | undefined, choices: string[]) =>
  html`<label>${name} <select name="${name}">${choices.map(
    (choice) => html`<option value="${choice}"${chosen === choice ? html` selected` : ''}>${choice}</option>`,
  )}</select></label>`

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export const send = (
  response: ServerResponse,
  status: number,
  type: 'text/html' | 'text/plain' | 'application/pdf',
  body: string | Buffer,
  extraHeaders = {},
) =>
  response
    .writeHead(status, {
      'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
      ...extraHeaders,
    })
    .end(body)

export const notFound = (response: ServerResponse) => send(response, 404, 'text/plain', 'Not found')

/** Refuses requests from other origins (CSRF). */
export async function handleButton(
  request: IncomingMessage,
  response: ServerResponse,
  { act, nextPath }: { act: () => Promise<unknown>; nextPath: string },
) {
  const { 'sec-fetch-site': site, origin, host } = request.headers
  // Older browsers send only the origin.
  const hasOwnOrigin = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
  const isSameOrigin = site === undefined ? hasOwnOrigin : site === 'same-origin'
  if (!isSameOrigin)
    return send(response, 403, 'text/plain', 'This button can only be pressed on the sandbox’s own page.')
  try {
    await act()
    return response.writeHead(303, { location: nextPath, 'cache-control': 'no-store' }).end()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return send(response, error.status, 'text/plain', error.message)
  }
}
