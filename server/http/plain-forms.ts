import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import { type PlainForm, plainForms } from '#contract/plain-forms.ts'
import { Refusal } from '../errors.ts'
import type { Pages } from '../pages/pages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    form?: PlainForm
  }
}

const mediaType = 'application/x-www-form-urlencoded'

export const formOf = (row: Endpoint) => plainForms.find((form) => form.endpoint === row)

/** The form behind a request; undefined when it is an ordinary call. */
export const postedForm = ({ headers, routeOptions }: FastifyRequest) =>
  headers['content-type']?.startsWith(mediaType) ? routeOptions.config?.form : undefined

/** Lets marked routes read forms, only from pages of the shop: other sites can post forms, but not JSON. */
export function readForms(app: FastifyInstance, isOurs: (origin: string, request: FastifyRequest) => boolean) {
  app.addContentTypeParser(mediaType, { parseAs: 'string' }, (request, body, done) => {
    const { 'sec-fetch-site': site, origin } = request.headers
    const isSameOrigin = site === undefined ? origin !== undefined && isOurs(origin, request) : site === 'same-origin'
    if (!request.routeOptions.config.form) done(new Refusal(415, 'not-json', 'Please send JSON'))
    else if (!isSameOrigin) done(new Refusal(403, 'other-site', 'This request came from another site'))
    // Browsers post line breaks as CRLF, unlike the same form with scripts.
    else done(null, Object.fromEntries(new URLSearchParams((body as string).replaceAll('%0D%0A', '%0A'))))
  })
}

/** Answers a form with its page, which says how it went and repeats what was typed if the form was refused. */
export async function answerWithPage(
  pages: FormPages,
  request: FastifyRequest,
  reply: FastifyReply,
  said: { message: string; isRefusal: boolean; on?: string | undefined },
): Promise<boolean> {
  const form = postedForm(request)
  const target = said.on ?? form?.page ?? pathOf(request.headers.referer)
  const path = pages.headersOf(target) ? target : '/'
  const page = await pages.answerForm(path, {
    message: said.message,
    isRefusal: said.isRefusal,
    // Kept with its secret, so that another try is possible.
    address: form?.atPage && !said.on ? request.url : path,
    refused:
      said.isRefusal && form && request.body
        ? { action: form.endpoint.path, values: withoutPasswords(request.body as Record<string, string>) }
        : null,
  })
  if (!page) return false
  void reply.headers(page.headers).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page.html)
  return true
}

export type FormPages = Pick<Pages, 'headersOf' | 'answerForm'>

const pathOf = (referer: string | undefined) => (referer && URL.canParse(referer) ? new URL(referer).pathname : '/')

const withoutPasswords = (typed: Record<string, string>) =>
  Object.fromEntries(Object.entries(typed).filter(([name]) => !/password/i.test(name)))
