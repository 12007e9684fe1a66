import { dollars } from '../money.ts'

type Cost = { amount: number; months: number }

/** Null without a saving. `free` is like "2 months free", or false if the saving is not whole months. */
export function planSaving(shorter: Cost, longer: Cost) {
  const savedCents = (shorter.amount * longer.months) / shorter.months - longer.amount
  if (savedCents <= 0) return null
  const months = (savedCents / shorter.amount) * shorter.months
  const free = Number.isInteger(months) && `${months} month${months === 1 ? '' : 's'} free`
  return { free, saved: dollars(savedCents) }
}
