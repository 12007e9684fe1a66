import { type MovementKind, movementKinds, type PurchaseRisk } from '../statuses.ts'

export type FigureDefinition = { title: string; meaning: string }

/** A test compares each figure and each count below with plain SQL. */
export const figureDefinitions = {
  mrr: {
    title: 'Monthly recurring revenue',
    meaning:
      'What all paid subscriptions cost per month, after discounts and without tax; a yearly one counts as a twelfth. A subscription counts from its payment until it ends, also while it is past due. Gifts and free time do not count.',
  },
  net: {
    title: 'Net new',
    meaning:
      'New, back again and more, minus less and lost, since the month began. Changing from a monthly to a cheaper yearly plan is a loss per month, although a year is paid up front.',
  },
  paying: {
    title: 'Paying people',
    meaning:
      'People whose subscriptions count in the monthly recurring revenue. A month at 100 % off doesn’t end that. Someone with two products is one person.',
  },
  churn: {
    title: 'Churn',
    meaning:
      'People who paid when the month began and no longer pay, as a percentage of all who paid when it began. Someone who came and left within the month is in “Lost”, but not in the churn.',
  },
  new: { title: 'New', meaning: 'People who paid for the first time.' },
  reactivation: {
    title: 'Back again',
    meaning: 'People who pay again after they had stopped, or after a pause or free time.',
  },
  expansion: {
    title: 'More',
    meaning:
      'People who pay more than before: another plan, a second product, a higher quantity, or a discount that ended.',
  },
  contraction: {
    title: 'Less',
    meaning:
      'People who pay less than before: another plan, one product fewer, a lower quantity, or a discount that began.',
  },
  lost: {
    title: 'Lost',
    meaning: 'People who stopped paying, on the day their paid time ended, not on the day they cancelled.',
  },
  stayed: {
    title: 'Who stayed',
    meaning:
      'People by the month of their first payment, and how many of them pay at the end of each month after it, with what they pay per month. Anyone who comes back counts again.',
  },
  left: {
    title: 'Why people left',
    meaning:
      'People who stopped paying, by what ended it, and by what they said if they cancelled in their dashboard. A pause or free time counts as leaving until they pay again.',
  },
  cashPaid: {
    title: 'Paid',
    meaning: 'Payments by card on the day they were paid, tax included. What was paid elsewhere is not in it.',
  },
  cashTax: { title: 'Tax in it', meaning: 'The tax inside the payments.' },
  cashRefunded: {
    title: 'Refunded',
    meaning: 'Refunds on their own day, tax included, even if the payment was earlier.',
  },
  cashLost: { title: 'Lost to disputes', meaning: 'Disputes on the day the bank decided against the shop.' },
  cashLeft: { title: 'Left', meaning: 'Paid, minus refunded and lost to disputes. Stripe’s fees are not taken off.' },
} as const satisfies Record<string, FigureDefinition>

export const countDefinitions = {
  failed_payments: {
    title: 'Past due',
    meaning: 'Subscriptions whose renewal was not paid, with what is owed. They count as paying until access ends.',
  },
  expiring_cards: {
    title: 'Cards that expire within 30 days',
    meaning: 'Subscriptions whose next charge comes after their card expires, with the amount of that charge.',
  },
  disputed: {
    title: 'Disputed',
    meaning: 'Purchases with a payment that the cardholder disputes, with the disputed amount, until the bank decides.',
  },
  withAccess: {
    title: 'People with access',
    meaning:
      'People with a running purchase, gifts included, and people added by hand on TradingView, each counted once. TradingView may bill for all of them.',
  },
  customers: {
    title: 'Customers',
    meaning:
      'People with a running purchase of the product: paying, past due, cancelled but not over, gifts, and booked by hand. An address that refuses email is not among them.',
  },
  newsletterSubscribers: {
    title: 'Newsletter subscribers',
    meaning: 'Addresses that confirmed and have not unsubscribed.',
  },
  newsletterBuyers: {
    title: 'Buyers',
    meaning: 'Customers who were told at the checkout, confirmed their address, and did not object.',
  },
} as const satisfies Record<PurchaseRisk, FigureDefinition> & Record<string, FigureDefinition>

export type CountName = keyof typeof countDefinitions

export type FigureName = keyof typeof figureDefinitions

const figureOfKind = (kind: MovementKind): FigureName => (kind === 'churn' ? 'lost' : kind)

export const kindDefinitions = Object.fromEntries(
  movementKinds.map((kind) => [kind, figureDefinitions[figureOfKind(kind)]]),
) as Record<MovementKind, FigureDefinition>

export const cashMeaning = (['cashPaid', 'cashRefunded', 'cashLost', 'cashLeft'] as const)
  .map((name) => `${figureDefinitions[name].title}: ${figureDefinitions[name].meaning}`)
  .join(' ')
