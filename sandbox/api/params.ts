import { invalid } from '../failure.ts'
import type { Form, FormValue } from './form.ts'

/** Reads one parameter; `undefined` when it was not sent. */
export type Reader<T> = (value: FormValue | undefined, name: string) => T
export type Shape = Record<string, Reader<unknown>>
export type Read<S extends Shape> = { [K in keyof S]: ReturnType<S[K]> }

export const text: Reader<string | undefined> = (value, name) => {
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`Invalid string: ${name}`, name)
}

export const integer: Reader<number | undefined> = (value, name) => {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^-?\d{1,12}$/.test(value)) {
    throw invalid(`Invalid integer: ${JSON.stringify(value)}`, name, 'parameter_invalid_integer')
  }
  return Number(value)
}

export const flag: Reader<boolean | undefined> = (value, name) => {
  if (value === undefined) return undefined
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalid(`Invalid boolean: ${JSON.stringify(value)}`, name)
}

export const choice =
  <T extends string>(...values: T[]): Reader<T | undefined> =>
  (value, name) => {
    if (value === undefined) return undefined
    const chosen = values.find((each) => each === value)
    if (chosen !== undefined) return chosen
    throw invalid(`Invalid ${name}: must be one of ${values.join(', ')}`, name)
  }

/** An empty value clears the field, as in Stripe. */
export const clearable =
  <T>(reader: Reader<T | undefined>): Reader<T | null | undefined> =>
  (value, name) =>
    value === '' ? null : reader(value, name)

export const required =
  <T>(reader: Reader<T | undefined>): Reader<T> =>
  (value, name) => {
    const read = reader(value, name)
    if (read !== undefined && read !== '') return read
    throw invalid(`Missing required param: ${name}.`, name, 'parameter_missing')
  }

export const list =
  <T>(reader: Reader<T>): Reader<T[] | undefined> =>
  (value, name) => {
    if (value === undefined) return undefined
    if (!Array.isArray(value)) throw invalid(`Invalid array: ${name}`, name)
    return value.map((each, index) => reader(each, `${name}[${index}]`))
  }

export const texts = list(required(text))

export const group =
  <S extends Shape>(shape: S): Reader<Read<S> | undefined> =>
  (value, name) => {
    if (value === undefined) return undefined
    if (typeof value === 'string' || Array.isArray(value)) throw invalid(`Invalid object: ${name}`, name)
    return readShape(shape, value, (key) => `${name}[${key}]`)
  }

/** What was not sent stays as it was. */
export const keep = <T>(given: T | undefined, old: T): T => (given === undefined ? old : given)

/** Metadata: an empty value removes its key, an empty map removes all. */
export const metadata: Reader<Record<string, string> | undefined> = (value, name) => {
  if (value === undefined) return undefined
  if (value === '') return {}
  const entries = typeof value === 'string' ? [] : Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, each]) => {
      if (typeof each !== 'string' || key.length > 40 || each.length > 500) {
        throw invalid(`Invalid metadata: ${key}`, `${name}[${key}]`)
      }
      return [key, each]
    }),
  )
}

export function mergeMetadata(old: Record<string, string>, change: Record<string, string> | undefined) {
  if (!change) return old
  if (Object.keys(change).length === 0) return {}
  return Object.fromEntries(Object.entries({ ...old, ...change }).filter(([, value]) => value !== ''))
}

export const range: Reader<{ from: number; to: number } | undefined> = (value, name) => {
  if (value === undefined) return undefined
  if (typeof value === 'string') {
    const exact = required(integer)(value, name)
    return { from: exact, to: exact }
  }
  const bounds = required(group({ gt: integer, gte: integer, lt: integer, lte: integer }))(value, name)
  return {
    from: Math.max(bounds.gte ?? 0, (bounds.gt ?? -1) + 1),
    to: Math.min(bounds.lte ?? Number.MAX_SAFE_INTEGER, (bounds.lt ?? Number.MAX_SAFE_INTEGER) - 1),
  }
}

export const paging = { limit: integer, starting_after: text, ending_before: text }

export function readShape<S extends Shape>(shape: S, form: Form, nameOf = (key: string) => key): Read<S> {
  for (const key of Object.keys(form)) {
    if (!Object.hasOwn(shape, key)) {
      throw invalid(`Received unknown parameter: ${nameOf(key)}`, nameOf(key), 'parameter_unknown')
    }
  }
  const read = Object.entries(shape).map(([key, reader]) => [key, reader(form[key], nameOf(key))])
  return Object.fromEntries(read) as Read<S>
}
