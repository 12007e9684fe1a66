import type { BalanceTransaction, Payout } from './balance.ts'
import { blank } from './blank.ts'
import type { Coupon, Discount, Price, Product } from './catalog.ts'
import type { CreditNote } from './credit-note.ts'
import type { Customer, Deleted, PaymentMethod, TaxId } from './customer.ts'
import type { Invoice, InvoiceItem, InvoicePayment } from './invoice.ts'
import type { Charge, Dispute, File, FraudWarning, PaymentIntent, Refund, SetupIntent } from './payment.ts'
import type { Subscription, SubscriptionSchedule } from './subscription.ts'
import type { TaxRate } from './tax.ts'

export const newTestClock = (now: number, name: string | null, frozenTime: number) => ({
  ...blank('test_helpers.test_clock', 'clock'),
  created: now,
  deletes_after: now + 30 * 86_400,
  frozen_time: frozenTime,
  name,
  status: 'ready' as 'ready' | 'advancing',
  status_details: {} as { advancing?: { target_frozen_time: number } },
})

export const newWebhookEndpoint = (now: number, url: string, events: string[]) => ({
  ...blank('webhook_endpoint', 'we'),
  api_version: null as string | null,
  created: now,
  enabled_events: events,
  status: 'enabled' as 'enabled' | 'disabled',
  url,
})

const wallets = ['amazon_pay', 'apple_pay', 'google_pay', 'klarna', 'link', 'paypal']

/** A page that is not public has no wallets: Apple and Google check the domain themselves. */
const walletOn = (domain: string) =>
  /^(localhost|127\.|.*\.(local|test|example|invalid)$)/.test(domain)
    ? {
        status: 'inactive' as const,
        status_details: { error_message: `${domain} could not be verified: it is not reachable.` },
      }
    : { status: 'active' as const }

export const newPaymentMethodDomain = (now: number, domain: string) => ({
  ...blank('payment_method_domain', 'pmd'),
  ...Object.fromEntries(wallets.map((name) => [name, walletOn(domain)])),
  created: now,
  domain_name: domain,
  enabled: true as boolean,
})

/** Everything the sandbox stores, by the name in its own `object` field. */
export type Kinds = {
  balance_transaction: BalanceTransaction
  charge: Charge
  coupon: Coupon
  credit_note: CreditNote
  customer: Customer | Deleted<'customer'>
  discount: Discount
  dispute: Dispute
  file: File
  invoice: Invoice
  invoiceitem: InvoiceItem
  invoice_payment: InvoicePayment
  payment_intent: PaymentIntent
  payment_method: PaymentMethod
  payment_method_domain: ReturnType<typeof newPaymentMethodDomain>
  payout: Payout
  price: Price
  product: Product
  'radar.early_fraud_warning': FraudWarning
  refund: Refund
  setup_intent: SetupIntent
  subscription: Subscription
  subscription_schedule: SubscriptionSchedule
  tax_id: TaxId | Deleted<'tax_id'>
  tax_rate: TaxRate
  'test_helpers.test_clock': ReturnType<typeof newTestClock>
  webhook_endpoint: ReturnType<typeof newWebhookEndpoint>
}

export type Kind = keyof Kinds
export type StoredObject = Kinds[Kind]

/** The customer whose row is locked while this object changes. */
export function ownerOf(kept: StoredObject): string | null {
  if (kept.object === 'customer') return kept.id
  if (kept.object === 'invoice_payment' || kept.object === 'dispute') return kept.$sandbox.customer
  return 'customer' in kept ? kept.customer : null
}

const incompleteLifetime = 23 * 3600

/** Next due time of an invoice: a draft is finalized, an open one charged, a sent one becomes overdue. */
function invoiceDueAt({ status, auto_advance: advances, collection_method: method, ...invoice }: Invoice) {
  if (status === 'draft') return advances ? invoice.automatically_finalizes_at : null
  if (status !== 'open') return null
  if (method === 'charge_automatically') return invoice.next_payment_attempt
  return invoice.$sandbox.isOverdue ? null : invoice.due_date
}

/** When the sandbox must act on this object on its own. */
export function dueAt(kept: StoredObject): number | null {
  if (kept.object === 'subscription') {
    if (kept.status === 'incomplete') return kept.created + incompleteLifetime
    if (!['trialing', 'active', 'past_due'].includes(kept.status)) return null
    const end = kept.items.data[0]?.current_period_end ?? null
    const sooner = [kept.cancel_at, kept.pending_update?.expires_at, kept.pause_collection?.resumes_at].filter(
      (at) => typeof at === 'number',
    )
    return end === null ? null : Math.min(end, ...sooner)
  }
  if (kept.object === 'invoice') return invoiceDueAt(kept)
  if (kept.object === 'payment_intent' || kept.object === 'refund') return kept.$sandbox?.settles_at ?? null
  if (kept.object === 'balance_transaction') return kept.$sandbox.due_at
  if (kept.object === 'charge') return kept.disputed ? null : kept.$sandbox.dispute_at
  return null
}
