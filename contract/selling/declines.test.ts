import { expect, test } from 'vitest'
import { declineSentence, isDecline } from './declines.ts'

test.for([
  ['insufficient_funds', /enough money/],
  ['expired_card', /expired/],
  ['incorrect_cvc', /security code/],
  ['authentication_required', /confirm/],
  ['try_again_later', /try again in a few minutes/],
] as const)('a card declined for %s gets a sentence about what to do', ([code, sentence]) => {
  expect(declineSentence({ code: 'card_declined', decline_code: code })).toMatch(sentence)
})

test('a lost or stolen card gets the same sentence as any declined card', () => {
  const plain = declineSentence({ code: 'card_declined', decline_code: 'generic_decline' })
  for (const code of ['lost_card', 'stolen_card', 'pickup_card', 'fraudulent', 'a_code_of_tomorrow'])
    expect(declineSentence({ code: 'card_declined', decline_code: code })).toBe(plain)
})

test('without a decline code, the error’s code decides; other errors are not declines', () => {
  expect(declineSentence({ code: 'payment_intent_authentication_failure' })).toMatch(/confirm/)
  expect(isDecline({ type: 'invalid_request_error', code: 'payment_intent_authentication_failure' })).toBe(true)
  expect(isDecline({ type: 'api_connection_error' })).toBe(false)
})
