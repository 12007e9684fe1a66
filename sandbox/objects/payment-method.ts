import { createHash } from 'node:crypto'
import type { Card } from '../billing/cards.ts'
import { newId } from '../identifiers.ts'
import type { Address } from './customer.ts'

export type BillingDetails = {
  address: Address | null
  email: string | null
  name: string | null
  phone: string | null
  tax_id: null
}

type Given = { now: number; card: Card; billing?: BillingDetails }

const noDetails: BillingDetails = { address: null, email: null, name: null, phone: null, tax_id: null }

/** The card number itself is not kept, only what the sandbox needs to know about it. */
export const newPaymentMethod = ({ now, card, billing = noDetails }: Given) => ({
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
