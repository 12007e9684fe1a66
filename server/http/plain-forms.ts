import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import { type PlainForm, plainForms } from '#contract/plain-forms.ts'
import { Refusal } from '../errors.ts'
import type { Responder } from '../pages/responder.ts'
import { escapeHtml } from '../security/escape-html.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    form?: PlainForm
  }
}

const mediaType = 'application/x-www-form-urlencoded'

export const formOf = (row: Endpoint) => plainForms.find((form) => form.row === row)

/** The form behind a request; undefined when it is an ordinary call. */
export const postedForm = ({ headers, routeOptions }: FastifyRequest) =>
  headers['content-type']?.startsWith(mediaType) ? routeOptions.config?.form : undefined

/** Only marked routes read forms, and only from a page of ours: unlike JSON, any site can post a form. */
export function readForms(app: FastifyInstance, isOurs: (origin: string, request: FastifyRequest) => boolean) {
  app.addContentTypeParser(mediaType, { parseAs: 'string' }, (request, body, done) => {
    const { 'sec-fetch-site': site, origin } = request.headers
    const isSameOrigin = site === undefined ? origin !== undefined && isOurs(origin, request) : site === 'same-origin'
    if (!request.routeOptions.config.form) done(new Refusal(415, 'not-json', 'Please send JSON'))
    else if (!isSameOrigin) done(new Refusal(403, 'other-site', 'This request came from another site'))
    else done(null, Object.fromEntries(new URLSearchParams(body as string)))
  })
}

/** A form's answer is a page that says how it went, with what was typed if it was refused; false when there are no pages. */
export function answerWithPage(
  pages: Pick<Responder, 'read'>,
  request: FastifyRequest,
  reply: FastifyReply,
  said: { message: string; isRefusal: boolean; on?: string | undefined },
): boolean {
  const form = postedForm(request)
  const wanted = said.on ?? form?.page ?? pathOf(request.headers.referer)
  const path = pages.read(wanted) ? wanted : '/'
  const page = pages.read(path)
  if (!page) return false
  // Kept with its secret, so that another try is possible.
  const address = form?.atPage && !said.on ? request.url : path
  const isRefilled = said.isRefusal && form && request.body
  const html = (isRefilled ? refill(page.html, form.row.path, request.body as Record<string, string>) : page.html)
    .replace(
      '<div id="said"></div>',
      () => `<div id="said" role="${said.isRefusal ? 'alert' : 'status'}">${escapeHtml(said.message)}</div>`,
    )
    .replace('<div id="root">', () => `<div id="root" data-page="${escapeHtml(address)}">`)
  void reply.headers(page.headers).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(html)
  return true
}

const pathOf = (referer: string | undefined) => (referer && URL.canParse(referer) ? new URL(referer).pathname : '/')

/** With what was typed, except passwords. React's HTML escapes `>` and `"` in attributes: a tag ends where it seems to. */
function refill(html: string, action: string, typed: Record<string, string>) {
  const forms = new RegExp(`<form[^>]* action="${action}(?:#[^"]+)?"[^>]*>.*?</form>`, 'gs')
  return html.replace(forms, (form) =>
    form.replace(/<(input|textarea)([^>]*?)\/?>(?:[^<]*<\/textarea>)?/g, (field, tag: string, attributes: string) => {
      const [value, type] = [typed[attributeOf(attributes, 'name')], attributeOf(attributes, 'type')]
      if (value === undefined || type === 'password') return field
      // A textarea drops the first line break of its content.
      if (tag === 'textarea') return `<textarea${attributes}>\n${escapeHtml(value)}</textarea>`
      if (type !== 'radio' && type !== 'checkbox')
        return `<input${without(attributes, 'value')} value="${escapeHtml(value)}"/>`
      const isChosen = attributeOf(attributes, 'value') === escapeHtml(value)
      return `<input${without(attributes, 'checked')}${isChosen ? ' checked=""' : ''}/>`
    }),
  )
}

const attributeOf = (attributes: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''

const without = (attributes: string, name: string) => attributes.replace(new RegExp(` ${name}="[^"]*"`), '')
