import fc from 'fast-check'
import { planted } from '../lab/leaks.ts'

/** Only what the contract's schemas use. */
export type JsonSchema = {
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

/** Mostly ordinary, recurring ones; otherwise anything the standard allows, which the shop may refuse. */
const email = fc.oneof(
  { weight: 9, arbitrary: fc.nat(49).map((number) => `buyer-${number}@${planted.domain}`) },
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
      return words(Math.max(schema.minLength ?? 1, 1), Math.min(schema.maxLength ?? 40, 200))
  }
}

function words(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const any = fc.string({ minLength, maxLength, unit: 'grapheme' })
  const fits = planted.words.length >= minLength && planted.words.length <= maxLength
  return fits ? fc.oneof({ weight: 4, arbitrary: any }, fc.constant(planted.words)) : any
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

/** Valid three times out of ten; otherwise one field wrong, missing or extra, or a different body altogether. */
export function inputs(schema: JsonSchema): fc.Arbitrary<unknown> {
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
