import { passesLuhn } from '../browser/card-input.ts'
import { Failure } from '../failure.ts'

/** What a test card does when it is charged. */
export type Behaviour =
  | { outcome: 'succeeds'; disputed?: boolean; refund?: 'waits' | 'fails' }
  | {
      outcome: 'declines'
      when: 'always' | 'with_customer'
      code: string
      declineCode?: string
      message: string
    }
  | { outcome: 'authenticates'; when: 'always' | 'unless_set_up' }

export type Brand = 'visa' | 'mastercard' | 'amex'
export type Card = { number: string; brand: Brand; month: number; year: number; behaviour: Behaviour }

const succeeds: Behaviour = { outcome: 'succeeds' }
const declined = (
  declineCode: string,
  message = 'Your card was declined.',
  when: 'always' | 'with_customer' = 'always',
): Behaviour => ({ outcome: 'declines', when, code: 'card_declined', declineCode, message })

/** The part of https://docs.stripe.com/testing that a shop needs. */
const testCards: { number: string; token: string; brand?: Brand; behaviour: Behaviour }[] = [
  { number: '4242424242424242', token: 'pm_card_visa', behaviour: succeeds },
  { number: '5555555555554444', token: 'pm_card_mastercard', brand: 'mastercard', behaviour: succeeds },
  { number: '378282246310005', token: 'pm_card_amex', brand: 'amex', behaviour: succeeds },
  {
    number: '4000000000000002',
    token: 'pm_card_visa_chargeDeclined',
    behaviour: declined('generic_decline'),
  },
  {
    number: '4000000000009995',
    token: 'pm_card_visa_chargeDeclinedInsufficientFunds',
    behaviour: declined('insufficient_funds', 'Your card has insufficient funds.'),
  },
  {
    number: '4000000000000069',
    token: 'pm_card_chargeDeclinedExpiredCard',
    behaviour: {
      outcome: 'declines',
      when: 'always',
      code: 'expired_card',
      message: 'Your card has expired.',
    },
  },
  {
    number: '4000000000000127',
    token: 'pm_card_chargeDeclinedIncorrectCvc',
    behaviour: {
      outcome: 'declines',
      when: 'always',
      code: 'incorrect_cvc',
      message: "Your card's security code is incorrect.",
    },
  },
  {
    number: '4000000000000341',
    token: 'pm_card_chargeCustomerFail',
    behaviour: declined('generic_decline', 'Your card was declined.', 'with_customer'),
  },
  {
    number: '4000002760003184',
    token: 'pm_card_authenticationRequired',
    behaviour: { outcome: 'authenticates', when: 'always' },
  },
  {
    number: '4000002500003155',
    token: 'pm_card_authenticationRequiredOnSetup',
    behaviour: { outcome: 'authenticates', when: 'unless_set_up' },
  },
  {
    number: '4000000000000259',
    token: 'pm_card_createDispute',
    behaviour: { outcome: 'succeeds', disputed: true },
  },
  {
    number: '4000000000007726',
    token: 'pm_card_pendingRefund',
    behaviour: { outcome: 'succeeds', refund: 'waits' },
  },
  {
    number: '4000000000005126',
    token: 'pm_card_refundFail',
    behaviour: { outcome: 'succeeds', refund: 'fails' },
  },
]

const refusal = (code: string, param: string, message: string, declineCode?: string) =>
  new Failure(402, {
    type: 'card_error',
    code,
    param,
    message,
    ...(declineCode === undefined ? {} : { decline_code: declineCode }),
  })

export function cardOfToken(token: string, now: number): Card | undefined {
  const card = testCards.find((each) => each.token === token)
  const year = new Date(now * 1000).getUTCFullYear() + 5
  return card && { ...card, brand: card.brand ?? 'visa', month: 12, year }
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
  const brand = card.brand ?? 'visa'
  const length = brand === 'amex' ? 4 : 3
  if (typed.cvc !== undefined && !(/^\d+$/.test(typed.cvc) && typed.cvc.length === length)) {
    throw refusal('invalid_cvc', 'cvc', "Your card's security code is invalid.")
  }
  return { number, brand, month, year, behaviour: card.behaviour }
}
