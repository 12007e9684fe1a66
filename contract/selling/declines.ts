/** Fields of an API error, of a payment's `last_payment_error` and of an error of Stripe.js. */
type CardError = { code?: string | undefined; decline_code?: string | undefined }

const sentences = {
  funds: 'There isn’t enough money on this card. Use another card, or try again later.',
  limit: 'This card has reached its limit. Use another card, or try again tomorrow.',
  expired: 'This card has expired. Please use another one.',
  code: 'The security code is wrong. Please check it and try again.',
  details: 'The card’s details are wrong. Please check them and try again.',
  confirm: 'Your bank wants you to confirm this payment. Try again and confirm it, or use another card.',
  later: 'Your bank didn’t answer. Please try again in a few minutes.',
  test: 'This shop is in test mode and takes test cards only, such as 4242 4242 4242 4242.',
  // Includes lost and stolen cards, because Stripe asks shops not to reveal those reasons.
  other: 'Your bank declined this card. Use another card, or ask your bank.',
}

/** Keys are Stripe's `decline_code` and, for errors without one, `code`. */
const sentenceKeys: Record<string, keyof typeof sentences> = {
  insufficient_funds: 'funds',
  card_velocity_exceeded: 'limit',
  withdrawal_count_limit_exceeded: 'limit',
  expired_card: 'expired',
  incorrect_cvc: 'code',
  invalid_cvc: 'code',
  incorrect_number: 'details',
  invalid_number: 'details',
  invalid_expiry_month: 'details',
  invalid_expiry_year: 'details',
  incorrect_zip: 'details',
  authentication_required: 'confirm',
  payment_intent_authentication_failure: 'confirm',
  setup_intent_authentication_failure: 'confirm',
  processing_error: 'later',
  issuer_not_available: 'later',
  reenter_transaction: 'later',
  try_again_later: 'later',
  test_mode_live_card: 'test',
  live_mode_test_card: 'other',
}

/** True if the card was declined; other errors leave open whether it was charged. */
export const isDecline = ({ type, code }: { type?: string | undefined; code?: string | undefined }) =>
  type === 'card_error' || (code ?? '').endsWith('authentication_failure')

export function declineSentence({ code, decline_code: declineCode }: CardError): string {
  const key = sentenceKeys[declineCode ?? ''] ?? sentenceKeys[code ?? ''] ?? 'other'
  return sentences[key]
}
