import { empty, newId } from '../basics.ts'
import type { PaymentMethod } from './customer.ts'
import type { PaymentIntent } from './intent.ts'

const noCardExtras = {
  ...empty('authorization_code electronic_commerce_indicator installments mandate network_transaction_id'),
  ...empty('three_d_secure transaction_link_id wallet'),
}
const noChargeExtras = {
  ...empty('application application_fee application_fee_amount balance_transaction'),
  ...empty('failure_balance_transaction on_behalf_of receipt_email receipt_number receipt_url review'),
  ...empty('shipping source source_transfer statement_descriptor statement_descriptor_suffix transfer_data'),
  ...empty('transfer_group'),
}
const noRefundExtras = empty(
  'balance_transaction customer_account receipt_number source_transfer_reversal transfer_reversal',
)
const blankEvidence = {
  ...empty('access_activity_log billing_address cancellation_policy cancellation_policy_disclosure'),
  ...empty('cancellation_rebuttal customer_communication customer_email_address customer_name'),
  ...empty('customer_purchase_ip customer_signature duplicate_charge_documentation'),
  ...empty('duplicate_charge_explanation duplicate_charge_id product_description receipt refund_policy'),
  ...empty('refund_policy_disclosure refund_refusal_explanation service_date service_documentation'),
  ...empty('shipping_address shipping_carrier shipping_date shipping_documentation shipping_tracking_number'),
  ...empty('uncategorized_file uncategorized_text'),
}

type Given = {
  now: number
  intent: PaymentIntent
  method: PaymentMethod
  failure: { code: string; message: string; declineCode: string | null } | null
  disputeAt: number | null
}

export const newCharge = ({ now, intent, method, failure, disputeAt }: Given) => ({
  id: newId('ch'),
  object: 'charge' as const,
  ...noChargeExtras,
  amount: intent.amount,
  amount_captured: failure ? 0 : intent.amount,
  amount_refunded: 0,
  billing_details: method.billing_details,
  calculated_statement_descriptor: 'SANDBOX',
  captured: !failure,
  created: now,
  currency: intent.currency,
  customer: intent.customer,
  description: intent.description,
  disputed: false,
  failure_code: failure?.code ?? null,
  failure_message: failure?.message ?? null,
  fraud_details: {},
  livemode: false,
  metadata: {} as Record<string, string>,
  outcome: {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: failure ? 'declined_by_network' : 'approved_by_network',
    reason: failure?.declineCode ?? null,
    risk_level: 'normal',
    risk_score: 20,
    seller_message: failure ? 'The bank declined this payment.' : 'Payment complete.',
    type: failure ? 'issuer_declined' : 'authorized',
  },
  paid: !failure,
  payment_intent: intent.id,
  payment_method: method.id,
  payment_method_details: {
    card: {
      ...noCardExtras,
      amount_authorized: failure ? null : intent.amount,
      brand: method.card.brand,
      checks: method.card.checks,
      country: method.card.country,
      exp_month: method.card.exp_month,
      exp_year: method.card.exp_year,
      fingerprint: method.card.fingerprint,
      funding: method.card.funding,
      last4: method.card.last4,
      network: method.card.brand,
      network_token: { used: false },
      regulated_status: method.card.regulated_status,
    },
    type: 'card' as const,
  },
  refunded: false,
  status: failure ? ('failed' as const) : ('succeeded' as const),
  $sandbox: { dispute_at: disputeAt },
})

export type Charge = ReturnType<typeof newCharge>

type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

export const newRefund = (now: number, charge: Charge, amount: number, reason: RefundReason | null) => ({
  id: newId('re'),
  object: 'refund' as const,
  ...noRefundExtras,
  amount,
  charge: charge.id,
  created: now,
  currency: charge.currency,
  customer: charge.customer,
  destination_details: {
    card: {
      reference_status: 'pending',
      reference_type: 'acquirer_reference_number',
      type: 'refund' as const,
    },
    type: 'card',
  },
  failure_reason: undefined as string | undefined,
  metadata: {} as Record<string, string>,
  payment_intent: charge.payment_intent,
  payment_method: charge.payment_method,
  reason,
  status: 'succeeded' as 'pending' | 'succeeded' | 'failed',
  /** When the bank has its final say. */
  $sandbox: { settles_at: null as number | null } as { settles_at: number | null } | undefined,
})

export type Refund = ReturnType<typeof newRefund>

const noEvidence = {
  ...blankEvidence,
  enhanced_evidence: {},
}

export type DisputeStatus =
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'
  | 'prevented'
  | 'appeal_needs_response'
  | 'appeal_under_review'

/** Money that a dispute takes, or gives back. */
export const moved = (
  now: number,
  { id: source, currency }: { id: string; currency: string },
  amount: number,
) => ({
  id: newId('txn'),
  object: 'balance_transaction' as const,
  amount,
  available_on: now,
  balance_type: 'payments' as const,
  created: now,
  currency,
  description: null,
  exchange_rate: null,
  fee: 0,
  fee_details: [],
  net: amount,
  reporting_category: amount < 0 ? 'dispute' : 'dispute_reversal',
  source,
  status: 'available',
  type: 'adjustment' as const,
})

export const newDispute = (now: number, charge: Charge) => ({
  id: newId('du'),
  object: 'dispute' as const,
  amount: charge.amount - charge.amount_refunded,
  balance_transactions: [moved(now, charge, charge.amount_refunded - charge.amount)],
  charge: charge.id,
  created: now,
  currency: charge.currency,
  enhanced_eligibility_types: [],
  evidence: noEvidence,
  evidence_details: {
    due_by: now + 7 * 86_400,
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_count: 0,
    submission_method: 'not_submitted' as const,
  },
  intended_submission_method: null,
  is_charge_refundable: false,
  livemode: false,
  metadata: {} as Record<string, string>,
  network_reason_code: '10.4',
  payment_intent: charge.payment_intent,
  payment_method_details: {
    card: {
      brand: charge.payment_method_details.card.brand,
      case_type: 'chargeback' as const,
      network: charge.payment_method_details.card.brand,
      network_reason_code: '10.4',
    },
    type: 'card' as const,
  },
  reason: 'fraudulent',
  status: 'needs_response' as DisputeStatus,
  $sandbox: { customer: charge.customer },
})

export type Dispute = ReturnType<typeof newDispute>

/** The card's bank suspects fraud; nothing has happened yet. */
export const newFraudWarning = (now: number, charge: Charge) => ({
  id: newId('issfr'),
  object: 'radar.early_fraud_warning' as const,
  actionable: true,
  charge: charge.id,
  created: now,
  fraud_type: 'unauthorized_use_of_card',
  livemode: false,
  payment_intent: charge.payment_intent,
})

export type FraudWarning = ReturnType<typeof newFraudWarning>
