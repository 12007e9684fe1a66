import type { Call } from '../api/api.ts'
import { parseForm } from '../api/form.ts'
import { sdkOperations } from './sdk-operations.ts'
import type { Claim } from './type-check.ts'

type Kind = { object: string; deleted?: true }
const isKind = (value: unknown): value is Kind =>
  typeof value === 'object' && value !== null && 'object' in value && typeof value.object === 'string'

/** `test_helpers.test_clock` is `TestHelpers.TestClock`. */
const typeOf = ({ object, deleted }: Kind, namespace: string) => {
  const name = object.replaceAll(/(^|_|\.)([a-z])/g, (_match, before: string, letter: string) =>
    before === '.' ? `.${letter.toUpperCase()}` : letter.toUpperCase(),
  )
  return `${namespace}.${deleted ? 'Deleted' : ''}${name}`
}

const isList = (value: unknown): value is { object: 'list'; data: unknown[] } =>
  isKind(value) && value.object === 'list'

const isSearch = (value: unknown): value is { object: 'search_result'; data: unknown[] } =>
  isKind(value) && value.object === 'search_result'

function answerClaims(value: unknown, publishable: boolean): Claim[] {
  if (isSearch(value)) {
    const shell: Claim = { type: 'Stripe.ApiSearchResult<never>', value: { ...value, data: [] } }
    return [shell, ...value.data.flatMap((each) => answerClaims(each, publishable))]
  }
  if (isList(value)) {
    const shell: Claim = { type: 'Stripe.ApiList<never>', value: { ...value, data: [] } }
    return [shell, ...value.data.flatMap((each) => answerClaims(each, publishable))]
  }
  const type = isKind(value) ? typeOf(value, publishable ? 'StripeJs' : 'Stripe') : 'never'
  return [{ type, value }]
}

/** What a recorded call claims: that its parameters, its answer or its refusal match the SDK's types. */
export function claimsOf(calls: Call[]): Claim[] {
  const operations = sdkOperations()
  const claims = calls.flatMap(({ method, path, query, body, reply, fromBrowser }): Claim[] => {
    const answer: unknown = JSON.parse(reply.body)
    const { error } = answer as { error?: unknown }
    const answered = error ? [{ type: 'ApiError', value: error }] : answerClaims(answer, fromBrowser)
    // What Stripe.js says to Stripe is Stripe's own business.
    if (fromBrowser) return answered
    const fitting = operations.filter((each) => each.method === method && each.pattern.test(path))
    // `/v1/account` before `/v1/accounts/{id}`.
    const [operation] = fitting.toSorted((a, b) => a.pattern.source.length - b.pattern.source.length)
    const params = { ...parseForm(query), ...parseForm(body) }
    return [{ type: operation ? `Wire<${operation.params}>` : 'never', value: params }, ...answered]
  })
  return distinct(claims)
}

/** The same claim about two ids is made once. */
function distinct(claims: Claim[]): Claim[] {
  const shapes = new Map<string, Claim>()
  for (const claim of claims) {
    const shape = JSON.stringify(claim)
      .replaceAll(/_[A-Za-z0-9]{24,}/g, '_x')
      .replaceAll(/\d{5,}/g, '9')
    if (!shapes.has(shape)) shapes.set(shape, claim)
  }
  return [...shapes.values()]
}
