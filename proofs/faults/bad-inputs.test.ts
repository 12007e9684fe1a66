import { Agent } from 'node:http'
import fc from 'fast-check'
import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { contract } from '#contract/index.ts'
import { cookieHeader, createVisitor } from '#server/testing/visitor.ts'
import { type Answer, ask, type Request } from '../lab/ask.ts'
import type { LabShop } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { personalData, seller } from '../lab/shop-process.ts'
import { details, fault, sized } from './fault.ts'

/** `validShare` is the minimum share of valid inputs, for each endpoint or for all together. */
const limit = sized(
  { perEndpoint: 1_000, validShare: 0.2, shareOf: 'each endpoint' },
  { perEndpoint: 3, shareOf: 'all' },
)

/** Sends valid and wrong inputs, generated from the schemas of the contract, to every endpoint. */
fault(
  'bad inputs',
  async ({ shop }) => {
    const answers = createTally<Answer>()
    const faults: string[] = []
    const validShares: number[] = []
    let sent = 0
    for (const [area, group] of Object.entries(contract))
      for (const [name, endpoint] of Object.entries(group)) {
        let valid = 0
        for (const { input, isValid, answer } of await sendSamples(shop, endpoint, limit.perEndpoint)) {
          sent += 1
          if (isValid) valid += 1
          answers.add(answer)
          if (typeof answer !== 'number' || answer >= 500)
            faults.push(`${area}.${name} ${answer} for ${JSON.stringify(input)?.slice(0, 200)}`)
        }
        validShares.push(valid / limit.perEndpoint)
      }
    const minimumShare = Math.min(...validShares)
    const meanShare = validShares.reduce((sum, share) => sum + share, 0) / validShares.length
    const percent = (share: number) => `${Math.round(100 * share)} %`
    return {
      ok: faults.length === 0 && (limit.shareOf === 'all' ? meanShare : minimumShare) >= limit.validShare,
      figures: `${sent} inputs, ${percent(meanShare)} valid (at least ${percent(minimumShare)} for each endpoint): responses ${answers.show()}${details(faults)}`,
    }
  },
  { env: { LIGHT_HASHING: 'true' } },
)

/** Sends 32 at a time, as the seller, who may call everything. */
async function sendSamples(shop: LabShop, endpoint: Endpoint, count: number) {
  // Each endpoint gets its own session, because it may end the session.
  const visitor = createVisitor(shop.url)
  await visitor.call(accounts.login, seller)
  const cookie = cookieHeader(visitor)
  const schema = endpoint.input
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const samples = fc.sample(inputs(json), count).values()
  const sent: { input: unknown; isValid: boolean; answer: Answer }[] = []
  // All 32 take their inputs from the same iterator.
  await concurrently(32, async () => {
    for (const input of samples) {
      const answer = await ask(shop, rawRequest(endpoint, input, cookie), { agent })
      sent.push({ input, isValid: z.safeParse(schema, input).success, answer })
    }
  })
  return sent
}

const agent = new Agent({ keepAlive: true })

function rawRequest({ method, ...endpoint }: Endpoint, input: unknown, cookie: string): Request {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const fields: Record<string, unknown> = isObject ? { ...input } : {}
  const path = endpoint.path.replaceAll(/:(\w+)/g, (parameter, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(textOf(value)) || parameter
  })
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, textOf(value)]))
    return { path: `${path}?${query}`, method, headers: { cookie } }
  }
  return {
    path,
    method,
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(isObject ? fields : input) ?? '',
  }
}

/** Replaces half a surrogate pair, which `encodeURIComponent` refuses. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

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

/** Mostly recurring addresses, sometimes any that the standard allows, which the shop may refuse. */
const email = fc.oneof(
  { weight: 9, arbitrary: fc.nat(49).map((number) => `buyer-${number}@${personalData.domain}`) },
  { weight: 1, arbitrary: fc.emailAddress() },
)

const day = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2036-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const link = fc.constantFrom('', 'https://www.tradingview.com/script/AbCdEfGh/')

/** Values of fields with rules that a JSON schema does not show. */
const valuesByName: Record<string, fc.Arbitrary<unknown>> = {
  country: fc.constantFrom('CH', 'DE', 'US'),
  email,
  endsOn: day,
  from: day,
  until: day,
  indicatorUrl: link,
  strategyUrl: link,
}

function validValue(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(validValue))
  if (schema.format === 'email') return email
  if (schema.format === 'uuid') return fc.uuid()
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern))
  switch (schema.type) {
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true })
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? 0, -1e9), max: Math.min(schema.maximum ?? 1e6, 1e9) })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(validValue(schema.items ?? {}), { minLength: 1, maxLength: Math.min(schema.maxItems ?? 5, 5) })
    case 'object':
      return validRecord(schema)
    default:
      return validText(Math.max(schema.minLength ?? 1, 1), Math.min(schema.maxLength ?? 40, 200))
  }
}

/** Includes the words that the lab looks for in the shop's log. */
function validText(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const anyText = fc.string({ minLength, maxLength, unit: 'grapheme' })
  const hasFittingLength = personalData.words.length >= minLength && personalData.words.length <= maxLength
  return hasFittingLength ? fc.oneof({ weight: 4, arbitrary: anyText }, fc.constant(personalData.words)) : anyText
}

function valueOfField(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  // The many settings of the shop have rules of their own; an empty one is always valid.
  const isSetting = /^[A-Z_]+$/.test(name)
  if (isSetting)
    return fc.oneof({ weight: 19, arbitrary: fc.constant('') }, { weight: 1, arbitrary: validValue(schema) })
  return valuesByName[name] ?? validValue(schema)
}

function validRecord({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOfField(name, schema)]),
  )
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
}

const wrongValue = fc.oneof(
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

/** Valid three times out of ten; otherwise one field wrong, missing or extra, or a different body altogether. */
function inputs(schema: JsonSchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  const name = names.length > 0 ? fc.constantFrom(...names) : fc.constant('extra')
  const changed = fc
    .tuple(validRecord(schema), name, wrongValue)
    .map(([input, field, value]) => ({ ...input, [field]: value }))
  const missing = fc.tuple(validRecord(schema), name).map(([{ ...input }, field]) => {
    delete input[field]
    return input
  })
  const surplus = fc
    .tuple(
      validRecord(schema),
      fc.constantFrom('isAdmin', 'userId', 'status', 'amount', '__proto__', 'constructor'),
      wrongValue,
    )
    .map(([input, field, value]) => ({ ...input, [field]: value }))
  return fc.oneof(
    { weight: 3, arbitrary: validRecord(schema) },
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: missing },
    { weight: 1, arbitrary: surplus },
    { weight: 1, arbitrary: wrongValue },
  )
}
