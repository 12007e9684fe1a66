import { exactDollars } from '#contract/money.ts'
import type { MovementCause, MovementKind } from '#contract/statuses.ts'

/** Kept as whole cents a year, and rounded here alone. */
export const perMonth = (arr: number) => exactDollars(Math.round(arr / 12))
export const signed = (arr: number) => `${arr > 0 ? '+' : ''}${perMonth(arr)}`

const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
export const monthName = (month: string) => long.format(new Date(`${month}-01T00:00:00Z`))

export const kindTexts: Record<MovementKind, string> = {
  new: 'New',
  reactivation: 'Back again',
  expansion: 'More',
  contraction: 'Less',
  churn: 'Lost',
}

export const causeTexts: Record<MovementCause, string> = {
  bought: 'Bought',
  resume: 'Pays again',
  plan: 'Other plan',
  price: 'Other price',
  quantity: 'Other quantity',
  discount: 'Discount began or ended',
  tax: 'Other tax',
  pause: 'Paused, or free time',
  cancelled: 'Cancelled',
  unpaid: 'Not paid',
  refunded: 'Refunded',
  disputed: 'Lost dispute',
  duplicate: 'Second subscription',
  no_seat: 'No seat left',
  expired: 'Booked until then',
  deleted: 'Purchase deleted',
}

/** How each figure is computed. */
export const meanings = {
  mrr: 'What all running paid subscriptions cost per month, after discounts and without tax; a yearly one counts as a twelfth. It counts from the payment to the end, also while past due. Gifts and free time do not count.',
  net: 'New and back again and more, minus less and lost, since the month began. Changing from monthly to yearly is $6.50 less per month: $39.00 becomes a twelfth of $390.00.',
  paying: 'People whose subscription counts in the monthly recurring revenue.',
  churn: 'People who stopped paying this month, of those who paid when it began.',
} as const
