import { dollars } from '../money.ts'

type Cost = { amount: number; months: number }

/** Null without a saving. `free` is like "2 months free", or false if the saving is not whole months. */
export function planSaving(shorter: Cost, longer: Cost) {
  const costOfShorterPlan = (shorter.amount * longer.months) / shorter.months
  const savedCents = costOfShorterPlan - longer.amount
  if (savedCents <= 0) return null
  const freeMonths = (savedCents / shorter.amount) * shorter.months
  const freeMonthsText = freeMonths === 1 ? '1 month free' : `${freeMonths} months free`
  return { free: Number.isInteger(freeMonths) && freeMonthsText, saved: dollars(savedCents) }
}
