import { kindDefinitions } from '#contract/admin/figure-definitions.ts'
import { exactDollars } from '#contract/money.ts'
import { type MovementCause, type MovementKind, movementKinds } from '#contract/statuses.ts'

/** `arr` is in cents per year. */
export const formatPerMonth = (arr: number) => exactDollars(Math.round(arr / 12))
export const formatSignedPerMonth = (arr: number) => `${arr > 0 ? '+' : ''}${formatPerMonth(arr)}`

const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** Any text other than a month like `2026-03` is returned unchanged. */
export function formatMonth(month: string) {
  const date = new Date(`${month}-01T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? month : monthFormat.format(date)
}

/** Number of days of a month like `2026-03`. */
export function daysIn(month: string) {
  const [year = 0, monthNumber = 1] = month.split('-').map(Number)
  // Day 0 of the next month is the last day of this one.
  return new Date(Date.UTC(year, monthNumber, 0)).getUTCDate()
}

/** Today's day in another month, or that month's last day if it is shorter: "February 28" on March 31. */
export function formatSameDay(month: string, today: Date) {
  const [monthName] = formatMonth(month).split(' ')
  return `${monthName} ${Math.min(today.getUTCDate(), daysIn(month))}`
}

export const kindTexts = Object.fromEntries(movementKinds.map((kind) => [kind, kindDefinitions[kind].title])) as Record<
  MovementKind,
  string
>

export const causeTexts: Record<MovementCause, string> = {
  bought: 'Bought',
  resume: 'Pays again',
  plan: 'Other plan',
  price: 'Other price',
  quantity: 'Other quantity',
  discount: 'Discount began or ended',
  tax: 'Other tax',
  pause: 'Paused, or free time',
  cancelled: 'They cancelled',
  unpaid: 'Not paid',
  refunded: 'Refunded',
  disputed: 'Lost dispute',
  gone: 'Gone at Stripe',
  duplicate: 'Second subscription',
  code_used_up: 'Code used up',
  code_new_only: 'Code for new customers',
  expired: 'Booking ended',
  deleted: 'Purchase deleted',
}

export const movementsMeaning =
  'Each movement on its own day, at what it changes per month. It counts from the payment, ends when the paid time ends, and a discount counts while it runs. Days and months are in UTC.'

export const proofMeaning =
  'Every night, the prices of Stripe’s own list of subscriptions and the invoices in the books are added up and compared with the figures here, one by one. What was paid elsewhere and gifts aren’t at Stripe, and subscriptions you have not taken over aren’t here, so neither can be compared.'
