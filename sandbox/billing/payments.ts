import { day } from '../basics.ts'
import { type ErrorBody, Failure, invalid } from '../failure.ts'
import type { PaymentMethod } from '../objects/customer.ts'
import { newCharge, type PaymentIntent, type SetupIntent, threeDSecure } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { type Decline, declineError } from './cards.ts'
import { invoiceActionRequired, invoiceAttemptFailed, invoicePaid } from './invoices.ts'

/** A dispute reaches the shop some time after the payment. */
const disputeDelay = day

const authenticationFailed = {
  type: 'invalid_request_error' as const,
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
}

/** Whether the invoice and the subscription follow immediately, or after the lag that a confirming browser sees. */
type Then = 'at once' | 'later'

/** Pays an intent with a card. A returned `Failure` is a declined card: the attempt stays on the books. */
export async function confirmPayment(
  work: Work,
  intent: PaymentIntent,
  method: PaymentMethod,
  then: Then,
): Promise<PaymentIntent | Failure> {
  assertPayable(work, intent)
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalid('The provided PaymentMethod belongs to another customer.', 'payment_method')
  }
  const { behaviour, authenticated } = method.$sandbox
  if (behaviour.outcome === 'declines') return declinePayment(work, intent, method, behaviour)
  if (behaviour.outcome === 'authenticates' && (behaviour.when === 'always' || !authenticated)) {
    return requireAuthentication(work, intent, method)
  }
  return settle(work, intent, method, then)
}

function assertPayable(work: Work, intent: PaymentIntent) {
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') return
  const why =
    intent.status === 'succeeded'
      ? 'it has already succeeded after being previously confirmed'
      : 'it has a status of canceled'
  throw new Failure(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message: `You cannot confirm this PaymentIntent because ${why}.`,
    payment_intent: work.present(intent),
  })
}

export async function declinePayment(
  work: Work,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
): Promise<Failure> {
  const charge = await work.insert(
    newCharge({ now: work.now, intent, method, failure: decline, disputeAt: null }),
  )
  work.emit('charge.failed', charge)
  return failIntent(work, intent, charge.id, {
    ...declineError(decline),
    charge: charge.id,
    payment_method: work.present(method),
  })
}

async function failIntent(work: Work, intent: PaymentIntent, charge: string | null, error: ErrorBody) {
  const failed = await work.save({
    ...intent,
    status: 'requires_payment_method' as const,
    payment_method: null,
    next_action: null,
    last_payment_error: error,
    latest_charge: charge ?? intent.latest_charge,
  })
  work.emit('payment_intent.payment_failed', failed)
  await invoiceAttemptFailed(work, intent.id)
  const status = error.type === 'card_error' ? 402 : 400
  return new Failure(status, { ...error, payment_intent: work.present(failed) })
}

async function requireAuthentication(work: Work, intent: PaymentIntent, method: PaymentMethod) {
  const waiting = await work.save({
    ...intent,
    status: 'requires_action' as const,
    payment_method: method.id,
    next_action: threeDSecure(intent.id),
    last_payment_error: null,
  })
  work.emit('payment_intent.requires_action', waiting)
  await invoiceActionRequired(work, intent.id)
  return waiting
}

/** The buyer's answer in the 3-D Secure dialog. */
export async function authenticatePayment(work: Work, intent: PaymentIntent, passed: boolean) {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw invalid('This PaymentIntent is not waiting for authentication.', 'intent')
  }
  const method = await work.get('payment_method', intent.payment_method)
  if (!passed) {
    return failIntent(work, intent, null, {
      ...authenticationFailed,
      code: 'payment_intent_authentication_failure',
      payment_method: work.present(method),
    })
  }
  return settle(work, intent, await markAuthenticated(work, method), 'later')
}

const markAuthenticated = (work: Work, method: PaymentMethod) =>
  work.save({ ...method, $sandbox: { ...method.$sandbox, authenticated: true } })

export async function attach(work: Work, method: PaymentMethod, customer: string): Promise<PaymentMethod> {
  if (method.customer === customer) return method
  const attached = await work.save({ ...method, customer })
  work.emit('payment_method.attached', attached)
  return attached
}

async function settle(
  work: Work,
  intent: PaymentIntent,
  given: PaymentMethod,
  then: Then,
): Promise<PaymentIntent> {
  const method = await attach(work, given, intent.customer)
  const { behaviour } = method.$sandbox
  const disputeAt = behaviour.outcome === 'succeeds' && behaviour.disputed ? work.now + disputeDelay : null
  const charge = await work.insert(newCharge({ now: work.now, intent, method, failure: null, disputeAt }))
  const paid = await work.save({
    ...intent,
    status: 'succeeded' as const,
    amount_received: intent.amount,
    payment_method: method.id,
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
    $sandbox: { settles_at: then === 'later' ? await settlesAt(work) : null },
  })
  work.emit('charge.succeeded', charge)
  work.emit('payment_intent.succeeded', paid)
  if (paid.$sandbox.settles_at === null) await invoicePaid(work, paid.id, method.id)
  return paid
}

/** A test clock does not move by itself: waiting for it would take forever. */
async function settlesAt(work: Work): Promise<number | null> {
  const { from, to } = work.quirks.lag
  if (to === 0 || work.clock !== null) return null
  const chance = await work.chance()
  return work.time + from + (to - from) * chance()
}

/** The second half of a payment: its invoice is paid, and the subscription follows. */
export async function finishPayment(work: Work, intent: PaymentIntent) {
  if ((intent.$sandbox?.settles_at ?? null) === null || intent.payment_method === null) return
  await work.save({ ...intent, $sandbox: { settles_at: null } })
  await invoicePaid(work, intent.id, intent.payment_method)
}

/** Stores a card for later payments, without charging it. */
export async function confirmSetup(work: Work, intent: SetupIntent, method: PaymentMethod) {
  if (intent.status === 'succeeded') {
    throw new Failure(400, {
      type: 'invalid_request_error',
      code: 'setup_intent_unexpected_state',
      message: 'You cannot confirm this SetupIntent because it has already succeeded.',
      setup_intent: work.present(intent),
    })
  }
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalid('The provided PaymentMethod belongs to another customer.', 'payment_method')
  }
  const { behaviour } = method.$sandbox
  if (behaviour.outcome === 'declines' && behaviour.when === 'always') {
    return failSetup(work, intent, {
      ...declineError(behaviour),
      payment_method: work.present(method),
    })
  }
  if (behaviour.outcome === 'authenticates') {
    const waiting = await work.save({
      ...intent,
      status: 'requires_action' as const,
      payment_method: method.id,
      next_action: threeDSecure(intent.id),
      last_setup_error: null,
    })
    work.emit('setup_intent.requires_action', waiting)
    return waiting
  }
  return succeed(work, intent, method)
}

export async function authenticateSetup(work: Work, intent: SetupIntent, passed: boolean) {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw invalid('This SetupIntent is not waiting for authentication.', 'intent')
  }
  const method = await work.get('payment_method', intent.payment_method)
  if (passed) return succeed(work, intent, await markAuthenticated(work, method))
  return failSetup(work, intent, {
    ...authenticationFailed,
    code: 'setup_intent_authentication_failure',
    payment_method: work.present(method),
  })
}

async function failSetup(work: Work, intent: SetupIntent, error: ErrorBody): Promise<Failure> {
  const failed = await work.save({
    ...intent,
    status: 'requires_payment_method' as const,
    payment_method: null,
    next_action: null,
    last_setup_error: error,
  })
  work.emit('setup_intent.setup_failed', failed)
  const status = error.type === 'card_error' ? 402 : 400
  return new Failure(status, { ...error, setup_intent: work.present(failed) })
}

async function succeed(work: Work, intent: SetupIntent, method: PaymentMethod): Promise<SetupIntent> {
  if (intent.customer !== null) await attach(work, method, intent.customer)
  const succeeded = await work.save({
    ...intent,
    status: 'succeeded' as const,
    payment_method: method.id,
    last_setup_error: null,
    next_action: null,
  })
  work.emit('setup_intent.succeeded', succeeded)
  return succeeded
}
