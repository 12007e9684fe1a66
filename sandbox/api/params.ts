import { z } from 'zod'
import { type Failure, invalid } from '../failure.ts'
import type { Address } from '../objects/customer.ts'

type Param<T = unknown> = z.ZodType<T>
/** Optional, like most of Stripe's parameters. */
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

export function changed<T extends object>(
  before: T,
  {
    metadata: notes,
    ...params
  }: { [K in keyof NoInfer<T>]?: T[K] | undefined } & { metadata?: Record<string, string> | undefined },
): T {
  const sent = Object.entries(params).filter(([, value]) => value !== undefined)
  const old = 'metadata' in before ? (before.metadata as Record<string, string>) : {}
  return { ...before, ...Object.fromEntries(sent), ...(notes && { metadata: mergeMetadata(old, notes) }) }
}

export const paging = { limit: integer, starting_after: text }

/** Reads a form, or refuses the first wrong parameter in Stripe's words. */
export function reader<S extends Shape>(shape: S) {
  const schema = strict(shape)
  return (form: Form): Params<S> => {
    const { data, error } = schema.safeParse(form, { reportInput: true })
    if (!error) return data
    const unknown = error.issues.find(({ code }) => code === 'unrecognized_keys')
    throw refusal(unknown ?? error.issues[0])
  }
}

/** `items[0][price]` */
const nameOf = ([first, ...rest]: PropertyKey[]) => String(first) + rest.map((step) => `[${String(step)}]`).join('')

function refusal(issue: z.core.$ZodIssue | undefined, within: PropertyKey[] = []): Failure {
  const path = [...within, ...(issue?.path ?? [])]
  const name = nameOf(path)
  if (issue?.code === 'unrecognized_keys') {
    const unknown = nameOf([...path, issue.keys[0] ?? ''])
    return invalid(`Received unknown parameter: ${unknown}`, unknown, 'parameter_unknown')
  }
  // The first choice of the union is the empty value.
  if (issue?.code === 'invalid_union') return refusal(issue.errors.at(-1)?.[0], path)
  if (issue?.input === undefined || issue.code === 'custom')
    return invalid(`Missing required param: ${name}.`, name, 'parameter_missing')
  return invalid(`Invalid value: ${name}`, name)
}

const line = clearable(text)

export const address = group({ city: line, country: line, line1: line, line2: line, postal_code: line, state: line })

type AddressInput = Params<{ address: typeof address }>['address']

const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }

/** An address is replaced as a whole; omitted fields become null. */
export const readAddress = (old: Address | null, given: AddressInput): Address | null =>
  given ? changed<Address>(noAddress, given) : old

export type FormValue = string | FormValue[] | { [key: string]: FormValue }
export type Form = { [key: string]: FormValue }

const empty = (): Form => Object.create(null)

/** Reads `a[b][0]=c` as `{ a: { b: ['c'] } }`, the way Stripe's clients write nested parameters. */
export function parseForm(body: string): Form {
  const root = empty()
  for (const [name, value] of new URLSearchParams(body)) {
    if (value.includes('\0')) throw invalid(`Invalid string: ${name} must not contain a null byte`, name)
    const [head = '', ...keys] = name.replaceAll(']', '').split('[')
    if (keys.length > 8) throw invalid(`Invalid parameter name: ${name}`)
    let target = root
    let key = head
    for (const next of keys) {
      const inner = target[key] ?? empty()
      if (typeof inner !== 'object' || Array.isArray(inner)) throw invalid(`Invalid parameter: ${name}`, head)
      target[key] = inner
      target = inner
      key = next === '' ? String(Object.keys(inner).length) : next
    }
    target[key] = value
  }
  return arraysIn(root) as Form
}

function arraysIn(value: FormValue): FormValue {
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, arraysIn(inner)] as const)
  const isArray = entries.length > 0 && entries.every(([key], index) => key === String(index))
  return isArray ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
