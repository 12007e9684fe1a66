import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folderOf = (name: string) => fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))

/** A value as a TypeScript literal. The SDK turns decimal strings into objects of its own. */
function literal(value: unknown, key = ''): string {
  if (value === undefined) return 'undefined'
  if (value === null || typeof value !== 'object') {
    return key.endsWith('_decimal') && value !== null ? 'decimal' : JSON.stringify(value)
  }
  if (key.endsWith('_decimal')) return 'decimal'
  if (Array.isArray(value)) return `[${value.map((each) => literal(each)).join(', ')}]`
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

/**
 * Compiles "this value is of this type" against the SDK's own declarations and returns the compiler's
 * complaints. The SDK lets every enum be any other string too; here it may not.
 */
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
    const lines = claims.map(
      ({ type, value }, index) => `export const claim${index}: ${type} = ${literal(value)}`,
    )
    writeFileSync(join(folder, 'claims.ts'), [...header, ...lines].join('\n'))
    const output = await compile(folder)
    return output
      .split(/\n(?!\s)/)
      .filter((message) => message !== '')
      .map((message) => {
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
