import { day } from '../basics.ts'
import { type ErrorBody, Failure, invalid } from '../failure.ts'
import type { PaymentMethod } from '../objects/customer.ts'
import { newCharge, type PaymentIntent, type SetupIntent, threeDSecure } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { moveBalance } from './balance.ts'
import { type Decline, declineError } from './cards.ts'
import { invoiceActionRequired, invoiceAttemptFailed, invoicePaid } from './invoices.ts'

const disputeDelay = day

export type Intent = PaymentIntent | SetupIntent

const isPayment = (intent: Intent): intent is PaymentIntent => intent.object === 'payment_intent'
const nameOf = (intent: Intent) => (isPayment(intent) ? 'PaymentIntent' : 'SetupIntent')

/** True if invoice and subscription follow at once instead of after the usual lag. */
type Then = 'immediately' | 'later'

/** Pays an intent with a card, or stores the card. A returned `Failure` is a declined card: the attempt stays on the books. */
export async function confirm(
  work: Work,
  intent: Intent,
  method: PaymentMethod,
  then: Then,
): Promise<Intent | Failure> {
  assertOpen(work, intent)
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalid('The provided PaymentMethod belongs to another customer.', 'payment_method')
  }
  const { behaviour, authenticated } = method.$sandbox
  if (behaviour.outcome === 'declines' && (isPayment(intent) || behaviour.when === 'always'))
    return decline(work, intent, method, behaviour)
  if (behaviour.outcome === 'authenticates' && !(isPayment(intent) && authenticated && behaviour.when !== 'always'))
    return requireAuthentication(work, intent, method)
  return succeed(work, intent, method, then)
}

function assertOpen(work: Work, intent: Intent) {
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') return
  const why =
    intent.status === 'succeeded'
      ? 'it has already succeeded after being previously confirmed'
      : 'it has a status of canceled'
  throw new Failure(400, {
    type: 'invalid_request_error',
    code: `${intent.object}_unexpected_state`,
    message: `You cannot confirm this ${nameOf(intent)} because ${why}.`,
    [intent.object]: work.present(intent),
  })
}

/** Stores the intent after an attempt; payment and setup intents name their last error differently. */
const saveIntent = (
  work: Work,
  intent: Intent,
  given: { status: SetupIntent['status']; payment_method: string | null; error: ErrorBody | null },
) => {
  const { error, ...after } = given
  const next_action = after.status === 'requires_action' ? threeDSecure(intent.id) : null
  return isPayment(intent)
    ? work.save({ ...intent, ...after, next_action, last_payment_error: error })
    : work.save({ ...intent, ...after, next_action, last_setup_error: error })
}

export async function decline(work: Work, intent: Intent, method: PaymentMethod, how: Decline): Promise<Failure> {
  const error = { ...declineError(how), payment_method: work.present(method) }
  if (!isPayment(intent)) return fail(work, intent, error)
  const charge = await work.insert(newCharge({ now: work.now, intent, method, failure: how, disputeAt: null }))
  work.emit('charge.failed', charge)
  return fail(work, { ...intent, latest_charge: charge.id }, { ...error, charge: charge.id })
}

async function fail(work: Work, intent: Intent, error: ErrorBody) {
  const failed = await saveIntent(work, intent, { status: 'requires_payment_method', payment_method: null, error })
  work.emit(isPayment(intent) ? 'payment_intent.payment_failed' : 'setup_intent.setup_failed', failed)
  if (isPayment(intent)) await invoiceAttemptFailed(work, intent.id)
  const status = error.type === 'card_error' ? 402 : 400
  return new Failure(status, { ...error, [intent.object]: work.present(failed) })
}

async function requireAuthentication(work: Work, intent: Intent, { id }: PaymentMethod) {
  const waiting = await saveIntent(work, intent, { status: 'requires_action', payment_method: id, error: null })
  work.emit(`${intent.object}.requires_action`, waiting)
  if (isPayment(intent)) await invoiceActionRequired(work, intent.id)
  return waiting
}

/** The buyer's answer in the 3-D Secure dialog. */
export async function authenticate(work: Work, intent: Intent, passed: boolean) {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw invalid(`This ${nameOf(intent)} is not waiting for authentication.`, 'intent')
  }
  const method = await work.get('payment_method', intent.payment_method)
  if (!passed)
    return fail(work, intent, {
      type: 'invalid_request_error',
      code: `${intent.object}_authentication_failure`,
      message:
        'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
      payment_method: work.present(method),
    })
  const known = await work.save({ ...method, $sandbox: { ...method.$sandbox, authenticated: true } })
  return succeed(work, intent, known, 'later')
}

export async function attach(work: Work, method: PaymentMethod, customer: string): Promise<PaymentMethod> {
  if (method.customer === customer) return method
  const attached = await work.save({ ...method, customer })
  work.emit('payment_method.attached', attached)
  return attached
}

async function succeed(work: Work, intent: Intent, given: PaymentMethod, then: Then): Promise<Intent> {
  const method = await attach(work, given, intent.customer)
  const after = { status: 'succeeded' as const, payment_method: method.id, error: null }
  if (!isPayment(intent)) {
    const stored = await saveIntent(work, intent, after)
    work.emit('setup_intent.succeeded', stored)
    return stored
  }
  const { behaviour } = method.$sandbox
  const disputeAt = behaviour.outcome === 'succeeds' && behaviour.disputed ? work.now + disputeDelay : null
  const draft = newCharge({ now: work.now, intent, method, failure: null, disputeAt })
  const { id: balance_transaction } = await moveBalance(work, 'charge', draft, draft.amount)
  const charge = await work.insert({ ...draft, balance_transaction })
  const settles_at = then === 'later' ? await settlesAt(work) : null
  const charged = { ...intent, amount_received: intent.amount, latest_charge: charge.id, $sandbox: { settles_at } }
  const paid = await saveIntent(work, charged, after)
  work.emit('charge.succeeded', charge)
  work.emit('payment_intent.succeeded', paid)
  if (settles_at === null) await invoicePaid(work, paid.id, method.id)
  return paid
}

/** A test clock does not advance by itself, so payments on it settle immediately. */
async function settlesAt(work: Work): Promise<number | null> {
  const { from, to } = work.quirks.lag
  if (to === 0 || work.clock !== null) return null
  const chance = await work.chance()
  return work.time + from + (to - from) * chance()
}

/** Finishes a payment: marks its invoice as paid and updates the subscription. */
export async function finishPayment(work: Work, intent: PaymentIntent) {
  if ((intent.$sandbox?.settles_at ?? null) === null || intent.payment_method === null) return
  await work.save({ ...intent, $sandbox: { settles_at: null } })
  await invoicePaid(work, intent.id, intent.payment_method)
}
