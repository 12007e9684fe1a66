import { day } from '../basics.ts'
import { type ErrorBody, Failure, invalid } from '../failure.ts'
import type { PaymentMethod } from '../objects/customer.ts'
import { newCharge, type PaymentIntent, type SetupIntent, threeDSecure } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { moveBalance } from './balance.ts'
import { type Decline, declineError } from './cards.ts'
import { payInvoiceOf, recordActionRequired, recordFailedAttempt } from './invoices.ts'

const disputeDelaySeconds = day

export type Intent = PaymentIntent | SetupIntent

const isPayment = (intent: Intent): intent is PaymentIntent => intent.object === 'payment_intent'
const nameOf = (intent: Intent) => (isPayment(intent) ? 'PaymentIntent' : 'SetupIntent')

/** When the invoice and subscription are updated after a payment; `delayed` waits for the quirk `lag`. */
type Settlement = 'immediately' | 'delayed'

/** Returns a `Failure` if the card is declined, so that the attempt is stored. */
export async function confirm(
  work: Work,
  intent: Intent,
  method: PaymentMethod,
  settlement: Settlement,
): Promise<Intent | Failure> {
  assertConfirmable(work, intent)
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalid('The provided PaymentMethod belongs to another customer.', 'payment_method')
  }
  const { behaviour, authenticated } = method.$sandbox
  if (behaviour.outcome === 'declines' && (isPayment(intent) || behaviour.when === 'always'))
    return decline(work, intent, method, behaviour)
  if (behaviour.outcome === 'authenticates') {
    const isExempt = behaviour.when === 'unless_set_up' && authenticated && isPayment(intent)
    if (!isExempt) return requireAuthentication(work, intent, method)
  }
  return succeed(work, intent, method, settlement)
}

function assertConfirmable(work: Work, intent: Intent) {
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') return
  const reason =
    intent.status === 'succeeded'
      ? 'it has already succeeded after being previously confirmed'
      : 'it has a status of canceled'
  throw new Failure(400, {
    type: 'invalid_request_error',
    code: `${intent.object}_unexpected_state`,
    message: `You cannot confirm this ${nameOf(intent)} because ${reason}.`,
    [intent.object]: work.present(intent),
  })
}

/** Payment and setup intents name their last error differently. */
const saveIntent = (
  work: Work,
  intent: Intent,
  attempt: { status: SetupIntent['status']; payment_method: string | null; error: ErrorBody | null },
) => {
  const { error, ...after } = attempt
  const next_action = after.status === 'requires_action' ? threeDSecure(intent.id) : null
  return isPayment(intent)
    ? work.save({ ...intent, ...after, next_action, last_payment_error: error })
    : work.save({ ...intent, ...after, next_action, last_setup_error: error })
}

export async function decline(work: Work, intent: Intent, method: PaymentMethod, reason: Decline): Promise<Failure> {
  const error = { ...declineError(reason), payment_method: work.present(method) }
  if (!isPayment(intent)) return failIntent(work, intent, error)
  const charge = await work.insert(newCharge({ now: work.now, intent, method, failure: reason, disputeAt: null }))
  work.emit('charge.failed', charge)
  return failIntent(work, { ...intent, latest_charge: charge.id }, { ...error, charge: charge.id })
}

async function failIntent(work: Work, intent: Intent, error: ErrorBody) {
  const failed = await saveIntent(work, intent, { status: 'requires_payment_method', payment_method: null, error })
  work.emit(isPayment(intent) ? 'payment_intent.payment_failed' : 'setup_intent.setup_failed', failed)
  if (isPayment(intent)) await recordFailedAttempt(work, intent.id)
  const status = error.type === 'card_error' ? 402 : 400
  return new Failure(status, { ...error, [intent.object]: work.present(failed) })
}

async function requireAuthentication(work: Work, intent: Intent, { id }: PaymentMethod) {
  const waiting = await saveIntent(work, intent, { status: 'requires_action', payment_method: id, error: null })
  work.emit(`${intent.object}.requires_action`, waiting)
  if (isPayment(intent)) await recordActionRequired(work, intent.id)
  return waiting
}

export async function authenticate(work: Work, intent: Intent, hasPassed: boolean) {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw invalid(`This ${nameOf(intent)} is not waiting for authentication.`, 'intent')
  }
  const method = await work.get('payment_method', intent.payment_method)
  if (!hasPassed)
    return failIntent(work, intent, {
      type: 'invalid_request_error',
      code: `${intent.object}_authentication_failure`,
      message:
        'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
      payment_method: work.present(method),
    })
  const authenticated = await work.save({ ...method, $sandbox: { ...method.$sandbox, authenticated: true } })
  return succeed(work, intent, authenticated, 'delayed')
}

export async function attach(work: Work, method: PaymentMethod, customer: string): Promise<PaymentMethod> {
  if (method.customer === customer) return method
  const attached = await work.save({ ...method, customer })
  work.emit('payment_method.attached', attached)
  return attached
}

async function succeed(work: Work, intent: Intent, card: PaymentMethod, settlement: Settlement): Promise<Intent> {
  const method = await attach(work, card, intent.customer)
  const after = { status: 'succeeded' as const, payment_method: method.id, error: null }
  if (!isPayment(intent)) {
    const stored = await saveIntent(work, intent, after)
    work.emit('setup_intent.succeeded', stored)
    return stored
  }
  const { behaviour } = method.$sandbox
  const disputeAt = behaviour.outcome === 'succeeds' && behaviour.disputed ? work.now + disputeDelaySeconds : null
  const draft = newCharge({ now: work.now, intent, method, failure: null, disputeAt })
  const { id: balance_transaction } = await moveBalance(work, 'charge', draft, draft.amount)
  const charge = await work.insert({ ...draft, balance_transaction })
  const settles_at = settlement === 'delayed' ? await settlesAt(work) : null
  const charged = { ...intent, amount_received: intent.amount, latest_charge: charge.id, $sandbox: { settles_at } }
  const paid = await saveIntent(work, charged, after)
  work.emit('charge.succeeded', charge)
  work.emit('payment_intent.succeeded', paid)
  if (settles_at === null) await payInvoiceOf(work, paid.id, method.id)
  return paid
}

/** Null means immediately. A test clock does not advance by itself, so it has no delay. */
async function settlesAt(work: Work): Promise<number | null> {
  const { from, to } = work.quirks.lag
  if (to === 0 || work.clock !== null) return null
  const random = await work.randomNumbers()
  return work.time + from + (to - from) * random()
}

export async function finishPayment(work: Work, intent: PaymentIntent) {
  const settlesLater = typeof intent.$sandbox?.settles_at === 'number'
  if (!settlesLater || intent.payment_method === null) return
  await work.save({ ...intent, $sandbox: { settles_at: null } })
  await payInvoiceOf(work, intent.id, intent.payment_method)
}
