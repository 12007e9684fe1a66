import type { ErrorBody } from '../failure.ts'
import { newId, randomText } from '../identifiers.ts'

export type PaymentIntentStatus =
  | 'canceled'
  | 'requires_action'
  | 'requires_confirmation'
  | 'requires_payment_method'
  | 'succeeded'

export const threeDSecure = (source: string) => ({
  type: 'use_stripe_sdk' as const,
  use_stripe_sdk: { type: 'three_d_secure_redirect', source },
})
type NextAction = ReturnType<typeof threeDSecure>

type Given = {
  now: number
  amount: number
  currency: string
  customer: string | null
  description: string | null
  saveCard: boolean
}

export function newPaymentIntent({ now, amount, currency, customer, description, saveCard }: Given) {
  const id = newId('pi')
  return {
    id,
    object: 'payment_intent' as const,
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null as number | null,
    cancellation_reason: null as 'void_invoice' | null,
    capture_method: 'automatic' as const,
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic' as const,
    created: now,
    currency,
    customer,
    customer_account: null,
    description,
    excluded_payment_method_types: null,
    last_payment_error: null as ErrorBody | null,
    latest_charge: null as string | null,
    livemode: false,
    managed_payments: null,
    metadata: {} as Record<string, string>,
    next_action: null as NextAction | null,
    on_behalf_of: null,
    payment_method: null as string | null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: 'automatic' as const,
      },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: saveCard ? ('off_session' as const) : null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method' as PaymentIntentStatus,
    transfer_data: null,
    transfer_group: null,
    $sandbox: { settles_at: null } as { settles_at: number | null } | undefined,
  }
}

export type PaymentIntent = ReturnType<typeof newPaymentIntent>

export function newSetupIntent(now: number, customer: string | null, usage: 'off_session' | 'on_session') {
  const id = newId('seti')
  return {
    id,
    object: 'setup_intent' as const,
    allowed_payment_method_types: null as 'card'[] | null,
    application: null,
    automatic_payment_methods: null as { allow_redirects: 'always' | 'never'; enabled: boolean } | null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${randomText(25)}`,
    created: now,
    customer,
    customer_account: null,
    description: null as string | null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null as ErrorBody | null,
    latest_attempt: null,
    livemode: false,
    managed_payments: null,
    mandate: null,
    metadata: {} as Record<string, string>,
    next_action: null as NextAction | null,
    on_behalf_of: null,
    payment_method: null as string | null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' as const },
    },
    payment_method_types: ['card'] as ('card' | 'link')[],
    single_use_mandate: null,
    status: 'requires_payment_method' as Exclude<PaymentIntentStatus, 'canceled'>,
    usage,
  }
}

export type SetupIntent = ReturnType<typeof newSetupIntent>
