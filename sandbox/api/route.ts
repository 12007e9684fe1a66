import { listOf } from '../basics.ts'
import { intentOf } from '../billing/subscriptions.ts'
import { Failure, invalid } from '../failure.ts'
import type { Kind, Kinds, StoredObject } from '../objects/kinds.ts'
import type { Work } from '../work.ts'
import { createReader, type Form, type Params, paging, type Shape, texts } from './params.ts'

type Method = 'GET' | 'POST' | 'DELETE'
export type Call<S extends Shape> = { work: Work; id: string; params: Params<S>; publishable: boolean }
export type Answer = object | Failure

export type Route = {
  method: Method
  steps: string[]
  /** Open to browsers, with the publishable key and the object's client secret. */
  publishable: boolean
  movesClock: boolean
  run(call: { work: Work; id: string; form: Form; publishable: boolean }): Promise<unknown>
}

type Options = { publishable?: boolean; movesClock?: boolean }

export function route<S extends Shape>(
  address: `${Method} /v1/${string}`,
  shape: S,
  handle: (call: Call<S>) => Promise<Answer>,
  options: Options = {},
): Route {
  const [method, path] = address.split(' ') as [Method, string]
  const readParams = createReader(shape)
  const readExpand = createReader({ expand: texts })
  return {
    method,
    steps: path.split('/').slice(1),
    publishable: options.publishable ?? false,
    movesClock: options.movesClock ?? false,
    async run({ work, id, form, publishable }) {
      const { expand, ...ownParams } = form
      const paths = readExpand(expand === undefined ? {} : { expand }).expand
      const params = readParams(ownParams)
      const answer = await handle({ work, id, params, publishable }).catch((error: unknown) => {
        if (error instanceof Failure) error.hasBegun = true
        throw error
      })
      return answer instanceof Error ? answer : expandAll(work, answer, paths)
    },
  }
}

export const readRoute = (kind: Kind) => route(`GET /v1/${kind}s/:id`, {}, ({ work, id }) => work.get(kind, id))

/** `matchOf` maps the filters to the object's fields. */
export const listRoute = <S extends Shape>(
  kind: Kind,
  filters: S,
  matchOf: (filter: Params<S>) => object = (filter) => filter,
) =>
  route(`GET /v1/${kind}s`, { ...paging, ...filters }, ({ work, params }) => {
    const { limit, starting_after, ...filter } = params as Params<typeof paging>
    return work.list(kind, { match: matchOf(filter as Params<S>) }, { limit, starting_after })
  })

export function findRoute(routes: Route[], method: string, path: string) {
  const steps = path.split('/').slice(1)
  for (const candidate of routes) {
    if (candidate.method !== method || candidate.steps.length !== steps.length) continue
    if (!candidate.steps.every((step, index) => step === ':id' || step === steps[index])) continue
    return { route: candidate, id: steps[candidate.steps.indexOf(':id')] ?? '' }
  }
  return undefined
}

type JsonObject = Record<string, unknown>

/** Fields that Stripe returns only if the request expands them. */
const includableFields: { [K in keyof Kinds]?: Record<string, (work: Work, stored: Kinds[K]) => Promise<unknown>> } = {
  invoice: {
    payments: async (work, { id }) =>
      listOf(`/v1/invoice_payments?invoice=${id}`, await work.all('invoice_payment', { invoice: id })),
    confirmation_secret: async (work, invoice) => {
      const intent = await intentOf(work, invoice)
      return intent ? { client_secret: intent.client_secret, type: 'payment_intent' } : null
    },
  },
  customer: {
    subscriptions: async (work, { id }) => {
      const subscriptions = await work.all('subscription', { customer: id })
      const ended = new Set(['canceled', 'incomplete_expired'])
      const live = subscriptions.filter(({ status }) => !ended.has(status)).toReversed()
      return listOf(`/v1/customers/${id}/subscriptions`, live)
    },
  },
  charge: {
    refunds: async (work, { id }) =>
      listOf(`/v1/charges/${id}/refunds`, (await work.all('refund', { charge: id })).toReversed()),
  },
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

async function expandAll(work: Work, answer: object, paths: string[] | undefined): Promise<unknown> {
  let expanded: unknown = answer
  for (const path of paths ?? []) {
    const steps = path.split('.')
    if (steps.length > 4) throw invalid(`You cannot expand more than 4 levels: ${path}`, 'expand')
    expanded = await expandPath(work, expanded, steps, path)
  }
  return expanded
}

async function expandPath(work: Work, value: unknown, steps: string[], path: string): Promise<unknown> {
  const [key, ...remainingSteps] = steps
  if (key === undefined || value === null) return value
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      const stored = typeof item === 'string' ? await findById(work, item) : item
      items.push(await expandPath(work, stored, steps, path))
    }
    return items
  }
  if (!isJsonObject(value)) throw cannotExpand(path)
  // Deleted objects have no fields to expand.
  if (value['deleted'] === true) return value
  const inner = await getFieldObject(work, value, key)
  if (inner === undefined) throw cannotExpand(path)
  return { ...value, [key]: await expandPath(work, inner, remainingSteps, path) }
}

async function getFieldObject(work: Work, value: JsonObject, key: string): Promise<unknown> {
  const current = Object.hasOwn(value, key) ? value[key] : undefined
  if (typeof current === 'string') return findById(work, current)
  if (current !== undefined) return current
  const fields = includableFields[value['object'] as keyof Kinds] as
    | Record<string, (work: Work, stored: unknown) => Promise<unknown>>
    | undefined
  return fields && Object.hasOwn(fields, key) ? fields[key]?.(work, value) : undefined
}

async function findById(work: Work, id: string): Promise<StoredObject | undefined> {
  const { rows } = await work.database.query<{ data: StoredObject }>('select data from sandbox.objects where id = $1', [
    id,
  ])
  return rows[0]?.data
}

const cannotExpand = (path: string) => invalid(`This property cannot be expanded (${path}).`, 'expand')
