import { authenticatePayment, authenticateSetup, confirmPayment, confirmSetup } from '../billing/payments.ts'
import { Failure, invalid } from '../failure.ts'
import type { PaymentMethod } from '../objects/customer.ts'
import type { Kinds } from '../objects/kinds.ts'
import { newSetupIntent } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { createMethod, methodData, resolveMethod } from './methods.ts'
import { changed, choice, flag, group, list, type Params, required, type Shape, text } from './params.ts'
import { type Answer, route } from './route.ts'

const confirmation = {
  payment_method: text,
  payment_method_data: group(methodData),
  return_url: text,
  use_stripe_sdk: flag,
}
const authentication = { outcome: required(choice('complete', 'fail')) }

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

type Intent = 'payment_intent' | 'setup_intent'

/** What browsers may do with one intent, with its client secret. */
function byBrowsers<K extends Intent, S extends Shape>(
  kind: K,
  step: 'confirm' | 'authenticate',
  shape: S,
  act: (work: Work, intent: Kinds[K], params: Params<S>) => Promise<Answer>,
) {
  return route(
    `POST /v1/${kind}s/:id/${step}`,
    { ...shape, client_secret: text },
    async ({ work, id, params, publishable }) => {
      const intent = await work.claim(kind, id, 'intent')
      assertSecret(intent.client_secret, (params as { client_secret?: string }).client_secret, publishable)
      return act(work, intent, params)
    },
    { publishable: true },
  )
}

const readIntent = (kind: Intent) =>
  route(
    `GET /v1/${kind}s/:id`,
    { client_secret: text },
    async ({ work, id, params, publishable }) => {
      const intent = await work.get(kind, id, 'intent')
      assertSecret(intent.client_secret, params.client_secret, publishable)
      return intent
    },
    { publishable: true },
  )

export const intentRoutes = [
  readIntent('payment_intent'),
  byBrowsers(
    'payment_intent',
    'confirm',
    { ...confirmation, off_session: flag },
    async (work, intent, params) =>
      confirmPayment(work, intent, await methodOf(work, params, intent.payment_method), 'later'),
  ),
  byBrowsers('payment_intent', 'authenticate', authentication, (work, intent, { outcome }) =>
    authenticatePayment(work, intent, outcome === 'complete'),
  ),
  route(
    'POST /v1/setup_intents',
    {
      allowed_payment_method_types: list(required(choice('card'))),
      customer: required(text),
      usage: choice('off_session', 'on_session'),
    },
    async ({ work, params: { allowed_payment_method_types: types, customer, usage } }) => {
      await work.claim('customer', customer)
      await work.customer(customer)
      const intent = newSetupIntent(work.now, customer, usage ?? 'off_session')
      // Whatever the seller has turned on; the sandbox's own form shows only cards.
      const payment_method_types = types ?? ['card', 'link']
      return work.create(changed(intent, { allowed_payment_method_types: types, payment_method_types }))
    },
  ),
  readIntent('setup_intent'),
  byBrowsers('setup_intent', 'confirm', confirmation, async (work, intent, params) =>
    confirmSetup(work, intent, await methodOf(work, params, intent.payment_method)),
  ),
  byBrowsers('setup_intent', 'authenticate', authentication, (work, intent, { outcome }) =>
    authenticateSetup(work, intent, outcome === 'complete'),
  ),
]
