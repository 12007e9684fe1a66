import { createHash } from 'node:crypto'
import { randomText } from '../basics.ts'
import type { Card } from '../billing/cards.ts'
import { blank, blankPart } from './blank.ts'
import type { Discount } from './catalog.ts'

export type Address = Record<'city' | 'country' | 'line1' | 'line2' | 'postal_code' | 'state', string | null>

export const newCustomer = (now: number, testClock: string | null) => ({
  ...blank('customer', 'cus'),
  address: null as Address | null,
  created: now,
  discount: null as Discount | null,
  invoice_prefix: randomText(8).toUpperCase(),
  invoice_settings: {
    ...blankPart('customer.invoice_settings'),
    default_payment_method: null as string | null,
    footer: null as string | null,
  },
  next_invoice_sequence: 1,
  test_clock: testClock,
})

export type Customer = ReturnType<typeof newCustomer>

/** Stripe's answer in place of a deleted object. */
export const deletedObject = <K extends 'customer' | 'tax_id'>(object: K, id: string) => ({
  id,
  object,
  deleted: true as const,
})

export type Deleted<K extends 'customer' | 'tax_id'> = ReturnType<typeof deletedObject<K>>

export type BillingDetails = {
  address: Address | null
  email: string | null
  name: string | null
  phone: string | null
  tax_id: null
}

const noDetails: BillingDetails = { address: null, email: null, name: null, phone: null, tax_id: null }

/** Stores no card number: only its last four digits, a hash and the test card's behavior. */
export const newPaymentMethod = (now: number, card: Card, billing = noDetails) => ({
  ...blank('payment_method', 'pm'),
  billing_details: billing,
  card: {
    ...blankPart('payment_method.card'),
    brand: card.brand,
    display_brand: card.brand,
    exp_month: card.month,
    exp_year: card.year,
    fingerprint: createHash('sha256').update(card.number).digest('base64url').slice(0, 16),
    last4: card.number.slice(-4),
    networks: { available: [card.brand], preferred: null },
  },
  created: now,
  $sandbox: { behaviour: card.behaviour, authenticated: false },
})

export type PaymentMethod = ReturnType<typeof newPaymentMethod>

export type TaxIdType = 'eu_vat' | 'ch_vat' | 'gb_vat'

export const newTaxId = (now: number, customer: string, type: TaxIdType, value: string) => ({
  ...blank('tax_id', 'txi'),
  country: value.slice(0, 2),
  created: now,
  customer,
  owner: { customer, customer_account: null, type: 'customer' as const },
  type,
  value,
})

export type TaxId = ReturnType<typeof newTaxId>
