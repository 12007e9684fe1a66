import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import cookie from '@fastify/cookie'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { isDatabaseAway, isDatabaseBusy } from '../database/connect.ts'
import { duplicateRefusal } from '../database/unique.ts'
import { Refusal } from '../errors.ts'
import type { Responder } from '../pages/responder.ts'
import { cleanForwardedFor, shortAddress, trustProxyOption } from './addresses.ts'
import { limitFloods } from './flood.ts'
import type { SecurityHeaders } from './headers.ts'
import { answerWithPage, type FormPages, postedForm, readForms } from './plain-forms.ts'
import { createUnreadableHandler, hasTwoHosts, lastResponses } from './unreadable.ts'

export type Middleware = (request: IncomingMessage, response: ServerResponse) => boolean

type Options = {
  config: Config
  log: Logger
  security: SecurityHeaders
  middleware: Middleware[]
  pages: FormPages & Pick<Responder, 'notFound'>
}

export async function createHttpServer({
  config,
  log,
  security,
  middleware,
  pages,
}: Options): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = log
  const refuseUnreadable = createUnreadableHandler(security.nonPage)
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: trustProxyOption(config.trustProxy),
    bodyLimit: 64 * 1024,
    // A passkey's id has up to 1023 bytes, in base64url.
    routerOptions: { maxParamLength: 1400 },
    clientErrorHandler: refuseUnreadable,
    // Errors of the router skip the hooks below, and Fastify's own answer would repeat the URL.
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const { status, code, message } = refusalFor(error)
      reply
        .status(status)
        .headers({ ...security.nonPage, 'cache-control': 'no-store' })
        .send({ message, code })
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory: (handler) =>
      // Milliseconds; Node's defaults (60 s, 300 s) would let slow clients hold many connections.
      createServer(
        { connectionsCheckingInterval: 1000, headersTimeout: 4000, requestTimeout: 5000 },
        (request, response) => {
          lastResponses.set(request.socket, response)
          if (hasTwoHosts(request)) return refuseUnreadable(new Error('Two hosts'), request.socket)
          const isAnswered = middleware.some((serve) => serve(request, response))
          if (isAnswered) return
          if (config.trustProxy !== 0) cleanForwardedFor(request.headers)
          handler(request, response)
        },
      ),
  })

  app.removeContentTypeParser('text/plain')
  readForms(app, (origin, request) => isOurOrigin(origin, request, config.publicUrl))

  await app.register(cookie)
  if (config.rateLimits) limitFloods(app)

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(security.nonPage)
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    if (isWrite) refuseOtherSites(request, config.publicUrl)
  })

  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ip: shortAddress(request.ip),
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })

  app.setErrorHandler(async (error: FastifyError | Refusal, request, reply) => {
    const { status, code, message, details } = refusalFor(error)
    const { retryAfterSeconds, ...otherDetails } = details
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
    reply.status(status)
    const form = postedForm(request)
    if (form?.secondStepPage && otherDetails.next?.includes('code')) return reply.redirect(form.secondStepPage, 303)
    if (form && (await answerWithPage(pages, request, reply, { message, isRefusal: true }))) return reply
    return reply
      .header('cache-control', 'no-store')
      .send({ message, code, ...otherDetails, requestId: status >= 500 ? request.id : undefined })
  })

  app.setNotFoundHandler((request, reply) => {
    const isPage = !request.url.startsWith('/api') && (request.method === 'GET' || request.method === 'HEAD')
    if (isPage && pages.notFound(request.raw, reply.raw)) return reply.hijack()
    return reply.status(404).send({ message: 'There is nothing here', code: 'not-found' })
  })

  return app
}

/** Refuses writes that another site sends from a visitor's browser. Tools that are no browsers send neither header. */
function refuseOtherSites(request: FastifyRequest, publicUrl: string) {
  const site = request.headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return
  const { origin } = request.headers
  const mayBeOurs = site === undefined || site === 'same-site'
  const isOurPage = origin === undefined || isOurOrigin(origin, request, publicUrl)
  if (!mayBeOurs || !isOurPage) throw new Refusal(403, 'other-site', 'This request came from another site')
}

const isOurOrigin = (origin: string, request: FastifyRequest, publicUrl: string) =>
  origin === new URL(publicUrl).origin || hostOf(origin) === request.headers.host

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined)

function refusalFor(error: FastifyError | Refusal): Refusal {
  if (error instanceof Refusal) return error
  if (isDatabaseAway(error) || isDatabaseBusy(error))
    return new Refusal(503, 'busy', 'The shop is busy right now. Please try again in a moment.', {
      retryAfterSeconds: 1,
    })
  const status = error.statusCode ?? 500
  if (status === 413) return new Refusal(status, 'too-large', 'That’s too much text')
  if (status === 415) return new Refusal(status, 'not-json', 'Please send JSON')
  if (status >= 400 && status < 500) return new Refusal(status, 'unreadable', 'The request could not be read')
  return duplicateRefusal(error) ?? new Refusal(500, 'failed', 'Something went wrong')
}
