import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../basics.ts'
import type { Books } from '../books.ts'
import { Failure, invalid } from '../failure.ts'
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

export function createApi({ books, keys, onWrite, onClockMoved, onCall }: ApiDeps) {
  async function handle(request: ApiRequest, requestId: string): Promise<ApiReply> {
    const form: Form = { ...parseForm(request.query), ...parseForm(request.body) }
    // Stripe.js sends the key as a parameter, not in a header.
    const { key = request.key, ...params } = form
    const { method, path } = request
    // Stripe ignores the idempotency key of other methods.
    const idempotencyKey = method === 'POST' ? request.idempotencyKey : undefined
    const caller = { key: typeof key === 'string' ? key : undefined, fromBrowser: request.fromBrowser }
    const publishable = isPublishable(keys, caller)

    const matched = findRoute(routes, method, path)
    if (!matched) {
      const message = `Unrecognized request URL (${method}: ${path}).`
      throw new Failure(404, { type: 'invalid_request_error', message })
    }
    const { route, id } = matched
    if (publishable && !route.publishable) {
      const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.'
      throw new Failure(401, { type: 'invalid_request_error', code: 'secret_key_required', message })
    }
    const settings = await books.readSettings()
    const { key: keyState, faults } = settings.quirks
    if (!publishable) assertAllowed(keyState, keys.secretKey, method, path)

    const call = `${method} ${path}`
    const earlyFault = faults.some(isEarly)
      ? await books.write((work) => takeQueuedFault(work, call, isEarly))
      : undefined
    if (earlyFault)
      return { ...createReply(earlyFailure(earlyFault), requestId, false), shouldRetry: earlyFault.shouldRetry }

    const run: Task = (work) => route.run({ work, id, form: params, publishable })
    const toReply = (result: unknown) => createReply(result, requestId, publishable)
    if (method === 'GET') {
      const lateFault = faults.some(isLate) && (await books.write((work) => takeQueuedFault(work, call, isLate)))
      return toReply(lateFault ? serverError() : await books.read(run, settings))
    }

    const perform: Task = async (work) => {
      const fault = (await takeQueuedFault(work, call, isLate)) ?? (await randomFault(work))
      if (!fault) return run(work)
      // `done` takes effect although the response is an error.
      if (fault.done) await run(work)
      return serverError()
    }
    const eventRequest = { id: requestId, idempotency_key: request.idempotencyKey ?? null }
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([path, publishable, form]))
      .digest('hex')
    const writing = books.write(
      async (work) => {
        if (idempotencyKey === undefined) return toReply(await perform(work))
        const storedReply = await runOncePerKey(work, idempotencyKey, fingerprint, async () =>
          toReply(await perform(work)),
        )
        // A retry would get the same stored response.
        return storedReply.status >= 500 ? { ...storedReply, shouldRetry: false } : storedReply
      },
      eventRequest,
      settings,
    )
    const written = await writing.catch(async (error: unknown) => {
      // The transaction was rolled back, so the refusal is stored here.
      if (error instanceof Failure && error.hasBegun && idempotencyKey !== undefined) {
        const { status, body } = toReply(error)
        await books.database.query(
          `insert into sandbox.idempotency (key, request, status, body) values ($1, $2, $3, $4) on conflict do nothing`,
          [idempotencyKey, fingerprint, status, body],
        )
      }
      throw error
    })

    if (route.movesClock) onClockMoved()
    else onWrite()
    if (!written.replayed) await sleep(settings.quirks.writeSeconds * 1000)
    return written
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
