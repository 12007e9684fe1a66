import { empty, newId, randomText } from '../basics.ts'
import type { ErrorBody } from '../failure.ts'

const noPaymentIntentExtras = {
  ...empty('allowed_payment_method_types application application_fee_amount automatic_payment_methods'),
  ...empty('customer_account excluded_payment_method_types managed_payments on_behalf_of'),
  ...empty('payment_method_configuration_details payment_record processing receipt_email review shipping'),
  ...empty('source statement_descriptor statement_descriptor_suffix transfer_data transfer_group'),
}
const noSetupIntentExtras = {
  ...empty('application cancellation_reason customer_account excluded_payment_method_types flow_directions'),
  ...empty('latest_attempt managed_payments mandate on_behalf_of payment_method_configuration_details'),
  ...empty('single_use_mandate'),
}

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
    ...noPaymentIntentExtras,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    canceled_at: null as number | null,
    cancellation_reason: null as 'void_invoice' | null,
    capture_method: 'automatic' as const,
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic' as const,
    created: now,
    currency,
    customer,
    description,
    last_payment_error: null as ErrorBody | null,
    latest_charge: null as string | null,
    livemode: false,
    metadata: {} as Record<string, string>,
    next_action: null as NextAction | null,
    payment_method: null as string | null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: 'automatic' as const,
      },
    },
    payment_method_types: ['card'],
    setup_future_usage: saveCard ? ('off_session' as const) : null,
    status: 'requires_payment_method' as PaymentIntentStatus,
    $sandbox: { settles_at: null } as { settles_at: number | null } | undefined,
  }
}

export type PaymentIntent = ReturnType<typeof newPaymentIntent>

export function newSetupIntent(now: number, customer: string | null, usage: 'off_session' | 'on_session') {
  const id = newId('seti')
  return {
    id,
    object: 'setup_intent' as const,
    ...noSetupIntentExtras,
    allowed_payment_method_types: null as 'card'[] | null,
    automatic_payment_methods: null as { allow_redirects: 'always' | 'never'; enabled: boolean } | null,
    client_secret: `${id}_secret_${randomText(25)}`,
    created: now,
    customer,
    description: null as string | null,
    last_setup_error: null as ErrorBody | null,
    livemode: false,
    metadata: {} as Record<string, string>,
    next_action: null as NextAction | null,
    payment_method: null as string | null,
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' as const },
    },
    payment_method_types: ['card'] as ('card' | 'link')[],
    status: 'requires_payment_method' as Exclude<PaymentIntentStatus, 'canceled'>,
    usage,
  }
}

export type SetupIntent = ReturnType<typeof newSetupIntent>
