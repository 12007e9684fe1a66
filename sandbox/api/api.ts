import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../basics.ts'
import type { Books } from '../books.ts'
import { Failure, invalid } from '../failure.ts'
import type { Fault } from '../quirks.ts'
import type { Keys } from '../schema.ts'
import type { Work } from '../work.ts'
import { accountRoutes } from './account.ts'
import { balanceRoutes } from './balance.ts'
import { catalogRoutes } from './catalog.ts'
import { customerRoutes, taxRoutes } from './customers.ts'
import { eventRoutes, testClockRoutes } from './events.ts'
import {
  assertAllowed,
  earlyFailure,
  isEarly,
  isLate,
  isPublishable,
  randomFault,
  serverError,
  takeQueuedFault,
} from './faults.ts'
import { intentRoutes } from './intents.ts'
import { methodRoutes } from './methods.ts'
import { creditNoteRoutes, moneyRoutes } from './money.ts'
import { type Form, parseForm } from './params.ts'
import { findRoute } from './route.ts'
import { subscriptionRoutes } from './subscriptions.ts'

const routes = [
  ...accountRoutes,
  ...customerRoutes,
  ...catalogRoutes,
  ...subscriptionRoutes,
  ...balanceRoutes,
  ...moneyRoutes,
  ...taxRoutes,
  ...creditNoteRoutes,
  ...intentRoutes,
  ...methodRoutes,
  ...eventRoutes,
  ...testClockRoutes,
]

type ApiRequest = {
  method: string
  path: string
  query: string
  body: string
  key: string | undefined
  idempotencyKey: string | undefined
  /** Browsers may use only the publishable key's routes, even with the secret key. */
  fromBrowser: boolean
}
type ApiReply = {
  status: number
  body: string
  requestId: string
  replayed: boolean
  shouldRetry?: boolean | undefined
}

export type Api = ReturnType<typeof createApi>

export type Call = ApiRequest & { reply: ApiReply }
type ApiDeps = { books: Books; keys: Keys; onWrite: () => void; onClockMoved: () => void; onCall: (call: Call) => void }
type Task = (work: Work) => Promise<unknown>
type Settings = Awaited<ReturnType<Books['readSettings']>>
type WriteCall = {
  request: ApiRequest
  requestId: string
  /** Hash of what the request asks for; an idempotency key belongs to one fingerprint. */
  fingerprint: string
  run: Task
  toReply: (result: unknown) => ApiReply
}

export function createApi({ books, keys, onWrite, onClockMoved, onCall }: ApiDeps) {
  async function handle(request: ApiRequest, requestId: string): Promise<ApiReply> {
    const form: Form = { ...parseForm(request.query), ...parseForm(request.body) }
    // Stripe.js sends the key as a parameter, not in a header.
    const { key = request.key, ...params } = form
    const { method, path } = request
    const caller = { key: typeof key === 'string' ? key : undefined, fromBrowser: request.fromBrowser }
    const publishable = isPublishable(keys, caller)
    const { route, id } = findAllowedRoute(method, path, publishable)
    const settings = await books.readSettings()
    if (!publishable) assertAllowed(settings.quirks.key, keys.secretKey, method, path)

    const earlyFault = await takeFault(request, settings, isEarly)
    if (earlyFault)
      return { ...createReply(earlyFailure(earlyFault), requestId, false), shouldRetry: earlyFault.shouldRetry }

    const run: Task = (work) => route.run({ work, id, form: params, publishable })
    const toReply = (result: unknown) => createReply(result, requestId, publishable)
    if (method === 'GET') {
      const lateFault = await takeFault(request, settings, isLate)
      return toReply(lateFault ? serverError() : await books.read(run, settings))
    }

    const fingerprint = createHash('sha256')
      .update(JSON.stringify([path, publishable, form]))
      .digest('hex')
    const reply = await write({ request, requestId, fingerprint, run, toReply }, settings)
    if (route.movesClock) onClockMoved()
    else onWrite()
    if (!reply.replayed) await sleep(settings.quirks.writeSeconds * 1000)
    return reply
  }

  /** Opens a transaction only if such a fault is queued. */
  async function takeFault({ method, path }: ApiRequest, { quirks }: Settings, isEligible: (fault: Fault) => boolean) {
    if (!quirks.faults.some(isEligible)) return undefined
    return books.write((work) => takeQueuedFault(work, `${method} ${path}`, isEligible))
  }

  async function write({ request, requestId, fingerprint, run, toReply }: WriteCall, settings: Settings) {
    const { method, path } = request
    // Stripe ignores the idempotency key of other methods.
    const idempotencyKey = method === 'POST' ? request.idempotencyKey : undefined
    const perform = async (work: Work) => toReply(await runWithFaults(work, `${method} ${path}`, run))
    const task = async (work: Work): Promise<ApiReply> => {
      if (idempotencyKey === undefined) return perform(work)
      const reply = await runOncePerKey(work, idempotencyKey, fingerprint, () => perform(work))
      // A retry would get the same stored response.
      return reply.status >= 500 ? { ...reply, shouldRetry: false } : reply
    }
    try {
      return await books.write(task, { id: requestId, idempotency_key: request.idempotencyKey ?? null }, settings)
    } catch (error) {
      const isRefusal = error instanceof Failure && error.hasBegun
      // The transaction was rolled back, so the refusal is stored here.
      if (isRefusal && idempotencyKey !== undefined) {
        const { status, body } = toReply(error)
        await books.database.query(
          `insert into sandbox.idempotency (key, request, status, body) values ($1, $2, $3, $4) on conflict do nothing`,
          [idempotencyKey, fingerprint, status, body],
        )
      }
      throw error
    }
  }

  function createReply(result: unknown, requestId: string, publishable: boolean): ApiReply {
    const status = result instanceof Failure ? result.status : 200
    const body = books.present(result instanceof Failure ? { error: result.error } : result)
    return { status, body: JSON.stringify(publishable ? publicView(body) : body), requestId, replayed: false }
  }

  return {
    async answer(request: ApiRequest): Promise<ApiReply> {
      const requestId = newId('req')
      const reply = await handle(request, requestId).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
        return createReply(error, requestId, request.fromBrowser)
      })
      onCall({ ...request, reply })
      return reply
    },
  }
}

function findAllowedRoute(method: string, path: string, publishable: boolean) {
  const found = findRoute(routes, method, path)
  if (!found) {
    const message = `Unrecognized request URL (${method}: ${path}).`
    throw new Failure(404, { type: 'invalid_request_error', message })
  }
  if (publishable && !found.route.publishable) {
    const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.'
    throw new Failure(401, { type: 'invalid_request_error', code: 'secret_key_required', message })
  }
  return found
}

async function runWithFaults(work: Work, call: string, run: Task) {
  const fault = (await takeQueuedFault(work, call, isLate)) ?? (await randomFault(work))
  if (!fault) return run(work)
  // `done` takes effect although the response is an error.
  if (fault.done) await run(work)
  return serverError()
}

/** A concurrent or later request with the same key gets the first one's reply. */
async function runOncePerKey(work: Work, key: string, fingerprint: string, perform: () => Promise<ApiReply>) {
  if (key.length > 255) throw invalid('Idempotency keys may be up to 255 characters long.')
  const { rowCount } = await work.database.query(
    'insert into sandbox.idempotency (key, request) values ($1, $2) on conflict do nothing',
    [key, fingerprint],
  )
  if (rowCount === 1) {
    const reply = await perform()
    await work.database.query('update sandbox.idempotency set status = $2, body = $3 where key = $1', [
      key,
      reply.status,
      reply.body,
    ])
    return reply
  }
  const { rows } = await work.database.query<{ request: string; status: number; body: string }>(
    'select request, status, body from sandbox.idempotency where key = $1',
    [key],
  )
  const [earlier] = rows
  if (earlier?.request !== fingerprint) {
    throw new Failure(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    })
  }
  return { status: earlier.status, body: earlier.body, requestId: work.request?.id ?? '', replayed: true }
}

const intentFields =
  'cancellation_reason client_secret created description livemode next_action payment_method payment_method_types status'
const publicFields = new Map(
  Object.entries({
    payment_intent: `${intentFields} amount canceled_at capture_method confirmation_method currency last_payment_error receipt_email setup_future_usage shipping`,
    setup_intent: `${intentFields} last_setup_error usage`,
    payment_method: 'allow_redisplay billing_details card created livemode type',
  }).map(([kind, names]) => [kind, ['id', 'object', ...names.split(' ')]]),
)

/** With the publishable key, Stripe hides fields such as the customer and metadata. */
function publicView(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(publicView)
  const fields = 'object' in value && typeof value.object === 'string' ? publicFields.get(value.object) : undefined
  const isPublic = (key: string) => !fields || fields.includes(key)
  const entries = Object.entries(value).filter(([key]) => isPublic(key))
  return Object.fromEntries(entries.map(([key, inner]) => [key, publicView(inner)]))
}
