import { createHash } from 'node:crypto'
import { empty, newId, randomText } from '../basics.ts'
import type { Card } from '../billing/cards.ts'
import type { Discount } from './catalog.ts'

const noCustomerExtras = empty('customer_account default_source shipping')

export type Address = Record<'city' | 'country' | 'line1' | 'line2' | 'postal_code' | 'state', string | null>
export const newCustomer = (now: number, testClock: string | null) => ({
  id: newId('cus'),
  object: 'customer' as const,
  ...noCustomerExtras,
  address: null as Address | null,
  balance: 0,
  created: now,
  currency: null as string | null,
  delinquent: false,
  description: null as string | null,
  discount: null as Discount | null,
  email: null as string | null,
  invoice_prefix: randomText(8).toUpperCase(),
  invoice_settings: {
    custom_fields: null,
    default_payment_method: null as string | null,
    footer: null as string | null,
    rendering_options: null,
  },
  livemode: false,
  metadata: {} as Record<string, string>,
  name: null as string | null,
  next_invoice_sequence: 1,
  phone: null as string | null,
  preferred_locales: [] as string[],
  tax_exempt: 'none' as const,
  test_clock: testClock,
})

export type Customer = ReturnType<typeof newCustomer>

/** What is left of a customer, for anyone who still knows its id. */
export const deletedCustomer = (id: string) => ({ id, object: 'customer' as const, deleted: true as const })

export type DeletedCustomer = ReturnType<typeof deletedCustomer>

export type BillingDetails = {
  address: Address | null
  email: string | null
  name: string | null
  phone: string | null
  tax_id: null
}

const noDetails: BillingDetails = { address: null, email: null, name: null, phone: null, tax_id: null }

/** The card number itself is not kept, only what the sandbox needs to know about it. */
export const newPaymentMethod = (now: number, card: Card, billing = noDetails) => ({
  id: newId('pm'),
  object: 'payment_method' as const,
  allow_redisplay: 'limited' as const,
  billing_details: billing,
  card: {
    brand: card.brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: 'US',
    display_brand: card.brand,
    exp_month: card.month,
    exp_year: card.year,
    fingerprint: createHash('sha256').update(card.number).digest('base64url').slice(0, 16),
    funding: 'credit',
    generated_from: null,
    last4: card.number.slice(-4),
    networks: { available: [card.brand], preferred: null },
    regulated_status: 'unregulated' as const,
    three_d_secure_usage: { supported: true },
    wallet: null,
  },
  created: now,
  customer: null as string | null,
  customer_account: null,
  livemode: false,
  metadata: {} as Record<string, string>,
  type: 'card' as const,
  $sandbox: { behaviour: card.behaviour, authenticated: false },
})

export type PaymentMethod = ReturnType<typeof newPaymentMethod>
