import { passesLuhn } from '../browser/card-input.ts'
import { type ErrorBody, Failure } from '../failure.ts'

/** A card can be refused always, or only once it is charged. */
export type Decline = {
  outcome: 'declines'
  when: 'always' | 'charged'
  code: string
  declineCode?: string
  message: string
}
/** What a test card does when it is charged. */
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

export type Brand = 'visa' | 'mastercard' | 'amex'
export type Card = { number: string; brand: Brand; month: number; year: number; behaviour: Behaviour }

const succeeds: Behaviour = { outcome: 'succeeds' }
const declines = (
  code: string,
  message: string,
  declineCode?: string,
  when: Decline['when'] = 'always',
): Decline => ({ outcome: 'declines', when, code, message, ...(declineCode ? { declineCode } : {}) })
const declined = 'Your card was declined.'
export const genericDecline = declines('card_declined', declined, 'generic_decline')

const brandOf = (number: string): Brand =>
  number.startsWith('5') ? 'mastercard' : number.startsWith('3') ? 'amex' : 'visa'

/** The part of https://docs.stripe.com/testing that a shop needs: number, token, and what the card does. */
const testCards = (
  [
    ['4242424242424242', 'visa', succeeds],
    ['5555555555554444', 'mastercard', succeeds],
    ['378282246310005', 'amex', succeeds],
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
      declines('card_declined', declined, 'generic_decline', 'charged'),
    ],
    ['4000002760003184', 'authenticationRequired', { outcome: 'authenticates', when: 'always' }],
    [
      '4000002500003155',
      'authenticationRequiredOnSetup',
      { outcome: 'authenticates', when: 'unless_set_up' },
    ],
    ['4000000000000259', 'createDispute', { outcome: 'succeeds', disputed: true }],
    ['4000000000007726', 'pendingRefund', { outcome: 'succeeds', refund: 'waits' }],
    ['4000000000005126', 'refundFail', { outcome: 'succeeds', refund: 'fails' }],
  ] satisfies [string, string, Behaviour][]
).map(([number, name, behaviour]: [string, string, Behaviour]) => ({
  number,
  token: `pm_card_${name}`,
  brand: brandOf(number),
  behaviour,
}))

const refusal = (code: string, param: string, message: string, declineCode?: string) =>
  new Failure(402, { ...declineError(declines(code, message, declineCode)), param })

export function cardOfToken(token: string, now: number): Card | undefined {
  const card = testCards.find((each) => each.token === token)
  const year = new Date(now * 1000).getUTCFullYear() + 5
  return card && { ...card, month: 12, year }
}

export type TypedCard = { number: string; exp_month: number; exp_year: number; cvc?: string | undefined }

export function readCard(typed: TypedCard, now: number): Card {
  const number = typed.number.replaceAll(/[\s-]/g, '')
  const card = testCards.find((each) => each.number === number)
  if (!card) {
    if (!passesLuhn(number)) {
      throw refusal('incorrect_number', 'number', 'Your card number is incorrect.')
    }
    throw refusal(
      'card_declined',
      'number',
      'Your card was declined. This shop is in test mode and only takes test cards, such as 4242 4242 4242 4242.',
      'test_mode_live_card',
    )
  }
  const month = typed.exp_month
  const year = typed.exp_year < 100 ? 2000 + typed.exp_year : typed.exp_year
  if (month < 1 || month > 12) {
    throw refusal('invalid_expiry_month', 'exp_month', "Your card's expiration month is invalid.")
  }
  const ends = Date.UTC(year, month, 1) / 1000
  if (ends <= now || year > 2100) {
    throw refusal('invalid_expiry_year', 'exp_year', "Your card's expiration year is invalid.")
  }
  const length = card.brand === 'amex' ? 4 : 3
  if (typed.cvc !== undefined && !(/^\d+$/.test(typed.cvc) && typed.cvc.length === length)) {
    throw refusal('invalid_cvc', 'cvc', "Your card's security code is invalid.")
  }
  return { ...card, month, year }
}
