import fc from 'fast-check'
import * as z from 'zod/mini'
import { accounts } from '#contract/accounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { admin } from './process.ts'
import type { Row } from './row.ts'

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

function right(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(right))
  if (schema.format === 'email') return fc.emailAddress()
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
  async run(victim, quick) {
    const perEndpoint = quick ? 15 : 10_000
    const visitor = createVisitor(victim.url)
    const statuses = new Map<number, number>()
    const faults = new Set<string>()
    let valid = 0
    let sent = 0

    async function shoot(name: string, endpoint: Endpoint, input: unknown) {
      sent += 1
      if (z.safeParse(endpoint.input, input).success) valid += 1
      const { path, init } = rawRequest(endpoint, input)
      const response = await visitor.fetch(path, init)
      await response.arrayBuffer()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.status >= 500)
        faults.add(`${name} ${response.status} for ${JSON.stringify(input)?.slice(0, 200)}`)
    }

    for (const [room, group] of Object.entries(contract)) {
      for (const [name, endpoint] of Object.entries(group)) {
        // An endpoint may well end the session that it was called with.
        if ((await visitor.call(accounts.user, {})) === null) await visitor.call(accounts.login, admin)
        const schema = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema
        const samples = fc.sample(inputs(schema), perEndpoint).values()
        const lane = async () => {
          for (const input of samples) await shoot(`${room}.${name}`, endpoint, input)
        }
        // Sixteen lanes draw from the same samples.
        await Promise.all(Array.from({ length: 16 }, lane))
      }
    }
    return {
      ok: faults.size === 0 && valid / sent >= 0.2,
      figures: `${sent} inputs, ${Math.round((100 * valid) / sent)} % right: answers ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}${[
        ...faults,
      ]
        .slice(0, 5)
        .map((fault) => `\n    ${fault}`)
        .join('')}`,
    }
  },
}

/** As an attacker would send it: whatever the input is, with no help from the typed caller. */
function rawRequest(endpoint: Endpoint, input: unknown): { path: string; init: RequestInit } {
  const fields: Record<string, unknown> =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {}
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(text(value)) || 'x'
  })
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') {
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, text(value)]))
    return { path: `${path}?${query}`, init: { method: endpoint.method } }
  }
  const body = typeof input === 'object' && input !== null && !Array.isArray(input) ? fields : input
  return {
    path,
    init: {
      method: endpoint.method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body) ?? '',
    },
  }
}

/** `encodeURIComponent` refuses half a surrogate pair; the wire would not carry it either. */
const text = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
