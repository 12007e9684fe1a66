import { z } from 'zod'
import { type Failure, invalid } from '../failure.ts'
import type { Address } from '../objects/customer.ts'

type Param<T = unknown> = z.ZodType<T>
type Optional<T> = z.ZodOptional<Param<T>>
export type Shape = Record<string, Param>
export type Params<S extends Shape> = { [K in keyof S]: z.output<S[K]> }

const optional = <T>(schema: Param<T>): Optional<T> => z.optional(schema)

export const text = optional(z.string())
export const integer = optional(
  z
    .string()
    .regex(/^-?\d{1,12}$/)
    .transform(Number),
)
export const flag = optional(z.enum(['true', 'false']).transform((value) => value === 'true'))
export const choice = <T extends string>(...values: T[]) => optional(z.enum(values))
/** An empty value clears the field, as at Stripe. */
export const clearable = <T>(schema: Optional<T>) =>
  optional(z.union([z.literal('').transform(() => null), schema.unwrap()]))
export const required = <T>(schema: Optional<T>): Param<T> => schema.unwrap().refine((value) => value !== '')
export const list = <T>(schema: Param<T>) => optional(z.array(schema))
export const texts = list(required(text))
export const group = <S extends Shape>(shape: S) => optional(strict(shape))
const strict = <S extends Shape>(shape: S) => z.strictObject(shape) as unknown as Param<Params<S>>

/** An empty value removes its key, an empty map removes all. */
export const metadata: Optional<Record<string, string>> = optional(
  z.union([z.literal('').transform(() => ({})), z.record(z.string().max(40), z.string().max(500))]),
)

function mergeMetadata(old: Record<string, string>, change: Record<string, string> | undefined) {
  if (!change) return old
  if (Object.keys(change).length === 0) return {}
  return Object.fromEntries(Object.entries({ ...old, ...change }).filter(([, value]) => value !== ''))
}

/** Returns the object with the given fields; undefined leaves a field unchanged, and metadata is merged. */
export function withChanges<T extends object>(before: T, changes: Changes<NoInfer<T>>): T {
  const { metadata: newMetadata, ...fields } = changes
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined)
  const after: T = { ...before, ...Object.fromEntries(definedFields) }
  if (!newMetadata) return after
  const oldMetadata = 'metadata' in before ? (before.metadata as Record<string, string>) : {}
  return { ...after, metadata: mergeMetadata(oldMetadata, newMetadata) }
}

type Changes<T> = { [K in keyof T]?: T[K] | undefined } & { metadata?: Record<string, string> | undefined }

export const paging = { limit: integer, starting_after: text }

export function createReader<S extends Shape>(shape: S) {
  const schema = strict(shape)
  return (form: Form): Params<S> => {
    const { data, error } = schema.safeParse(form, { reportInput: true })
    if (!error) return data
    // Like Stripe, names an unknown parameter before an invalid one.
    const unknownParam = error.issues.find(({ code }) => code === 'unrecognized_keys')
    throw failureOf(unknownParam ?? error.issues[0])
  }
}

/** Name of a nested parameter, such as `items[0][price]`. */
const paramName = ([root, ...keys]: PropertyKey[]) => String(root) + keys.map((key) => `[${String(key)}]`).join('')

function failureOf(issue: z.core.$ZodIssue | undefined, within: PropertyKey[] = []): Failure {
  const path = [...within, ...(issue?.path ?? [])]
  const name = paramName(path)
  if (issue?.code === 'unrecognized_keys') {
    const unknown = paramName([...path, issue.keys[0] ?? ''])
    return invalid(`Received unknown parameter: ${unknown}`, unknown, 'parameter_unknown')
  }
  // The last option of the union is the real schema; the first is the empty value that clears the field.
  if (issue?.code === 'invalid_union') return failureOf(issue.errors.at(-1)?.[0], path)
  if (issue?.input === undefined || issue.code === 'custom')
    return invalid(`Missing required param: ${name}.`, name, 'parameter_missing')
  return invalid(`Invalid value: ${name}`, name)
}

const addressField = clearable(text)

export const address = group({
  city: addressField,
  country: addressField,
  line1: addressField,
  line2: addressField,
  postal_code: addressField,
  state: addressField,
})

type AddressInput = Params<{ address: typeof address }>['address']

const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }

/** An address is replaced as a whole; omitted fields become null. */
export const readAddress = (old: Address | null, input: AddressInput): Address | null =>
  input ? withChanges<Address>(noAddress, input) : old

export type FormValue = string | FormValue[] | { [key: string]: FormValue }
export type Form = { [key: string]: FormValue }

/** Without a prototype, so that a parameter named `__proto__` is harmless. */
const emptyForm = (): Form => Object.create(null)

/** Parses nested parameters as Stripe's clients write them: `a[b][0]=c` becomes `{ a: { b: ['c'] } }`. */
export function parseForm(body: string): Form {
  const root = emptyForm()
  for (const [name, value] of new URLSearchParams(body)) {
    if (value.includes('\0')) throw invalid(`Invalid string: ${name} must not contain a null byte`, name)
    const [head = '', ...keys] = name.replaceAll(']', '').split('[')
    if (keys.length > 8) throw invalid(`Invalid parameter name: ${name}`)
    let target = root
    let key = head
    for (const next of keys) {
      const inner = target[key] ?? emptyForm()
      if (typeof inner !== 'object' || Array.isArray(inner)) throw invalid(`Invalid parameter: ${name}`, head)
      target[key] = inner
      target = inner
      key = next === '' ? String(Object.keys(inner).length) : next
    }
    target[key] = value
  }
  return withArrays(root) as Form
}

function withArrays(value: FormValue): FormValue {
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withArrays(inner)] as const)
  const isArray = entries.length > 0 && entries.every(([key], index) => key === String(index))
  return isArray ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
