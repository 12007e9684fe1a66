import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import * as z from 'zod/mini'
import type { Endpoint, ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { Actor, AssertFresh, User } from '../actor.ts'
import type { Page } from '../database/cursor.ts'
import { conflict, Refusal } from '../errors.ts'
import type { Pages } from '../pages/pages.ts'
import type { Attempts } from '../security/attempts.ts'
import { type Network, networksOf } from './addresses.ts'
import type { Cookie } from './cookies.ts'
import type { Gate, Session } from './gate.ts'
import { answerWithPage, type FormPages, formOf, postedForm } from './plain-forms.ts'
import { projectionOf } from './projection.ts'

/** Null for public calls, unless their contract sets `caller: 'optional'`. */
type CallerOf<E extends Endpoint> = E['access'] extends 'public'
  ? E extends { caller?: 'optional' }
    ? User | null
    : null
  : User

type CallContext<E extends Endpoint> = {
  actor: Actor<CallerOf<E>>
  /** For calls that need a recent proof only in some cases; the contract's `fresh` asks in every case. */
  assertFresh: AssertFresh
  request: FastifyRequest
  reply: FastifyReply
}

export type FileAnswer = { name: string; stream: NodeJS.ReadableStream }

type AnswerOf<E extends Endpoint> = E extends { answer?: 'list' }
  ? Page<Extract<RawOutputOf<E>, unknown[]>[number]>
  : E extends { answer?: 'csv' }
    ? FileAnswer
    : E extends { answer?: 'redirect' | 'html' }
      ? string
      : E extends { answer?: 'later' }
        ? 'done' | 'not yet'
        : RawOutputOf<E> | NothingIfEmpty<RawOutputOf<E>>

type NothingIfEmpty<Output> = Output extends Record<string, never> ? void : never

export type Handler<E extends Endpoint> = (
  input: ParsedInputOf<E>,
  context: CallContext<E>,
) => Promise<AnswerOf<E>> | AnswerOf<E>

export type Handlers<Group extends Record<string, Endpoint>> = { [Name in keyof Group]: Handler<Group[Name]> }

type Dependencies = {
  sessions: { find(token: string, ip: string): Promise<(Session & { newToken?: string | undefined }) | undefined> }
  gate: Pick<Gate, 'authorize' | 'mustSetUp' | 'assertFresh'>
  cookies: { session: Cookie }
  /** Across all processes; without it, nothing is counted. */
  limits: Pick<Attempts, 'countOrRefuse'> | undefined
  /** For forms that are posted without scripts. */
  pages: FormPages
}

export function createMount(app: FastifyInstance, deps: Dependencies) {
  const { sessions, cookies, gate, limits, pages } = deps

  async function sessionOf(request: FastifyRequest, reply: FastifyReply) {
    const token = cookies.session.read(request)
    const session = token ? await sessions.find(token, request.ip) : undefined
    if (session?.newToken) cookies.session.set(reply, session.newToken)
    return session
  }

  const actorOf = (session: Session | undefined, request: FastifyRequest): Actor<User | null> => ({
    user: session?.user ?? null,
    sessionId: session?.id ?? null,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    mustSetUp: session !== undefined && gate.mustSetUp(session),
  })

  return function mount<Group extends Record<string, Endpoint>>(group: Group, handlers: Handlers<Group>) {
    for (const [name, endpoint] of Object.entries(group)) {
      const handler = handlers[name] as unknown as (input: unknown, context: unknown) => Promise<unknown>
      const wantsCaller = endpoint.access !== 'public' || endpoint.caller === 'optional'
      const form = formOf(endpoint)
      const output = projectionOf(endpoint.output)
      const project = (answer: unknown) => z.parse(output, answer)
      const countCall = async (caller: string | Network[]) => {
        if (endpoint.limit) await limits?.countOrRefuse(`${endpoint.method} ${endpoint.path}`, caller, endpoint.limit)
      }
      const route: RouteOptions = {
        method: endpoint.method,
        url: endpoint.path,
        handler: async (request, reply) => {
          if (endpoint.access === 'public') await countCall(networksOf(request.ip))
          const callerSession = wantsCaller ? await sessionOf(request, reply) : undefined
          const session = await gate.authorize(endpoint, callerSession, request.ip)
          if (session && endpoint.method !== 'GET') assertShownUser(request, session)
          // Counted per account, because strangers behind the same address must not use up its limit.
          if (endpoint.access !== 'public' && session) await countCall(session.user.id)

          const input = parseInput(endpoint, request)
          const actor = actorOf(session, request)
          const assertFresh: AssertFresh = async (tx) => {
            if (session) await gate.assertFresh('today', session, tx)
          }
          const answer = await handler(input, { actor, assertFresh, request, reply })

          const onSuccess = postedForm(request)?.onSuccess
          const success = typeof onSuccess === 'function' ? onSuccess(answer as never, input as never) : onSuccess
          if (success && 'goTo' in success) return reply.redirect(success.goTo, 303)
          if (success) {
            const outcome = { message: success.message, isRefusal: false, page: success.page }
            if (await answerWithPage(pages, request, reply, outcome)) return reply
          }
          return sendAnswer({ endpoint, project }, request, reply, answer)
        },
      }
      if (form) route.config = { form }
      app.route(route)
      if (form?.atPage && form.page) app.route({ ...route, url: form.page })
    }
  }
}

export type Mount = ReturnType<typeof createMount>

export type Http = {
  app: FastifyInstance
  mount: Mount
  pages: FormPages & Pick<Pages, 'refresh'>
  /** Recognizes the buyer who returns from paying. */
  checkoutCookie: Cookie
}

/** Throws if the page that sends the change shows another person, because someone else has logged in in another tab. */
function assertShownUser(request: FastifyRequest, { user }: Session) {
  const shownUserId = request.headers['shown-user']
  if (shownUserId !== undefined && shownUserId !== user.id)
    throw conflict('other-user', 'You are logged in with another account now. Please check the page and try again.')
}

function parseInput(endpoint: Endpoint, request: FastifyRequest): unknown {
  const pathFields = request.params as Record<string, unknown>
  const form = postedForm(request)
  const isInQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE'
  const queryOrBody = isInQuery ? request.query : (request.body ?? {})
  // A form that is posted to its own page leaves some fields in the page's query.
  const fields = form?.atPage ? { ...(request.query as object), ...(queryOrBody as object) } : queryOrBody
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new Refusal(400, 'invalid-input', 'Please send a JSON object')
  for (const name of Object.keys(pathFields))
    if (name in fields) throw new Refusal(400, 'invalid-input', `${name} belongs only in the path`)
  const parsed = z.safeParse(form?.input ?? endpoint.input, { ...fields, ...pathFields })
  if (parsed.success) return parsed.data
  throw refusalOfIssues(parsed.error.issues)
}

type Issue = { code?: string; path: PropertyKey[]; message: string; keys?: string[] }

/** The first issue of each field; `*` stands for the whole input. */
function refusalOfIssues(issues: Issue[]): Refusal {
  const fields: Record<string, string> = {}
  for (const issue of issues) {
    const field = issue.path.map(String).join('.') || '*'
    fields[field] ??= issue.code === 'unrecognized_keys' ? `Unknown field: ${issue.keys?.join(', ')}` : issue.message
  }
  return new Refusal(400, 'invalid-input', Object.values(fields)[0] ?? 'Invalid input', { fields })
}

type AnswerFormat = { endpoint: Endpoint; project: (answer: unknown) => unknown }

function sendAnswer(
  { endpoint, project }: AnswerFormat,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
) {
  reply.header('cache-control', 'no-store')
  switch (endpoint.answer) {
    case 'html':
      return reply
        .type('text/html; charset=utf-8')
        .header(
          'content-security-policy',
          "default-src 'none'; img-src https:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
        )
        .send(answer)
    case 'redirect':
      return reply.redirect(answer as string, 303)
    case 'later':
      return reply.status(answer === 'done' ? 200 : 202).send({})
    case 'csv': {
      const { name, stream } = answer as FileAnswer
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(stream)
    }
    case 'list': {
      const { items, next } = answer as Page<unknown>
      if (next) reply.header('link', `<${nextPage(request, next)}>; rel="next"`)
      return reply.send(project(items))
    }
    default:
      return reply.send(project(answer === undefined ? {} : answer))
  }
}

function nextPage(request: FastifyRequest, cursor: string) {
  const query = new URLSearchParams(request.query as Record<string, string>)
  query.set('cursor', cursor)
  return `${request.url.split('?')[0]}?${query}`
}
