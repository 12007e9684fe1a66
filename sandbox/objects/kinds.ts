import { newId } from '../basics.ts'
import type { PaymentMethodDomain, WebhookEndpoint } from './account.ts'
import type { Coupon, Discount, Price, Product } from './catalog.ts'
import type { Charge, Dispute, FraudWarning, Refund } from './charge.ts'
import type { Customer, DeletedCustomer, PaymentMethod } from './customer.ts'
import type { PaymentIntent, SetupIntent } from './intent.ts'
import type { CreditNote, Invoice, InvoicePayment } from './invoice.ts'
import type { Subscription } from './subscription.ts'
import type { DeletedTaxId, TaxId, TaxRate } from './tax.ts'

export const newTestClock = (now: number, name: string | null, frozenTime: number) => ({
  id: newId('clock'),
  object: 'test_helpers.test_clock' as const,
  created: now,
  deletes_after: now + 30 * 86_400,
  frozen_time: frozenTime,
  livemode: false,
  name,
  status: 'ready' as 'ready' | 'advancing',
  status_details: {} as { advancing?: { target_frozen_time: number } },
})

export type TestClock = ReturnType<typeof newTestClock>

/** Everything the sandbox stores, by the name in its own `object` field. */
export type Kinds = {
  charge: Charge
  coupon: Coupon
  credit_note: CreditNote
  customer: Customer | DeletedCustomer
  discount: Discount
  dispute: Dispute
  invoice: Invoice
  invoice_payment: InvoicePayment
  payment_intent: PaymentIntent
  payment_method: PaymentMethod
  payment_method_domain: PaymentMethodDomain
  price: Price
  product: Product
  'radar.early_fraud_warning': FraudWarning
  refund: Refund
  setup_intent: SetupIntent
  subscription: Subscription
  tax_id: TaxId | DeletedTaxId
  tax_rate: TaxRate
  'test_helpers.test_clock': TestClock
  webhook_endpoint: WebhookEndpoint
}

export type Kind = keyof Kinds
export type Kept = Kinds[Kind]

/** The customer whose row is locked while this object changes. */
export function ownerOf(kept: Kept): string | null {
  if (kept.object === 'customer') return kept.id
  if (kept.object === 'invoice_payment' || kept.object === 'dispute') return kept.$sandbox.customer
  return 'customer' in kept ? kept.customer : null
}

const incompleteLifetime = 23 * 3600

/** When the sandbox must act on this object on its own. */
export function dueAt(kept: Kept): number | null {
  if (kept.object === 'subscription') {
    if (kept.status === 'incomplete') return kept.created + incompleteLifetime
    if (!['trialing', 'active', 'past_due'].includes(kept.status)) return null
    const end = kept.items.data[0]?.current_period_end ?? null
    const sooner = [kept.cancel_at, kept.pending_update?.expires_at].filter((at) => typeof at === 'number')
    return end === null ? null : Math.min(end, ...sooner)
  }
  if (kept.object === 'invoice') return kept.status === 'open' ? kept.next_payment_attempt : null
  if (kept.object === 'payment_intent' || kept.object === 'refund') return kept.$sandbox?.settles_at ?? null
  if (kept.object === 'charge') return kept.disputed ? null : kept.$sandbox.dispute_at
  return null
}
