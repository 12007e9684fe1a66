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

/** Wallets are active only on public domains, because Apple and Google check the domain. */
function walletStatus(domain: string) {
  const isPublic = !/^(localhost|127\.|.*\.(local|test|example|invalid)$)/.test(domain)
  if (isPublic) return { status: 'active' as const }
  const error_message = `${domain} could not be verified: it is not reachable.`
  return { status: 'inactive' as const, status_details: { error_message } }
}

export const newPaymentMethodDomain = (now: number, domain: string) => ({
  ...blank('payment_method_domain', 'pmd'),
  ...Object.fromEntries(wallets.map((name) => [name, walletStatus(domain)])),
  created: now,
  domain_name: domain,
  enabled: true as boolean,
})

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

/** Id of the customer whose row is locked while this object changes. */
export function ownerOf(stored: StoredObject): string | null {
  if (stored.object === 'customer') return stored.id
  if (stored.object === 'invoice_payment' || stored.object === 'dispute') return stored.$sandbox.customer
  return 'customer' in stored ? stored.customer : null
}

const incompleteLifetimeSeconds = 23 * 3600

function invoiceDueAt({ status, auto_advance: isAutomatic, collection_method: method, ...invoice }: Invoice) {
  if (status === 'draft') return isAutomatic ? invoice.automatically_finalizes_at : null
  if (status !== 'open') return null
  if (method === 'charge_automatically') return invoice.next_payment_attempt
  return invoice.$sandbox.isOverdue ? null : invoice.due_date
}

/** Seconds since 1970 when the sandbox must act on the object; null for never. */
export function dueAt(stored: StoredObject): number | null {
  if (stored.object === 'subscription') {
    if (stored.status === 'incomplete') return stored.created + incompleteLifetimeSeconds
    if (!['trialing', 'active', 'past_due'].includes(stored.status)) return null
    const end = stored.items.data[0]?.current_period_end ?? null
    const scheduledTimes = [
      stored.cancel_at,
      stored.pending_update?.expires_at,
      stored.pause_collection?.resumes_at,
    ].filter((at) => typeof at === 'number')
    return end === null ? null : Math.min(end, ...scheduledTimes)
  }
  if (stored.object === 'invoice') return invoiceDueAt(stored)
  if (stored.object === 'payment_intent' || stored.object === 'refund') return stored.$sandbox?.settles_at ?? null
  if (stored.object === 'balance_transaction') return stored.$sandbox.due_at
  if (stored.object === 'charge') return stored.disputed ? null : stored.$sandbox.dispute_at
  return null
}
