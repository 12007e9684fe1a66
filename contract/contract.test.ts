import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { exportKind } from './admin/exports.ts'
import type { Endpoint } from './endpoint.ts'
import { contract } from './index.ts'
import { isPermission } from './permissions.ts'

const documentedCalls = readFileSync('docs/product.md', 'utf8')
  .matchAll(/^\| `((?:GET|POST|PATCH|DELETE) [^`]+)` \| ([^|]*)\|/gm)
  .map(([, call = '', fields = '']) => [call, fields.trim()] as const)
  .toArray()

const endpoints = Object.entries(contract).flatMap(([group, rows]) =>
  Object.entries<Endpoint>(rows).map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint })),
)

/** A documented call has `{id}` or a product's slug for each parameter. */
function isCallTo(endpoint: Endpoint, call: string) {
  const pattern = endpoint.path.replaceAll(/:\w+/g, String.raw`(\{\w+\}|rebound-sigma-pro)`)
  return new RegExp(`^${endpoint.method} ${pattern}$`).test(call)
}

function payloadOf({ path, input, answer }: Endpoint): string[] {
  const inPath = path.matchAll(/:(\w+)/g).map((match) => match[1])
  const undocumented = new Set([
    // The contact form's honeypot.
    'website',
    ...inPath,
    // Optional fields beyond the documented ones.
    ...(path === '/api/create-subscription-intent' ? ['tradingViewUsername', 'amount', 'news', 'code'] : []),
    ...(path === '/api/admin/purchases' ? ['kind', 'reason', 'endsAt', 'invite'] : []),
    ...(path === '/api/admin/recommended-assets' ? ['reviewedAt', 'createdAt'] : []),
    ...(path === '/api/admin/purchases/:id/cancel' ? ['when', 'refund'] : []),
    ...(path === '/api/admin/users' ? ['invite'] : []),
    // Used only in shops whose tax Stripe computes.
    'place',
    ...(answer === 'list' ? ['limit', 'cursor', 'q', 'status', 'billingType', 'need', 'begun', 'ended', 'sort'] : []),
  ])
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return Object.keys(properties).filter((name) => !undocumented.has(name))
}

test.for(documentedCalls)('%s is in the contract, with payload (%s)', ([call, payload]) => {
  const matches = endpoints.filter(({ endpoint }) => isCallTo(endpoint, call))
  expect(matches).toHaveLength(1)
  const fields = matches.flatMap(({ endpoint }) => payloadOf(endpoint))
  expect(fields.toSorted()).toEqual(payload.split(', ').filter(Boolean).toSorted())
})

test('every documented call exists; all endpoints are printed with their access and payload', () => {
  const rows = endpoints.map(({ name, endpoint }) => [
    documentedCalls.some(([call]) => isCallTo(endpoint, call)) ? 'documented' : 'internal',
    endpoint.access,
    `${endpoint.method} ${endpoint.path}`,
    name,
    payloadOf(endpoint).join(', '),
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  process.stdout.write(`\n${lines.join('\n')}\n\n`)
  expect(documentedCalls).toHaveLength(31)
  expect(rows.filter(([origin]) => origin === 'documented')).toHaveLength(documentedCalls.length)
})

test.for(endpoints)('$name has a summary and rejects unknown fields', ({ endpoint }) => {
  expect(endpoint.summary.length).toBeGreaterThan(10)
  if (endpoint.answer === 'redirect') return
  const { error } = z.safeParse(endpoint.input, { 'no such field': true })
  expect(error?.issues.map((issue) => issue.code)).toContain('unrecognized_keys')
})

test('no two endpoints have the same method and path', () => {
  const calls = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replaceAll(/:\w+/g, ':')}`)
  expect(new Set(calls).size).toBe(calls.length)
})

test('calls under /api/admin/ require a permission, and no other calls do', () => {
  for (const { endpoint } of endpoints)
    expect([endpoint.path, isPermission(endpoint.access)]).toEqual([
      endpoint.path,
      endpoint.path.startsWith('/api/admin/'),
    ])
})

test('only a public call may make its caller optional', () => {
  const optional = endpoints.filter(({ endpoint }) => endpoint.caller === 'optional')
  expect(optional.map(({ name }) => name)).toEqual([
    'accounts.user',
    'accounts.resetPassword',
    'accounts.confirmAddress',
    'logins.withLink',
    'credentials.confirmEmail',
    'checkout.createSubscriptionIntent',
    'checkout.quote',
    'checkout.agree',
    'contact.send',
    'declarations.withdraw',
    'declarations.cancel',
  ])
  for (const { endpoint } of optional) expect(endpoint.access).toBe('public')
})

test('an empty ticker is refused with a request to enter one', () => {
  const { error } = z.safeParse(contract.assets.adminAdd.input, { ticker: ' ' })
  expect(error?.issues.find(({ path }) => path[0] === 'ticker')?.message).toBe('Please enter a ticker')
})

test('buyers, orders and forms can be exported', () => {
  expect(exportKind.options).toEqual(['buyers', 'orders', 'forms'])
})

test('a field refuses 100,000 characters within three seconds', () => {
  const longTexts = ['a', 'a-', '-', 'a.', 'é', '@', 'a@a.', 'www', ' ', '0'].map((word) =>
    word.repeat(100_000 / word.length).concat('!'),
  )
  const fields = endpoints.flatMap(({ name, endpoint }) => {
    const schema = endpoint.input
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    return Object.keys(properties).map((field) => ({ field: `${name} ${field}`, schema, key: field }))
  })
  expect(fields.length).toBeGreaterThan(80)
  for (const { field, schema, key } of fields)
    for (const typed of longTexts) {
      const startedAt = performance.now()
      z.safeParse(schema, { [key]: typed })
      const milliseconds = performance.now() - startedAt
      // A pattern with quadratic time takes a minute.
      expect([field, typed.slice(0, 4), milliseconds < 3000]).toEqual([field, typed.slice(0, 4), true])
    }
})

function leavesOf(schema: z.core.$ZodType, path: string): { path: string; schema: z.core.$ZodType }[] {
  const { def } = schema as z.ZodMiniType & { def: z.core.$ZodTypes['_zod']['def'] }
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => leavesOf(field, `${path}.${name}`))
    case 'array':
      return leavesOf(def.element, `${path}[]`)
    case 'record':
      return [...leavesOf(def.keyType, `${path} key`), ...leavesOf(def.valueType, `${path} value`)]
    case 'union':
      return def.options.flatMap((option) => leavesOf(option, path))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return leavesOf(def.innerType, path)
    case 'pipe':
      return leavesOf(def.in, path)
    case 'string':
    case 'number':
      return [{ path, schema }]
    default:
      return []
  }
}
const leaves = endpoints.flatMap(({ name, endpoint }) => leavesOf(endpoint.input, name))

test('no call accepts a text that PostgreSQL cannot store, or a number out of its range', () => {
  expect(leaves.length).toBeGreaterThan(150)
  const invalidValues = ['\u0000', 'a\u0000b', `${'x'.repeat(8)}\u0000`, '\ud800', 2 ** 31, -(2 ** 31) - 1, 1e300]
  const accepted = leaves.flatMap(({ path, schema }) =>
    invalidValues.filter((value) => z.safeParse(schema, value).success).map((value) => `${path} ${typeof value}`),
  )
  expect([...new Set(accepted)]).toEqual([])
})

/** Calls without emails, outside services or password hashing: the general rate limit is enough. */
const cheapCalls = new Set([
  'accounts.logout',
  'accounts.logoutDevice',
  'accounts.logoutEverywhere',
  'credentials.logoutElsewhere',
  'newsletter.confirm',
  'newsletter.unsubscribe',
])

test('every other change by a visitor or buyer has a rate limit of its own', () => {
  const unlimited = endpoints.filter(
    ({ name, endpoint: { method, access, limit } }) =>
      method !== 'GET' && !isPermission(access) && !limit && !cheapCalls.has(name),
  )
  expect(unlimited.map(({ name }) => name)).toEqual([])
})
