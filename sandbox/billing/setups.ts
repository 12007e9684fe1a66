import { type ErrorBody, Failure, invalid } from '../failure.ts'
import { type SetupIntent, threeDSecure } from '../objects/intent.ts'
import type { PaymentMethod } from '../objects/payment-method.ts'
import type { Work } from '../work.ts'
import { attach, authenticationFailed, markAuthenticated } from './payments.ts'

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
      type: 'card_error',
      code: behaviour.code,
      message: behaviour.message,
      ...(behaviour.declineCode ? { decline_code: behaviour.declineCode } : {}),
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
