import { newId } from '../identifiers.ts'
import type { PaymentIntent } from './intent.ts'
import type { PaymentMethod } from './payment-method.ts'

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
  amount: intent.amount,
  amount_captured: failure ? 0 : intent.amount,
  amount_refunded: 0,
  application: null,
  application_fee: null,
  application_fee_amount: null,
  balance_transaction: null,
  billing_details: method.billing_details,
  calculated_statement_descriptor: 'SANDBOX',
  captured: !failure,
  created: now,
  currency: intent.currency,
  customer: intent.customer,
  description: intent.description,
  disputed: false,
  failure_balance_transaction: null,
  failure_code: failure?.code ?? null,
  failure_message: failure?.message ?? null,
  fraud_details: {},
  livemode: false,
  metadata: {} as Record<string, string>,
  on_behalf_of: null,
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
      amount_authorized: failure ? null : intent.amount,
      authorization_code: null,
      brand: method.card.brand,
      checks: method.card.checks,
      country: method.card.country,
      electronic_commerce_indicator: null,
      exp_month: method.card.exp_month,
      exp_year: method.card.exp_year,
      fingerprint: method.card.fingerprint,
      funding: method.card.funding,
      installments: null,
      last4: method.card.last4,
      mandate: null,
      network: method.card.brand,
      network_token: { used: false },
      network_transaction_id: null,
      regulated_status: method.card.regulated_status,
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
    type: 'card' as const,
  },
  receipt_email: null,
  receipt_number: null,
  receipt_url: null,
  refunded: false,
  review: null,
  shipping: null,
  source: null,
  source_transfer: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: failure ? ('failed' as const) : ('succeeded' as const),
  transfer_data: null,
  transfer_group: null,
  $sandbox: { dispute_at: disputeAt },
})

export type Charge = ReturnType<typeof newCharge>

type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

export const newRefund = (now: number, charge: Charge, amount: number, reason: RefundReason | null) => ({
  id: newId('re'),
  object: 'refund' as const,
  amount,
  balance_transaction: null,
  charge: charge.id,
  created: now,
  currency: charge.currency,
  customer: charge.customer,
  customer_account: null,
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
  receipt_number: null,
  source_transfer_reversal: null,
  status: 'succeeded' as 'pending' | 'succeeded' | 'failed',
  transfer_reversal: null,
  /** When the bank has its final say. */
  $sandbox: { settles_at: null as number | null } as { settles_at: number | null } | undefined,
})

export type Refund = ReturnType<typeof newRefund>

const noEvidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}

export const newDispute = (now: number, charge: Charge) => ({
  id: newId('du'),
  object: 'dispute' as const,
  amount: charge.amount - charge.amount_refunded,
  balance_transactions: [],
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
  status: 'needs_response' as 'needs_response' | 'won' | 'lost',
  $sandbox: { customer: charge.customer },
})

export type Dispute = ReturnType<typeof newDispute>
