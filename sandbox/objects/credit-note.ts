import { newId, randomText } from '../identifiers.ts'
import type { Invoice } from './invoice.ts'
import { listOf } from './list.ts'
import { type Tax, taxesOn } from './tax.ts'

type Given = {
  now: number
  invoice: Invoice
  amount: number
  refunds: { refund: string; amount_refunded: number }[]
  tax: Tax | null
  /** How many there are for this invoice already. */
  before: number
}

/** For money that went back after an invoice was paid. */
export function newCreditNote({ now, invoice, amount, refunds, tax, before }: Given) {
  const id = newId('cn')
  const secret = randomText(40)
  const taxes = taxesOn(amount, tax)
  const untaxed = amount - taxes.reduce((sum, each) => sum + each.amount, 0)
  const line = {
    id: newId('cnli'),
    object: 'credit_note_line_item' as const,
    amount,
    description: 'Refund',
    discount_amount: 0,
    discount_amounts: [],
    livemode: false,
    metadata: {},
    pretax_credit_amounts: [],
    quantity: 1,
    tax_rates: [],
    taxes,
    type: 'custom_line_item' as const,
    unit_amount: amount,
    unit_amount_decimal: String(amount),
  }
  return {
    id,
    object: 'credit_note' as const,
    amount,
    amount_shipping: 0,
    created: now,
    currency: invoice.currency,
    customer: invoice.customer,
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: now,
    invoice: invoice.id,
    lines: listOf(`/v1/credit_notes/${id}/lines`, [line]),
    livemode: false,
    memo: null,
    metadata: {} as Record<string, string>,
    number: `${invoice.number}-CN-${String(before + 1).padStart(2, '0')}`,
    out_of_band_amount: null,
    pdf: `/_sandbox/credit-notes/${id}/${secret}/pdf`,
    post_payment_amount: amount,
    pre_payment_amount: 0,
    pretax_credit_amounts: [],
    reason: null,
    refunds: refunds.map((each) => ({ ...each, payment_record_refund: null, type: 'refund' as const })),
    shipping_cost: null,
    status: 'issued' as const,
    subtotal: amount,
    subtotal_excluding_tax: untaxed,
    total: amount,
    total_excluding_tax: untaxed,
    total_taxes: taxes,
    type: 'post_payment' as const,
    voided_at: null,
    $sandbox: { secret },
  }
}

export type CreditNote = ReturnType<typeof newCreditNote>
