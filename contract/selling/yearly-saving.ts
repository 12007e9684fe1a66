import { dollars } from '../money.ts'
import type { Prices } from './product.ts'

/** What a year costs less than twelve months, if it does: "2 months free" only where that is so. */
export function yearlySaving({ monthly, yearly }: Prices) {
  const cents = monthly * 12 - yearly
  const months = cents / monthly
  if (cents <= 0) return null
  const free = Number.isInteger(months) && `${months} month${months === 1 ? '' : 's'} free`
  return { free, saved: dollars(cents) }
}
