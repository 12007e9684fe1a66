import { listOf, randomText } from '../basics.ts'
import { blank } from './blank.ts'
import type { Invoice } from './invoice.ts'
import { includedTaxes, sumOf, type Tax } from './tax.ts'

type CreditNoteInput = {
  now: number
  invoice: Invoice
  amount: number
  refunds: { refund: string; amount_refunded: number }[]
  tax: Tax | null
  earlierNoteCount: number
}

export function newCreditNote({ now, invoice, amount, refunds, tax, earlierNoteCount }: CreditNoteInput) {
  const base = blank('credit_note', 'cn')
  const secret = randomText(40)
  const behavior = invoice.total_taxes[0]?.tax_behavior ?? 'inclusive'
  const taxes = includedTaxes(amount, tax, behavior)
  const untaxed = amount - sumOf(taxes)
  const subtotal = behavior === 'exclusive' ? untaxed : amount
  const line = {
    ...blank('credit_note_line_item', 'cnli'),
    amount: subtotal,
    description: 'Refund',
    taxes,
    unit_amount: subtotal,
    unit_amount_decimal: String(subtotal),
  }
  return {
    ...base,
    amount,
    created: now,
    currency: invoice.currency,
    customer: invoice.customer,
    effective_at: now,
    invoice: invoice.id,
    lines: listOf(`/v1/credit_notes/${base.id}/lines`, [line]),
    number: `${invoice.number}-CN-${String(earlierNoteCount + 1).padStart(2, '0')}`,
    pdf: `/_sandbox/credit-notes/${base.id}/${secret}/pdf`,
    post_payment_amount: amount,
    refunds: refunds.map((refund) => ({ ...refund, payment_record_refund: null, type: 'refund' as const })),
    subtotal,
    subtotal_excluding_tax: untaxed,
    total: amount,
    total_excluding_tax: untaxed,
    total_taxes: taxes,
    $sandbox: { secret },
  }
}

export type CreditNote = ReturnType<typeof newCreditNote>
