import { Agent, request } from 'node:http'
import fc from 'fast-check'
import * as z from 'zod/mini'
import { accounts } from '#contract/accounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { admin } from './process.ts'
import { format, type Row } from './row.ts'

/** Inputs for every endpoint of the contract, made from its own schemas: right ones, and ones wrong in every way. */
type JsonSchema = {
  type?: string
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
}

/** Mostly ordinary ones, that come again and again; else whatever the standard allows, which the shop may refuse. */
const email = fc.oneof(
  { weight: 9, arbitrary: fc.nat(49).map((number) => `buyer-${number}@fault.example`) },
  { weight: 1, arbitrary: fc.emailAddress() },
)

function right(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(right))
  if (schema.format === 'email') return email
  if (schema.format === 'uuid') return fc.uuid()
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern))
  switch (schema.type) {
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, -1e9),
        max: Math.min(schema.maximum ?? 1e6, 1e9),
      })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(right(schema.items ?? {}), {
        minLength: 1,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      })
    case 'object':
      return record(schema)
    default:
      return fc.string({
        minLength: Math.max(schema.minLength ?? 1, 1),
        maxLength: Math.min(schema.maxLength ?? 40, 200),
        unit: 'grapheme',
      })
  }
}

function record({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, right(schema)]))
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
}

const wrong = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\uD800',
    "' or 1=1 --",
    '../../etc/passwd',
    '<script>alert(1)</script>',
    'x'.repeat(20_000),
    -1,
    0,
    1e9,
    1e308,
    2 ** 53,
    0.1,
    true,
    [],
    {},
    [[[[]]]],
    { toString: 1 },
    'NaN',
    'abc',
    '1e9',
    'pi_x',
    '00000000-0000-0000-0000-000000000000',
  ),
  fc.anything({ withNullPrototype: false, withDate: false }),
  fc.string({ unit: 'binary' }),
)

/** Right in three of ten; else one field wrong, missing or too many, or the whole body something else. */
function inputs(schema: JsonSchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  const name = names.length > 0 ? fc.constantFrom(...names) : fc.constant('extra')
  const changed = fc
    .tuple(record(schema), name, wrong)
    .map(([input, field, value]) => ({ ...input, [field]: value }))
  const missing = fc.tuple(record(schema), name).map(([{ ...input }, field]) => {
    delete input[field]
    return input
  })
  const surplus = fc
    .tuple(
      record(schema),
      fc.constantFrom('isAdmin', 'userId', 'status', 'amount', '__proto__', 'constructor'),
      wrong,
    )
    .map(([input, field, value]) => ({ ...input, [field]: value }))
  return fc.oneof(
    { weight: 3, arbitrary: record(schema) },
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: missing },
    { weight: 1, arbitrary: surplus },
    { weight: 1, arbitrary: wrong },
  )
}

export const badInputs: Row = {
  name: 'bad inputs',
  env: { LIGHT_HASHING: 'true' },
  async run(victim, quick) {
    const perEndpoint = quick ? 15 : 10_000
    const statuses = new Map<number, number>()
    const faults = new Set<string>()
    const shares: number[] = []

    for (const [room, group] of Object.entries(contract)) {
      for (const [name, endpoint] of Object.entries(group)) {
        // An endpoint may well end the session that it was called with.
        const seller = createVisitor(victim.url)
        await seller.call(accounts.login, admin)
        const cookie = [...seller.cookies].map((pair) => pair.join('=')).join('; ')
        const schema = z.toJSONSchema(endpoint.input(z), {
          io: 'input',
          unrepresentable: 'any',
        }) as JsonSchema
        const samples = fc.sample(inputs(schema), perEndpoint).values()
        let valid = 0
        const lane = async () => {
          for (const input of samples) {
            if (z.safeParse(endpoint.input(z), input).success) valid += 1
            const status = await send(victim.port, cookie, rawRequest(endpoint, input))
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            if (status >= 500)
              faults.add(`${room}.${name} ${status} for ${JSON.stringify(input)?.slice(0, 200)}`)
          }
        }
        // All lanes draw from the same samples.
        await Promise.all(Array.from({ length: 32 }, lane))
        shares.push(valid / perEndpoint)
      }
    }
    const percent = (share: number) => Math.round(100 * share)
    const [lowest, mean] = [
      Math.min(...shares),
      shares.reduce((sum, share) => sum + share, 0) / shares.length,
    ]
    return {
      // A few inputs for each endpoint are right in another share each time.
      ok: faults.size === 0 && (quick ? mean : lowest) >= 0.2,
      figures: `${perEndpoint * shares.length} inputs, ${percent(mean)} % right (at least ${percent(lowest)} % for each endpoint): answers ${format(statuses)}${[
        ...faults,
      ]
        .slice(0, 5)
        .map((fault) => `\n    ${fault}`)
        .join('')}`,
    }
  },
}

type RawRequest = { path: string; method: Endpoint['method']; body?: string }

const agent = new Agent({ keepAlive: true })

/** The answer's status. `fetch` would need more of the machine than the shop does. */
const send = (port: number, cookie: string, { path, method, body }: RawRequest) =>
  new Promise<number>((resolve, reject) => {
    const headers = { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end(body)
  })

/** As an attacker would send it: whatever the input is, with no help from the typed caller. */
function rawRequest({ method, ...endpoint }: Endpoint, input: unknown): RawRequest {
  const fields: Record<string, unknown> =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {}
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(text(value)) || 'x'
  })
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, text(value)]))
    return { path: `${path}?${query}`, method }
  }
  const body = typeof input === 'object' && input !== null && !Array.isArray(input) ? fields : input
  return { path, method, body: JSON.stringify(body) ?? '' }
}

/** `encodeURIComponent` refuses half a surrogate pair; the wire would not carry it either. */
const text = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
