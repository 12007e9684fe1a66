import { listOf, randomText } from '../basics.ts'
import { blank } from './blank.ts'
import type { Customer, TaxId } from './customer.ts'
import type { Subscription, SubscriptionItem } from './subscription.ts'

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
type Reason = 'subscription_create' | 'subscription_cycle' | 'subscription_update'
type Period = { start: number; end: number }

const dollars = (cents: number, currency: string) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)

/** What one line of an invoice is about: a whole period, or the rest of one at another price or quantity. */
export type Entry = { item: SubscriptionItem; period: Period; amount: number; isProration: boolean }

export type Cut = { discount: string; of: (amount: number) => number }

type LineGiven = { invoice: string; subscription: Subscription; product: string; tax: Tax | null; cuts: Cut[] }

const newLine = (entry: Entry, { invoice, subscription, product, tax, cuts }: LineGiven) => {
  const { item, period, amount, isProration } = entry
  const discountAmounts = isProration ? [] : cuts.map(({ discount, of }) => ({ amount: of(amount), discount }))
  const net = amount - sumOf(discountAmounts)
  return {
    ...blank('line_item', 'il'),
    amount,
    currency: item.price.currency,
    description: isProration
      ? `${amount < 0 ? 'Unused' : 'Remaining'} time on ${item.quantity} × ${product}`
      : `${item.quantity} × ${product} (at ${dollars(item.price.unit_amount, item.price.currency)} / ${item.plan.interval})`,
    discount_amounts: discountAmounts,
    discountable: !isProration,
    discounts: discountAmounts.map(({ discount }) => discount),
    invoice,
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: isProration,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: 'subscription_item_details' as const,
    },
    period,
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: 'price_details' as const,
      unit_amount_decimal: item.price.unit_amount_decimal,
    },
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    subscription: subscription.id,
    subtotal: amount,
    taxes: taxesOn(net, tax),
  }
}

const sumOf = (amounts: { amount: number }[]) => amounts.reduce((sum, { amount }) => sum + amount, 0)

type Given = {
  now: number
  customer: Customer
  subscription: Subscription
  productName: (product: string) => string
  entries: Entry[]
  cuts: Cut[]
  reason: Reason
  /** Null without automatic tax. */
  tax: Tax | null
  taxIds: TaxId[]
}

/** A finalized invoice: the sandbox skips the hour that Stripe keeps a renewal's invoice as a draft. */
export function newInvoice(given: Given) {
  const { now, customer, subscription, productName, entries, cuts, reason, tax } = given
  const made = blank('invoice', 'in')
  const about = { invoice: made.id, subscription, tax, cuts }
  const lines = entries.map((entry) => newLine(entry, { ...about, product: productName(entry.item.price.product) }))
  const subtotal = sumOf(lines)
  const discountAmounts = cuts
    .map(({ discount }) => ({
      amount: sumOf(lines.flatMap((line) => line.discount_amounts).filter((each) => each.discount === discount)),
      discount,
    }))
    .filter(({ amount }) => amount > 0)
  const total = subtotal - sumOf(discountAmounts)
  // A credit pays first; what is left of a negative total becomes one.
  const due = Math.max(0, total + customer.balance)
  const totalTaxes = taxesOn(total, tax)
  const untaxed = total - sumOf(totalTaxes)
  const secret = randomText(40)
  const page = `/_sandbox/invoices/${made.id}/${secret}`
  return {
    ...made,
    amount_due: due,
    amount_remaining: due,
    attempted: false,
    auto_advance: reason !== 'subscription_create',
    automatic_tax: {
      disabled_reason: subscription.automatic_tax.disabled_reason && ('finalization_requires_location_inputs' as const),
      enabled: tax !== null,
      liability: tax && { type: 'self' as const },
      provider: tax && 'stripe',
      status: tax && ('complete' as const),
    },
    billing_reason: reason,
    created: now,
    currency: subscription.currency,
    customer: customer.id,
    customer_address: customer.address,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_tax_ids: given.taxIds.map(({ type, value }) => ({ type, value })),
    discounts: discountAmounts.map(({ discount }) => discount),
    effective_at: now,
    ending_balance: total + customer.balance - due,
    footer: customer.invoice_settings.footer,
    hosted_invoice_url: page,
    invoice_pdf: `${page}/pdf`,
    lines: listOf(`/v1/invoices/${made.id}/lines`, lines),
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details' as const,
    },
    period_end: now,
    period_start: reason === 'subscription_cycle' ? (entries[0]?.period.start ?? now) : now,
    post_payment_credit_notes_amount: 0 as number,
    starting_balance: customer.balance,
    status: 'open' as InvoiceStatus,
    status_transitions: {
      finalized_at: now as number | null,
      marked_uncollectible_at: null as number | null,
      paid_at: null as number | null,
      voided_at: null as number | null,
    },
    subtotal,
    subtotal_excluding_tax: subtotal - sumOf(totalTaxes),
    test_clock: customer.test_clock,
    total,
    total_discount_amounts: discountAmounts,
    total_excluding_tax: untaxed,
    total_taxes: totalTaxes,
    webhooks_delivered_at: now,
    $sandbox: { secret, percent: tax?.rate.percentage },
  }
}

export type Invoice = ReturnType<typeof newInvoice>

export const newInvoicePayment = (now: number, invoice: Invoice, intent: string) => ({
  ...blank('invoice_payment', 'inpay'),
  amount_paid: null as number | null,
  amount_requested: invoice.amount_due,
  created: now,
  currency: invoice.currency,
  invoice: invoice.id,
  payment: { payment_intent: intent, type: 'payment_intent' as const },
  status: 'open' as 'open' | 'paid' | 'canceled',
  status_transitions: { canceled_at: null as number | null, paid_at: null as number | null },
  $sandbox: { customer: invoice.customer },
})

export type InvoicePayment = ReturnType<typeof newInvoicePayment>

type Credited = {
  now: number
  invoice: Invoice
  amount: number
  refunds: { refund: string; amount_refunded: number }[]
  tax: Tax | null
  /** How many there are for this invoice already. */
  before: number
}

/** For money that went back after an invoice was paid. */
export function newCreditNote({ now, invoice, amount, refunds, tax, before }: Credited) {
  const made = blank('credit_note', 'cn')
  const secret = randomText(40)
  const taxes = taxesOn(amount, tax)
  const untaxed = amount - sumOf(taxes)
  const line = {
    ...blank('credit_note_line_item', 'cnli'),
    amount,
    description: 'Refund',
    taxes,
    unit_amount: amount,
    unit_amount_decimal: String(amount),
  }
  return {
    ...made,
    amount,
    created: now,
    currency: invoice.currency,
    customer: invoice.customer,
    effective_at: now,
    invoice: invoice.id,
    lines: listOf(`/v1/credit_notes/${made.id}/lines`, [line]),
    number: `${invoice.number}-CN-${String(before + 1).padStart(2, '0')}`,
    pdf: `/_sandbox/credit-notes/${made.id}/${secret}/pdf`,
    post_payment_amount: amount,
    refunds: refunds.map((each) => ({ ...each, payment_record_refund: null, type: 'refund' as const })),
    subtotal: amount,
    subtotal_excluding_tax: untaxed,
    total: amount,
    total_excluding_tax: untaxed,
    total_taxes: taxes,
    $sandbox: { secret },
  }
}

export type CreditNote = ReturnType<typeof newCreditNote>

export const newTaxRate = (now: number, country: string, percentage: number) => ({
  ...blank('tax_rate', 'txr'),
  country,
  created: now,
  display_name: country === 'AU' ? 'GST' : 'VAT',
  effective_percentage: percentage,
  jurisdiction: country,
  percentage,
  tax_type: country === 'AU' ? ('gst' as const) : ('vat' as const),
})

export type TaxRate = ReturnType<typeof newTaxRate>

export type Tax = { rate: TaxRate; reason: 'standard_rated' | 'reverse_charge' | 'not_collecting' }

/** The tax inside a price, to the cent. Percentages have at most two decimals, so whole numbers are enough. */
export function taxInside(amount: number, percentage: number): number {
  const hundredths = Math.round(percentage * 100)
  return Math.round((amount * hundredths) / (10_000 + hundredths))
}

function taxesOn(total: number, tax: Tax | null) {
  if (!tax) return []
  const amount = tax.reason === 'standard_rated' ? taxInside(total, tax.rate.percentage) : 0
  return [
    {
      amount,
      tax_behavior: 'inclusive' as const,
      tax_rate_details: { tax_rate: tax.rate.id },
      taxability_reason: tax.reason,
      taxable_amount: total - amount,
      type: 'tax_rate_details' as const,
    },
  ]
}
