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

export const formOf = (endpoint: Endpoint) => plainForms.find((form) => form.endpoint === endpoint)

export const postedForm = ({ headers, routeOptions }: FastifyRequest) =>
  headers['content-type']?.startsWith(mediaType) ? routeOptions.config?.form : undefined

/** Accepts forms only from the shop's pages: other sites can post forms, but not JSON. */
export function readForms(app: FastifyInstance, isOurs: (origin: string, request: FastifyRequest) => boolean) {
  app.addContentTypeParser(mediaType, { parseAs: 'string' }, (request, body, done) => {
    const { 'sec-fetch-site': site, origin } = request.headers
    // Older browsers send only the origin.
    const hasOurOrigin = origin !== undefined && isOurs(origin, request)
    const isSameOrigin = site === undefined ? hasOurOrigin : site === 'same-origin'
    if (!request.routeOptions.config.form) done(new Refusal(415, 'not-json', 'Please send JSON'))
    else if (!isSameOrigin) done(new Refusal(403, 'other-site', 'This request came from another site'))
    // Browsers post line breaks as CRLF; the same form with scripts sends LF.
    else done(null, Object.fromEntries(new URLSearchParams((body as string).replaceAll('%0D%0A', '%0A'))))
  })
}

export async function answerWithPage(
  pages: FormPages,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: { message: string; isRefusal: boolean; page?: string | undefined },
): Promise<boolean> {
  const form = postedForm(request)
  const wantedPath = outcome.page ?? form?.page ?? pathOf(request.headers.referer)
  const path = pages.headersOf(wantedPath) ? wantedPath : '/'
  const staysOnPage = form?.atPage && !outcome.page
  const canBeSentAgain = outcome.isRefusal && form && request.body
  const page = await pages.answerForm(path, {
    message: outcome.message,
    isRefusal: outcome.isRefusal,
    // The query may hold a link's secret, without which the form could not be sent again.
    address: staysOnPage ? request.url : path,
    refused: canBeSentAgain
      ? { action: form.endpoint.path, values: withoutPasswords(request.body as Record<string, string>) }
      : null,
  })
  if (!page) return false
  void reply.headers(page.headers).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page.html)
  return true
}

export type FormPages = Pick<Pages, 'headersOf' | 'answerForm'>

const pathOf = (referer: string | undefined) => (referer && URL.canParse(referer) ? new URL(referer).pathname : '/')

const withoutPasswords = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !/password/i.test(name)))
