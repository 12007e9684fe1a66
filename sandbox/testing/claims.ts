import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stripe } from 'stripe'
import type { Call } from '../api/api.ts'
import { parseForm } from '../api/params.ts'

type Kind = { object: string; deleted?: true }
const isKind = (value: unknown): value is Kind =>
  typeof value === 'object' && value !== null && 'object' in value && typeof value.object === 'string'

/** `test_helpers.test_clock` is `TestHelpers.TestClock`; only `invoiceitem` lacks its underscore. */
const typeOf = ({ object, deleted }: Kind, namespace: string) => {
  const name = object
    .replace('invoiceitem', 'invoice_item')
    .replaceAll(/(^|_|\.)([a-z])/g, (_match, separator: string, letter: string) =>
      separator === '.' ? `.${letter.toUpperCase()}` : letter.toUpperCase(),
    )
  return `${namespace}.${deleted ? 'Deleted' : ''}${name}`
}

const isList = (value: unknown): value is { object: 'list'; data: unknown[] } =>
  isKind(value) && value.object === 'list'

function answerClaims(value: unknown, publishable: boolean): Claim[] {
  if (isList(value)) {
    const shell: Claim = { type: 'Stripe.ApiList<never>', value: { ...value, data: [] } }
    return [shell, ...value.data.flatMap((item) => answerClaims(item, publishable))]
  }
  const type = isKind(value) ? typeOf(value, publishable ? 'StripeJs' : 'Stripe') : 'never'
  return [{ type, value }]
}

export function claimsOf(calls: Call[]): Claim[] {
  const operations = sdkOperations()
  const claims = calls.flatMap(({ method, path, query, body, reply, fromBrowser }): Claim[] => {
    const answer: unknown = JSON.parse(reply.body)
    const { error } = answer as { error?: unknown }
    const replyClaims = error ? [{ type: 'ApiError', value: error }] : answerClaims(answer, fromBrowser)
    // Skips calls by Stripe.js, which are not typed.
    if (fromBrowser) return replyClaims
    const candidates = operations.filter((candidate) => candidate.method === method && candidate.pattern.test(path))
    // `/v1/account` before `/v1/accounts/{id}`, and `/v1/invoices/create_preview` before `/v1/invoices/{id}`.
    const placeholders = ({ pattern }: Operation) => pattern.source.split('[^/]+').length
    const [operation] = candidates.toSorted(
      (a, b) => placeholders(a) - placeholders(b) || a.pattern.source.length - b.pattern.source.length,
    )
    const params = { ...parseForm(query), ...parseForm(body) }
    return [{ type: operation ? `Wire<${operation.params}>` : 'never', value: params }, ...replyClaims]
  })
  return distinct(claims)
}

/** Removes assertions that differ only by an id. */
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

type Operation = { method: string; pattern: RegExp; params: string }
type Resource = Record<string, unknown>

const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && '_makeRequest' in value

const idPlaceholder = 'ANID'

type SdkEntry = { path: string[]; value: unknown }

/** Read from the SDK itself: every API v1 call, with the name of its parameter type. */
function sdkOperations(): Operation[] {
  const sdk = new Stripe('sk_test_none')
  const topLevel = Object.entries(sdk).map(([name, value]): SdkEntry => ({ path: [name], value }))
  const testHelpers = Object.entries(sdk.testHelpers).map(
    ([name, value]): SdkEntry => ({ path: ['testHelpers', name], value }),
  )
  return [...topLevel, ...testHelpers].flatMap(({ path, value }) => {
    // OAuth is not part of the API.
    if (!isResource(value) || path[0] === 'oauth') return []
    const accessors = path.map((name) => `['${name}']`)
    return operationsOf(value, `Stripe${accessors.join('')}`)
  })
}

/** Calls each method of the resource with a `_makeRequest` that records the request instead of sending it. */
function operationsOf(resource: Resource, type: string): Operation[] {
  const operations: Operation[] = []
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter(
    (name) => name !== 'constructor' && !name.startsWith('_'),
  )
  for (const name of names) {
    const makeRequest = (method: string, path: string) => {
      if (!path.startsWith('/v1/')) return
      const pattern = new RegExp(`^${path.replaceAll(idPlaceholder, '[^/]+')}$`)
      // The method takes the ids of the path first, then its parameters.
      const idCount = path.split(idPlaceholder).length - 1
      operations.push({ method, pattern, params: `NonNullable<Parameters<${type}['${name}']>[${idCount}]>` })
    }
    Object.assign(resource, { _makeRequest: makeRequest })
    const call = resource[name]
    if (typeof call === 'function') Reflect.apply(call, resource, [idPlaceholder, idPlaceholder, idPlaceholder])
  }
  return operations
}

const folderOf = (name: string) => fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))

/** Writes decimal strings as `decimal`, because the SDK turns them into objects of its own. */
function literal(value: unknown, key = ''): string {
  if (value === undefined) return 'undefined'
  if (value === null || typeof value !== 'object') {
    return key.endsWith('_decimal') && value !== null ? 'decimal' : JSON.stringify(value)
  }
  if (key.endsWith('_decimal')) return 'decimal'
  if (Array.isArray(value)) return `[${value.map((item) => literal(item)).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${literal(inner, name)}`)
    .join(', ')} }`
}

export type Claim = { type: string; value: unknown }
export type Complaint = { claim: Claim | undefined; message: string }

const header = [
  `import type { Stripe } from './stripe/stripe.esm.node.js'`,
  `import type * as StripeJs from './stripe-js/api/index.js'`,
  `declare const decimal: ReturnType<typeof Stripe.Decimal.from>`,
  // On the wire everything is text.
  'type Wire<T> = T extends number ? `${number}` : T extends boolean ? "true" | "false" : T extends string ? T : T extends readonly (infer E)[] ? Wire<E>[] : T extends object ? { [K in keyof T]: Wire<T[K]> } : T',
  'type LastError = Stripe.PaymentIntent.LastPaymentError',
  'type ApiError = { type: LastError["type"]; code?: NonNullable<LastError["code"]>; message: string; param?: string; decline_code?: string; charge?: string; payment_intent?: object; setup_intent?: object; payment_method?: object }',
]

/** Compiles the claims against the SDK's declarations. The SDK's enums allow any string; here they do not. */
export async function typeCheck(claims: Claim[]): Promise<Complaint[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-types-'))
  try {
    copyDeclarations('stripe/esm', join(folder, 'stripe'))
    copyDeclarations('@stripe/stripe-js/dist', join(folder, 'stripe-js'))
    closeEnums(join(folder, 'stripe/shared.d.ts'))
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2024',
      types: [],
      skipLibCheck: true,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['claims.ts'] }))
    const lines = claims.map(({ type, value }, index) => `export const claim${index}: ${type} = ${literal(value)}`)
    writeFileSync(join(folder, 'claims.ts'), [...header, ...lines].join('\n'))
    const output = await compile(folder)
    // Lines that begin with a space continue the message before.
    const messages = output.split(/\n(?!\s)/).filter((message) => message !== '')
    return messages.map((message) => {
      const line = Number(/claims\.ts\((\d+),/.exec(message)?.[1] ?? 0)
      return { claim: claims[line - header.length - 1], message }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function copyDeclarations(from: string, to: string) {
  cpSync(folderOf(from), to, { recursive: true, filter: (path) => !/\.(js|mjs|map)$/.test(path) })
}

function closeEnums(path: string) {
  const open = 'export type OtherString = string & Record<never, never>;'
  const declarations = readFileSync(path, 'utf8')
  if (!declarations.includes(open)) throw new Error('The SDK no longer declares OtherString as it did')
  writeFileSync(path, declarations.replace(open, 'export type OtherString = never;'))
}

function compile(folder: string): Promise<string> {
  const compiler = join(folderOf('typescript'), 'bin/tsc')
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], (error, output, errors) => {
      if (error && output === '') reject(new Error(`The compiler failed: ${errors}`))
      else resolve(output)
    })
  })
}
