import type { Address } from '../objects/customer.ts'
import { clearable, group, keep, type Params, text } from './params.ts'

const line = clearable(text)

export const address = group({
  city: line,
  country: line,
  line1: line,
  line2: line,
  postal_code: line,
  state: line,
})

type Given = Params<{ address: typeof address }>['address']

export function mergeAddress(old: Address | null, given: Given): Address | null {
  if (!given) return old
  return {
    city: keep(given.city, old?.city ?? null),
    country: keep(given.country, old?.country ?? null),
    line1: keep(given.line1, old?.line1 ?? null),
    line2: keep(given.line2, old?.line2 ?? null),
    postal_code: keep(given.postal_code, old?.postal_code ?? null),
    state: keep(given.state, old?.state ?? null),
  }
}
