import { type ErrorBody, Failure } from '../failure.ts'

export type Decline = {
  outcome: 'declines'
  /** With `charged`, the card can be stored, but not charged. */
  when: 'always' | 'charged'
  code: string
  declineCode?: string
  message: string
}
export type Behaviour =
  | { outcome: 'succeeds'; disputed?: boolean; refund?: 'waits' | 'fails' }
  | Decline
  | { outcome: 'authenticates'; when: 'always' | 'unless_set_up' }

export const declineError = ({ code, message, declineCode }: Decline): ErrorBody => ({
  type: 'card_error',
  code,
  message,
  ...(declineCode ? { decline_code: declineCode } : {}),
})

export type Card = { number: string; brand: 'visa' | 'mastercard'; month: number; year: number; behaviour: Behaviour }

const succeeds: Behaviour = { outcome: 'succeeds' }
const declines = (code: string, message: string, declineCode?: string, when: Decline['when'] = 'always'): Decline => ({
  outcome: 'declines',
  when,
  code,
  message,
  ...(declineCode ? { declineCode } : {}),
})
const declinedMessage = 'Your card was declined.'
export const genericDecline = declines('card_declined', declinedMessage, 'generic_decline')

/** Test cards from https://docs.stripe.com/testing. */
const testCards = (
  [
    ['4242424242424242', 'visa', succeeds],
    ['5555555555554444', 'mastercard', succeeds],
    ['4000000000000002', 'visa_chargeDeclined', genericDecline],
    [
      '4000000000009995',
      'visa_chargeDeclinedInsufficientFunds',
      declines('card_declined', 'Your card has insufficient funds.', 'insufficient_funds'),
    ],
    ['4000000000000069', 'chargeDeclinedExpiredCard', declines('expired_card', 'Your card has expired.')],
    [
      '4000000000000127',
      'chargeDeclinedIncorrectCvc',
      declines('incorrect_cvc', "Your card's security code is incorrect."),
    ],
    [
      '4000000000000341',
      'chargeCustomerFail',
      declines('card_declined', declinedMessage, 'generic_decline', 'charged'),
    ],
    ['4000002760003184', 'authenticationRequired', { outcome: 'authenticates', when: 'always' }],
    ['4000002500003155', 'authenticationRequiredOnSetup', { outcome: 'authenticates', when: 'unless_set_up' }],
    ['4000000000000259', 'createDispute', { outcome: 'succeeds', disputed: true }],
    ['4000000000007726', 'pendingRefund', { outcome: 'succeeds', refund: 'waits' }],
    ['4000000000005126', 'refundFail', { outcome: 'succeeds', refund: 'fails' }],
  ] satisfies [string, string, Behaviour][]
).map(([number, name, behaviour]: [string, string, Behaviour]) => ({
  number,
  token: `pm_card_${name}`,
  brand: number.startsWith('5') ? ('mastercard' as const) : ('visa' as const),
  behaviour,
}))

export function cardOfToken(token: string, now: number): Card | undefined {
  const card = testCards.find((testCard) => testCard.token === token)
  const year = new Date(now * 1000).getUTCFullYear() + 5
  return card && { ...card, month: 12, year }
}

type TypedCard = { number: string; exp_month: number; exp_year: number }

/** Real card numbers are refused and never stored. */
export function readCard({ number, exp_month: month, exp_year: year }: TypedCard): Card {
  const digits = number.replaceAll(/\D/g, '')
  const card = testCards.find((testCard) => testCard.number === digits)
  if (card) return { ...card, month, year }
  const message =
    'Your card was declined. This shop is in test mode and only takes test cards, such as 4242 4242 4242 4242.'
  throw new Failure(402, {
    ...declineError(declines('card_declined', message, 'test_mode_live_card')),
    param: 'number',
  })
}
