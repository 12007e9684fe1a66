import { day, randomText } from '../basics.ts'
import type { Decline } from '../billing/cards.ts'
import type { ErrorBody } from '../failure.ts'
import type { BalanceTransaction } from './balance.ts'
import { blank, blankPart } from './blank.ts'
import type { PaymentMethod } from './customer.ts'

export type IntentStatus = 'canceled' | 'requires_action' | 'requires_payment_method' | 'succeeded'

export const threeDSecure = (source: string) => ({
  type: 'use_stripe_sdk' as const,
  use_stripe_sdk: { type: 'three_d_secure_redirect', source },
})
type NextAction = ReturnType<typeof threeDSecure>

type PaymentIntentInput = { now: number; amount: number; currency: string; customer: string; description: string }

export function newPaymentIntent({ now, ...fields }: PaymentIntentInput) {
  const base = blank('payment_intent', 'pi')
  return {
    ...base,
    ...fields,
    amount_received: 0,
    cancellation_reason: null as 'void_invoice' | null,
    client_secret: `${base.id}_secret_${randomText(25)}`,
    created: now,
    last_payment_error: null as ErrorBody | null,
    next_action: null as NextAction | null,
    status: 'requires_payment_method' as IntentStatus,
    $sandbox: { settles_at: null } as { settles_at: number | null } | undefined,
  }
}

export type PaymentIntent = ReturnType<typeof newPaymentIntent>

export function newSetupIntent(now: number, customer: string, usage: 'off_session' | 'on_session') {
  const base = blank('setup_intent', 'seti')
  return {
    ...base,
    allowed_payment_method_types: null as 'card'[] | null,
    client_secret: `${base.id}_secret_${randomText(25)}`,
    created: now,
    customer,
    last_setup_error: null as ErrorBody | null,
    next_action: null as NextAction | null,
    payment_method_types: ['card'] as ('card' | 'link')[],
    status: 'requires_payment_method' as Exclude<IntentStatus, 'canceled'>,
    usage,
  }
}

export type SetupIntent = ReturnType<typeof newSetupIntent>

type ChargeInput = {
  now: number
  intent: PaymentIntent
  method: PaymentMethod
  failure: Decline | null
  disputeAt: number | null
}

export function newCharge({ now, intent, method, failure, disputeAt }: ChargeInput) {
  const { brand, exp_month, exp_year, fingerprint, last4 } = method.card
  return {
    ...blank('charge', 'ch'),
    amount: intent.amount,
    amount_captured: failure ? 0 : intent.amount,
    amount_refunded: 0,
    billing_details: method.billing_details,
    captured: !failure,
    created: now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    outcome: {
      ...blankPart('charge.outcome'),
      network_status: failure ? 'declined_by_network' : 'approved_by_network',
      reason: failure?.declineCode ?? null,
      seller_message: failure ? 'The bank declined this payment.' : 'Payment complete.',
      type: failure ? 'issuer_declined' : 'authorized',
    },
    paid: !failure,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: {
      card: {
        ...blankPart('charge.card'),
        amount_authorized: failure ? null : intent.amount,
        brand,
        exp_month,
        exp_year,
        fingerprint,
        last4,
        network: brand,
      },
      type: 'card' as const,
    },
    refunded: false,
    status: failure ? ('failed' as const) : ('succeeded' as const),
    $sandbox: { dispute_at: disputeAt },
  }
}

export type Charge = ReturnType<typeof newCharge>

type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

export const newRefund = (now: number, charge: Charge, amount: number, reason: RefundReason | null) => ({
  ...blank('refund', 're'),
  amount,
  charge: charge.id,
  created: now,
  currency: charge.currency,
  customer: charge.customer,
  failure_reason: undefined as string | undefined,
  payment_intent: charge.payment_intent,
  payment_method: charge.payment_method,
  reason,
  status: 'succeeded' as 'pending' | 'succeeded' | 'failed',
  /** Seconds since 1970 when a delayed refund succeeds or fails. */
  $sandbox: { settles_at: null } as { settles_at: number | null } | undefined,
})

export type Refund = ReturnType<typeof newRefund>

export type DisputeStatus =
  | 'warning_needs_response'
  | 'warning_under_review'
  | 'warning_closed'
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'
  | 'prevented'
  | 'appeal_needs_response'
  | 'appeal_under_review'

/** `evidenceTexts` contain text, `evidenceFiles` the id of a file. */
export const evidenceTexts =
  'access_activity_log billing_address cancellation_policy_disclosure cancellation_rebuttal customer_email_address customer_name customer_purchase_ip duplicate_charge_explanation duplicate_charge_id product_description refund_policy_disclosure refund_refusal_explanation service_date uncategorized_text'.split(
    ' ',
  )
export const evidenceFiles =
  'cancellation_policy customer_communication customer_signature duplicate_charge_documentation receipt refund_policy service_documentation uncategorized_file'.split(
    ' ',
  )

const blankEvidenceDetails = blankPart('dispute.evidence_details') as { submission_count: number }

type Upload = { name: string; type: string; data: string }

export const newFile = (now: number, purpose: 'dispute_evidence', { name, data }: Upload) => ({
  ...blank('file', 'file'),
  created: now,
  filename: name,
  purpose,
  size: Buffer.byteLength(data, 'base64'),
  $sandbox: { data },
})

export type File = ReturnType<typeof newFile>

type DisputeReason = 'fraudulent' | 'subscription_canceled' | 'product_not_received' | 'duplicate'

export function newDispute(
  now: number,
  charge: Charge,
  status: DisputeStatus,
  withdrawals: BalanceTransaction[],
  reason: DisputeReason = 'fraudulent',
) {
  const { brand } = charge.payment_method_details.card
  const isInquiry = status === 'warning_needs_response'
  return {
    ...blank('dispute', 'du'),
    is_charge_refundable: isInquiry,
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: withdrawals,
    charge: charge.id,
    created: now,
    currency: charge.currency,
    evidence: blankPart('dispute.evidence') as Record<string, unknown>,
    evidence_details: { ...blankEvidenceDetails, due_by: now + 7 * day },
    payment_intent: charge.payment_intent,
    reason,
    payment_method_details: { card: { ...blankPart('dispute.card'), brand, network: brand }, type: 'card' as const },
    status,
    $sandbox: { customer: charge.customer },
  }
}

export type Dispute = ReturnType<typeof newDispute>

export const newFraudWarning = (now: number, charge: Charge) => ({
  ...blank('radar.early_fraud_warning', 'issfr'),
  charge: charge.id,
  created: now,
  payment_intent: charge.payment_intent,
})

export type FraudWarning = ReturnType<typeof newFraudWarning>
