import { invalid } from '../failure.ts'

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
