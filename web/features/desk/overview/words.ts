import { exactDollars } from '#contract/money.ts'
import type { MovementCause, MovementKind } from '#contract/statuses.ts'

/** Kept as whole cents a year, and rounded here alone. */
export const perMonth = (arr: number) => exactDollars(Math.round(arr / 12))
export const signed = (arr: number) => `${arr > 0 ? '+' : ''}${perMonth(arr)}`

const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** 2026-03 is March 2026; anything else is shown as it is. */
export function monthName(month: string) {
  const date = new Date(`${month}-01T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? month : long.format(date)
}

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
  code_used_up: 'Code used up',
  code_new_only: 'Code for new customers',
  expired: 'Booking ended',
  deleted: 'Purchase deleted',
}

export const meanings = {
  mrr: 'What all running paid subscriptions cost per month, after discounts and without tax; a yearly one counts as a twelfth. It counts from the payment to the end, also while past due. Gifts and free time do not count.',
  net: 'New and back again and more, minus less and lost, since the month began. Changing from monthly to yearly is $6.50 less per month: $39.00 becomes a twelfth of $390.00.',
  paying: 'People whose subscription counts in the monthly recurring revenue.',
  churnRate: 'People who stopped paying this month, of those who paid when it began.',
  moved:
    'Each movement on its own day, at what it changes per month. It counts from the payment, ends when the paid time ends, and a discount counts while it runs. Days and months are in UTC.',
  new: 'People who paid for the first time.',
  reactivation: 'People who pay again after they had stopped, or after a pause or free time.',
  expansion: 'People who pay more than before: another plan, a higher quantity, or a discount that ended.',
  contraction:
    'People who pay less than before. Changing from monthly to yearly is $6.50 less per month: $39.00 becomes a twelfth of $390.00, paid for a year up front.',
  churn: 'People who stopped paying, on the day their paid time ended, not on the day they cancelled.',
  stayed:
    'People by the month of their first payment, and how many of them pay at the end of each month after it, with what they pay per month. Anyone who comes back counts again. Counted every hour.',
  left: 'People who stopped paying, by what ended it, and by what they said if they cancelled in their dashboard. A pause or free time counts as leaving until they pay again.',
  cash: 'What was paid by card, on the day it was paid; refunds and lost disputes on theirs, even if the payment was earlier. Tax is inside what was paid. A refund counts with its tax. Stripe’s fees, and what was paid elsewhere, are not in it.',
  proof:
    'Every night, Stripe’s own list of subscriptions is added up and compared with the figures here, one by one. What was paid elsewhere and gifts aren’t at Stripe, and subscriptions you have not taken over aren’t here, so neither can be compared.',
} as const
