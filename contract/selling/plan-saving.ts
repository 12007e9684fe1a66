import { dollars } from '../money.ts'

type Cost = { amount: number; months: number }

/** Saving of a longer plan over a shorter one for the same time; "2 months free" only if it is whole months. */
export function planSaving(shorter: Cost, longer: Cost) {
  const cents = (shorter.amount * longer.months) / shorter.months - longer.amount
  if (cents <= 0) return null
  const months = (cents / shorter.amount) * shorter.months
  const free = Number.isInteger(months) && `${months} month${months === 1 ? '' : 's'} free`
  return { free, saved: dollars(cents) }
}
