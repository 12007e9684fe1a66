import { authenticate, confirm } from '../billing/payments.ts'
import { Failure, invalid } from '../failure.ts'
import type { PaymentMethod } from '../objects/customer.ts'
import { newSetupIntent } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { createMethod, methodData, resolveMethod } from './methods.ts'
import { choice, flag, group, list, type Params, required, text, withChanges } from './params.ts'
import { route } from './route.ts'

const confirmation = {
  client_secret: text,
  payment_method: text,
  payment_method_data: group(methodData),
  return_url: text,
  use_stripe_sdk: flag,
}

/** The publishable key is public, so a call with it also needs the intent's client secret. */
function assertSecret(expected: string, received: string | undefined, publishable: boolean) {
  const mayLeaveOut = !publishable
  if (received === expected || (mayLeaveOut && received === undefined)) return
  throw new Failure(400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'client_secret',
    message: 'The client_secret provided does not match the intent.',
  })
}

async function confirmationMethod(
  work: Work,
  params: Params<typeof confirmation>,
  previousId: string | null,
): Promise<PaymentMethod> {
  if (params.payment_method_data) return createMethod(work, params.payment_method_data)
  const id = params.payment_method ?? previousId
  if (id) return resolveMethod(work, id)
  throw invalid(
    'You cannot confirm this intent because it is missing a payment method.',
    'payment_method',
    'payment_intent_unexpected_state',
  )
}

const routesOf = (kind: 'payment_intent' | 'setup_intent') => [
  route(
    `GET /v1/${kind}s/:id`,
    { client_secret: text },
    async ({ work, id, params, publishable }) => {
      const intent = await work.get(kind, id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return intent
    },
    { publishable: true },
  ),
  route(
    `POST /v1/${kind}s/:id/confirm`,
    confirmation,
    async ({ work, id, params, publishable }) => {
      const intent = await work.getForUpdate(kind, id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return confirm(work, intent, await confirmationMethod(work, params, intent.payment_method), 'delayed')
    },
    { publishable: true },
  ),
  route(
    `POST /v1/${kind}s/:id/authenticate`,
    { client_secret: text, outcome: required(choice('complete', 'fail')) },
    async ({ work, id, params, publishable }) => {
      const intent = await work.getForUpdate(kind, id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return authenticate(work, intent, params.outcome === 'complete')
    },
    { publishable: true },
  ),
]

export const intentRoutes = [
  ...routesOf('payment_intent'),
  ...routesOf('setup_intent'),
  route(
    'POST /v1/setup_intents',
    {
      allowed_payment_method_types: list(required(choice('card'))),
      customer: required(text),
      usage: choice('off_session', 'on_session'),
    },
    async ({ work, params: { allowed_payment_method_types: types, customer, usage } }) => {
      await work.getForUpdate('customer', customer)
      await work.customer(customer)
      const intent = newSetupIntent(work.now, customer, usage ?? 'off_session')
      // By default, Stripe returns the account's payment methods; the sandbox's form shows only cards.
      const payment_method_types = types ?? ['card', 'link']
      return work.create(withChanges(intent, { allowed_payment_method_types: types, payment_method_types }))
    },
  ),
]
