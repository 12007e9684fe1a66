import { empty, listOf, newId, randomText } from '../basics.ts'
import type { Customer } from './customer.ts'
import type { Subscription, SubscriptionItem } from './subscription.ts'
import { type Tax, type TaxId, taxesOn } from './tax.ts'

const noInvoiceExtras = {
  ...empty('account_tax_ids application automatically_finalizes_at custom_fields customer_account'),
  ...empty('customer_shipping default_payment_method default_source description due_date from_invoice'),
  ...empty('last_finalization_error latest_revision on_behalf_of receipt_number rendering shipping_cost'),
  ...empty('shipping_details statement_descriptor'),
}
const noCreditNoteExtras = {
  ...empty('customer_account customer_balance_transaction memo out_of_band_amount reason shipping_cost'),
  ...empty('voided_at'),
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
type Reason = 'subscription_create' | 'subscription_cycle' | 'subscription_update'
type Period = { start: number; end: number }

const dollars = (cents: number, currency: string) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)

/** What one line of an invoice is about: a whole period, or the rest of one at another price or quantity. */
export type Entry = { item: SubscriptionItem; period: Period; amount: number; isProration: boolean }

/** What a running discount takes off an amount. */
export type Cut = { discount: string; of: (amount: number) => number }

type LineGiven = {
  invoice: string
  subscription: Subscription
  product: string
  tax: Tax | null
  cuts: Cut[]
}

const newLine = (entry: Entry, { invoice, subscription, product, tax, cuts }: LineGiven) => {
  const { item, period, amount, isProration } = entry
  const discountAmounts = isProration
    ? []
    : cuts.map(({ discount, of }) => ({ amount: of(amount), discount }))
  const net = amount - sumOf(discountAmounts)
  return {
    id: newId('il'),
    object: 'line_item' as const,
    amount,
    currency: item.price.currency,
    description: isProration
      ? `${amount < 0 ? 'Unused' : 'Remaining'} time on ${item.quantity} × ${product}`
      : `${item.quantity} × ${product} (at ${dollars(item.price.unit_amount, item.price.currency)} / ${item.plan.interval})`,
    discount_amounts: discountAmounts,
    discountable: !isProration,
    discounts: discountAmounts.map(({ discount }) => discount),
    invoice,
    livemode: false,
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
    pretax_credit_amounts: [],
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
  const id = newId('in')
  const about = { invoice: id, subscription, tax, cuts }
  const lines = entries.map((entry) =>
    newLine(entry, { ...about, product: productName(entry.item.price.product) }),
  )
  const subtotal = sumOf(lines)
  const discountAmounts = cuts
    .map(({ discount }) => ({
      amount: sumOf(
        lines.flatMap((line) => line.discount_amounts).filter((each) => each.discount === discount),
      ),
      discount,
    }))
    .filter(({ amount }) => amount > 0)
  const total = subtotal - sumOf(discountAmounts)
  // A credit pays first; what is left of a negative total becomes one.
  const due = Math.max(0, total + customer.balance)
  const totalTaxes = taxesOn(total, tax)
  const untaxed = total - sumOf(totalTaxes)
  const secret = randomText(40)
  const page = `/_sandbox/invoices/${id}/${secret}`
  return {
    id,
    object: 'invoice' as const,
    ...noInvoiceExtras,
    account_country: 'US',
    account_name: 'Stripe sandbox',
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: reason !== 'subscription_create',
    automatic_tax: {
      disabled_reason:
        subscription.automatic_tax.disabled_reason && ('finalization_requires_location_inputs' as const),
      enabled: tax !== null,
      liability: tax && { type: 'self' as const },
      provider: tax && 'stripe',
      status: tax && ('complete' as const),
    },
    billing_reason: reason,
    collection_method: 'charge_automatically' as const,
    created: now,
    currency: subscription.currency,
    customer: customer.id,
    customer_address: customer.address,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_tax_exempt: 'none' as const,
    customer_tax_ids: given.taxIds.map(({ type, value }) => ({ type, value })),
    default_tax_rates: [],
    discounts: discountAmounts.map(({ discount }) => discount),
    effective_at: now,
    ending_balance: total + customer.balance - due,
    footer: customer.invoice_settings.footer,
    hosted_invoice_url: page,
    invoice_pdf: `${page}/pdf`,
    issuer: { type: 'self' as const },
    lines: listOf(`/v1/invoices/${id}/lines`, lines),
    livemode: false,
    metadata: {} as Record<string, string>,
    next_payment_attempt: null as number | null,
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details' as const,
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: now,
    period_start: reason === 'subscription_cycle' ? (entries[0]?.period.start ?? now) : now,
    post_payment_credit_notes_amount: 0 as number,
    pre_payment_credit_notes_amount: 0,
    starting_balance: customer.balance,
    status: 'open' as InvoiceStatus,
    status_transitions: {
      finalized_at: now,
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
    total_pretax_credit_amounts: [],
    total_taxes: totalTaxes,
    webhooks_delivered_at: now,
    $sandbox: { secret, percent: tax?.rate.percentage },
  }
}

export type Invoice = ReturnType<typeof newInvoice>

export const newInvoicePayment = (now: number, invoice: Invoice, intent: string) => ({
  id: newId('inpay'),
  object: 'invoice_payment' as const,
  amount_paid: null as number | null,
  amount_requested: invoice.amount_due,
  created: now,
  currency: invoice.currency,
  invoice: invoice.id,
  is_default: true,
  livemode: false,
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
    ...noCreditNoteExtras,
    amount,
    amount_shipping: 0,
    created: now,
    currency: invoice.currency,
    customer: invoice.customer,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: now,
    invoice: invoice.id,
    lines: listOf(`/v1/credit_notes/${id}/lines`, [line]),
    livemode: false,
    metadata: {} as Record<string, string>,
    number: `${invoice.number}-CN-${String(before + 1).padStart(2, '0')}`,
    pdf: `/_sandbox/credit-notes/${id}/${secret}/pdf`,
    post_payment_amount: amount,
    pre_payment_amount: 0,
    pretax_credit_amounts: [],
    refunds: refunds.map((each) => ({ ...each, payment_record_refund: null, type: 'refund' as const })),
    status: 'issued' as const,
    subtotal: amount,
    subtotal_excluding_tax: untaxed,
    total: amount,
    total_excluding_tax: untaxed,
    total_taxes: taxes,
    type: 'post_payment' as const,
    $sandbox: { secret },
  }
}

export type CreditNote = ReturnType<typeof newCreditNote>
