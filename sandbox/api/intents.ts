import { authenticatePayment, authenticateSetup, confirmPayment, confirmSetup } from '../billing/payments.ts'
import { Failure, invalid } from '../failure.ts'
import type { PaymentMethod } from '../objects/customer.ts'
import { newSetupIntent } from '../objects/intent.ts'
import type { Work } from '../work.ts'
import { createMethod, methodData, resolveMethod } from './methods.ts'
import { choice, flag, group, list, metadata, type Params, paging, range, required, text } from './params.ts'
import { route } from './route.ts'

const confirmation = {
  client_secret: text,
  payment_method: text,
  payment_method_data: group(methodData),
  return_url: text,
  use_stripe_sdk: flag,
}
const reading = { client_secret: text }
const authentication = { client_secret: text, outcome: required(choice('complete', 'fail')) }
const browsers = { publishable: true }

/** The publishable key is public: with it, the client secret is what opens an intent. */
function assertSecret(secret: string, given: string | undefined, publishable: boolean) {
  if (given === secret || (given === undefined && !publishable)) return
  throw new Failure(400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'client_secret',
    message: 'The client_secret provided does not match the intent.',
  })
}

async function methodOf(
  work: Work,
  params: Params<typeof confirmation>,
  earlier: string | null,
): Promise<PaymentMethod> {
  if (params.payment_method_data) return createMethod(work, params.payment_method_data)
  const id = params.payment_method ?? earlier
  if (id) return resolveMethod(work, id)
  throw invalid(
    'You cannot confirm this intent because it is missing a payment method.',
    'payment_method',
    'payment_intent_unexpected_state',
  )
}

export const intentRoutes = [
  route(
    'GET',
    '/v1/payment_intents/:id',
    reading,
    async ({ work, id, params, publishable }) => {
      const intent = await work.get('payment_intent', id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return intent
    },
    browsers,
  ),
  route('GET', '/v1/payment_intents', { ...paging, created: range, customer: text }, ({ work, params }) =>
    work.list(
      'payment_intent',
      '/v1/payment_intents',
      { match: { customer: params.customer }, created: params.created },
      params,
    ),
  ),
  route(
    'POST',
    '/v1/payment_intents/:id/confirm',
    { ...confirmation, off_session: flag },
    async ({ work, id, params, publishable }) => {
      const intent = await work.claim('payment_intent', id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return confirmPayment(work, intent, await methodOf(work, params, intent.payment_method), 'later')
    },
    browsers,
  ),
  route(
    'POST',
    '/v1/payment_intents/:id/authenticate',
    authentication,
    async ({ work, id, params, publishable }) => {
      const intent = await work.claim('payment_intent', id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return authenticatePayment(work, intent, params.outcome === 'complete')
    },
    browsers,
  ),
  route(
    'POST',
    '/v1/setup_intents',
    {
      allowed_payment_method_types: list(required(choice('card'))),
      automatic_payment_methods: group({
        allow_redirects: choice('always', 'never'),
        enabled: required(flag),
      }),
      customer: text,
      description: text,
      metadata,
      usage: choice('off_session', 'on_session'),
    },
    async ({ work, params }) => {
      if (params.customer !== undefined) {
        await work.claim('customer', params.customer)
        await work.customer(params.customer)
      }
      const automatic = params.automatic_payment_methods
      const intent = await work.insert({
        ...newSetupIntent(work.now, params.customer ?? null, params.usage ?? 'off_session'),
        allowed_payment_method_types: params.allowed_payment_method_types ?? null,
        automatic_payment_methods: automatic
          ? { allow_redirects: automatic.allow_redirects ?? ('always' as const), enabled: automatic.enabled }
          : null,
        // Whatever the seller has turned on; the sandbox's own form shows only cards.
        payment_method_types: params.allowed_payment_method_types ?? ['card', 'link'],
        description: params.description ?? null,
        metadata: params.metadata ?? {},
      })
      work.emit('setup_intent.created', intent)
      return intent
    },
  ),
  route(
    'GET',
    '/v1/setup_intents/:id',
    reading,
    async ({ work, id, params, publishable }) => {
      const intent = await work.get('setup_intent', id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return intent
    },
    browsers,
  ),
  route(
    'POST',
    '/v1/setup_intents/:id/confirm',
    confirmation,
    async ({ work, id, params, publishable }) => {
      const intent = await work.claim('setup_intent', id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return confirmSetup(work, intent, await methodOf(work, params, intent.payment_method))
    },
    browsers,
  ),
  route(
    'POST',
    '/v1/setup_intents/:id/authenticate',
    authentication,
    async ({ work, id, params, publishable }) => {
      const intent = await work.claim('setup_intent', id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return authenticateSetup(work, intent, params.outcome === 'complete')
    },
    browsers,
  ),
]
