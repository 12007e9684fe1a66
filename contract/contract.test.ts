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

/** Optional fields that docs/product.md does not mention. */
const undocumentedFields: Record<string, string[]> = {
  // The contact form's honeypot.
  '/api/contact': ['website'],
  // `place` is only for shops whose tax Stripe computes.
  '/api/create-subscription-intent': ['tradingViewUsername', 'amount', 'news', 'code', 'place'],
  '/api/admin/purchases': ['kind', 'reason', 'endsAt', 'invite'],
  '/api/admin/purchases/:id/cancel': ['refund'],
  '/api/admin/recommended-assets': ['reviewedAt', 'createdAt'],
  '/api/admin/users': ['invite'],
  '/api/purchases/:id/cancel': ['endsAt'],
}
const listFields = ['limit', 'cursor', 'q', 'status', 'billingType', 'need', 'sort']

const fieldsOf = (input: z.ZodMiniType) =>
  Object.keys(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }).properties ?? {})

/** The documented fields of a call's query or body. */
function payloadOf({ path, input, answer }: Endpoint): string[] {
  const pathParameters = path.matchAll(/:(\w+)/g).map(([, name]) => name)
  const omitted = new Set([...pathParameters, ...(undocumentedFields[path] ?? [])])
  if (answer === 'list') for (const name of listFields) omitted.add(name)
  return fieldsOf(input).filter((name) => !omitted.has(name))
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

test('a day that the calendar does not have is refused', () => {
  const daysThatExist = ['2026-02-28', '2028-02-29', '2026-12-31']
  const daysThatDoNot = ['2026-02-29', '2026-02-31', '2026-04-31', '2026-13-01', '0000-01-01']
  const isAccepted = (until: string) =>
    z.safeParse(contract.purchasesAdmin.extend.input, { id: crypto.randomUUID(), until }).success
  expect(daysThatExist.filter(isAccepted)).toEqual(daysThatExist)
  expect(daysThatDoNot.filter(isAccepted)).toEqual([])
})

test('an empty ticker is refused with a request to enter one', () => {
  const { error } = z.safeParse(contract.assetsAdmin.add.input, { ticker: ' ' })
  expect(error?.issues.find(({ path }) => path[0] === 'ticker')?.message).toBe('Please enter a ticker')
})

test('buyers, orders and forms can be exported', () => {
  expect(exportKind.options).toEqual(['buyers', 'orders', 'forms'])
})

test('a field refuses 100,000 characters within three seconds', () => {
  const longTexts = ['a', 'a-', '-', 'a.', 'é', '@', 'a@a.', 'www', ' ', '0'].map((word) =>
    word.repeat(100_000 / word.length).concat('!'),
  )
  const fields = endpoints.flatMap(({ name, endpoint: { input } }) =>
    fieldsOf(input).map((field) => ({ call: name, field, input })),
  )
  expect(fields.length).toBeGreaterThan(80)
  for (const { call, field, input } of fields)
    for (const typed of longTexts) {
      const startedAt = performance.now()
      z.safeParse(input, { [field]: typed })
      const milliseconds = performance.now() - startedAt
      // A pattern with quadratic time takes a minute.
      expect(milliseconds, `${call} ${field} with ${typed.slice(0, 4)}`).toBeLessThan(3000)
    }
})

/** The texts and numbers in a schema, however deeply nested. */
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
  const changes = endpoints.filter(({ endpoint: { method, access } }) => method !== 'GET' && !isPermission(access))
  const unlimited = changes.filter(({ name, endpoint }) => !endpoint.limit && !cheapCalls.has(name))
  expect(unlimited.map(({ name }) => name)).toEqual([])
})
