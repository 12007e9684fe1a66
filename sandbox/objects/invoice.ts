import { day, listOf, randomText } from '../basics.ts'
import { blank } from './blank.ts'
import type { Price, TaxBehavior } from './catalog.ts'
import type { Customer, TaxId } from './customer.ts'
import type { Subscription, SubscriptionItem } from './subscription.ts'
import { sumOf, type Tax, taxesOn } from './tax.ts'

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
type Reason = 'subscription_create' | 'subscription_cycle' | 'subscription_update'
type Period = { start: number; end: number }

const dollars = (cents: number, currency: string) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100)

export type InvoiceEntry = { item: SubscriptionItem; period: Period; amount: number; isProration: boolean }

type InvoiceItemInput = { subscription: Subscription; price: Price; amount: number; description: string }

/** Belongs to the subscription's next invoice and has a price that is used once. */
export const newInvoiceItem = (now: number, { subscription, price, amount, description }: InvoiceItemInput) => ({
  ...blank('invoiceitem', 'ii'),
  amount,
  currency: subscription.currency,
  customer: subscription.customer,
  date: now,
  description,
  parent: { subscription_details: { subscription: subscription.id }, type: 'subscription_details' as const },
  period: { start: now, end: now },
  pricing: {
    price_details: { price: price.id, product: price.product },
    type: 'price_details' as const,
    unit_amount_decimal: price.unit_amount_decimal,
  },
  test_clock: subscription.test_clock,
})

export type InvoiceItem = ReturnType<typeof newInvoiceItem>

const taxBehaviorOf = ({ tax_behavior: behavior }: { tax_behavior: TaxBehavior }) =>
  behavior === 'exclusive' ? ('exclusive' as const) : ('inclusive' as const)

export type AppliedDiscount = { discount: string; amountOff: (amount: number) => number }

type LineInput = {
  invoice: string
  subscription: Subscription
  product: string
  tax: Tax | null
  appliedDiscounts: AppliedDiscount[]
}

const newLine = (entry: InvoiceEntry, { invoice, subscription, product, tax, appliedDiscounts }: LineInput) => {
  const { item, period, amount, isProration } = entry
  const discountAmounts = isProration
    ? []
    : appliedDiscounts.map(({ discount, amountOff }) => ({ amount: amountOff(amount), discount }))
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
    taxes: taxesOn(net, tax, taxBehaviorOf(item.price)),
  }
}

/** Discounts don't apply to an invoice item, and its amount includes the tax. */
const newItemLine = (item: InvoiceItem, invoice: string, tax: Tax | null) => ({
  ...blank('line_item', 'il'),
  amount: item.amount,
  currency: item.currency,
  description: item.description,
  discount_amounts: [] as { amount: number; discount: string }[],
  discountable: false,
  discounts: [] as string[],
  invoice,
  metadata: item.metadata,
  parent: {
    invoice_item_details: {
      invoice_item: item.id,
      proration: false,
      proration_details: { credited_items: null },
      subscription: item.parent.subscription_details.subscription,
    },
    subscription_item_details: null,
    type: 'invoice_item_details' as const,
  },
  period: item.period,
  pricing: item.pricing,
  quantity: 1,
  quantity_decimal: '1',
  subscription: item.parent.subscription_details.subscription,
  subtotal: item.amount,
  taxes: taxesOn(item.amount, tax, 'inclusive'),
})

type InvoiceInput = {
  now: number
  customer: Customer
  subscription: Subscription
  productName: (product: string) => string
  entries: InvoiceEntry[]
  items: InvoiceItem[]
  appliedDiscounts: AppliedDiscount[]
  reason: Reason
  /** Null without automatic tax. */
  tax: Tax | null
  taxIds: TaxId[]
}

export function newInvoice(input: InvoiceInput) {
  const { now, customer, subscription, productName, entries, appliedDiscounts, reason, tax } = input
  const base = blank('invoice', 'in')
  const lineInput = { invoice: base.id, subscription, tax, appliedDiscounts }
  const lines = [
    ...input.items.map((item) => newItemLine(item, base.id, tax)),
    ...entries.map((entry) => newLine(entry, { ...lineInput, product: productName(entry.item.price.product) })),
  ]
  const subtotal = sumOf(lines)
  const lineDiscounts = lines.flatMap((line) => line.discount_amounts)
  const discountTotals = appliedDiscounts.map(({ discount }) => ({
    amount: sumOf(lineDiscounts.filter((lineDiscount) => lineDiscount.discount === discount)),
    discount,
  }))
  const discountAmounts = discountTotals.filter(({ amount }) => amount > 0)
  const taxesOf = (behavior: 'inclusive' | 'exclusive') => {
    const taxedLines = lines.filter((line) => line.taxes.some((lineTax) => lineTax.tax_behavior === behavior))
    const net = sumOf(taxedLines) - sumOf(taxedLines.flatMap((line) => line.discount_amounts))
    return taxedLines.length > 0 ? taxesOn(net, tax, behavior) : []
  }
  const includedTaxes = taxesOf('inclusive')
  const addedTaxes = taxesOf('exclusive')
  const total = subtotal - sumOf(discountAmounts) + sumOf(addedTaxes)
  return {
    ...base,
    ...amountsDue(total, customer),
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
    customer_tax_ids: input.taxIds.map(({ type, value }) => ({ type, value })),
    collection_method: subscription.collection_method,
    due_date: dueDateOf(subscription, now),
    discounts: discountAmounts.map(({ discount }) => discount),
    effective_at: null as number | null,
    ending_balance: null as number | null,
    footer: customer.invoice_settings.footer,
    hosted_invoice_url: null as string | null,
    invoice_pdf: null as string | null,
    lines: listOf(`/v1/invoices/${base.id}/lines`, lines),
    number: null as string | null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details' as const,
    },
    period_end: now,
    period_start: reason === 'subscription_cycle' ? (entries[0]?.period.start ?? now) : now,
    post_payment_credit_notes_amount: 0 as number,
    status: 'draft' as InvoiceStatus,
    status_transitions: {
      finalized_at: null as number | null,
      marked_uncollectible_at: null as number | null,
      paid_at: null as number | null,
      voided_at: null as number | null,
    },
    subtotal,
    subtotal_excluding_tax: subtotal - sumOf(includedTaxes),
    test_clock: customer.test_clock,
    total,
    total_discount_amounts: discountAmounts,
    total_excluding_tax: total - sumOf(includedTaxes) - sumOf(addedTaxes),
    total_taxes: [...includedTaxes, ...addedTaxes],
    webhooks_delivered_at: now,
    $sandbox: { secret: randomText(40), percent: tax?.rate.percentage, isOverdue: false },
  }
}

export type Invoice = ReturnType<typeof newInvoice>

const dueDateOf = ({ collection_method: method, days_until_due: days }: Subscription, now: number) =>
  method === 'send_invoice' ? now + (days ?? 0) * day : null

/** The customer's credit is a negative balance. */
function amountsDue(total: number, { balance }: Customer) {
  const due = Math.max(0, total + balance)
  return { amount_due: due, amount_remaining: due, starting_balance: balance }
}

/** A negative total becomes the customer's credit. */
export function asFinalized(invoice: Invoice, customer: Customer, now: number): Invoice {
  const due = amountsDue(invoice.total, customer)
  const page = `/_sandbox/invoices/${invoice.id}/${invoice.$sandbox.secret}`
  return {
    ...invoice,
    ...due,
    automatically_finalizes_at: null,
    effective_at: now,
    ending_balance: invoice.total + customer.balance - due.amount_due,
    hosted_invoice_url: page,
    invoice_pdf: `${page}/pdf`,
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    status: 'open',
    status_transitions: { ...invoice.status_transitions, finalized_at: now },
  }
}

type PaymentSource =
  | { payment_intent: string; type: 'payment_intent' }
  | { payment_record: string; type: 'payment_record' }

export const newInvoicePayment = (now: number, invoice: Invoice, payment: PaymentSource) => ({
  ...blank('invoice_payment', 'inpay'),
  amount_paid: null as number | null,
  amount_requested: invoice.amount_due,
  created: now,
  currency: invoice.currency,
  invoice: invoice.id,
  is_default: payment.type === 'payment_intent',
  payment,
  status: 'open' as 'open' | 'paid' | 'canceled',
  status_transitions: { canceled_at: null as number | null, paid_at: null as number | null },
  $sandbox: { customer: invoice.customer },
})

export type InvoicePayment = ReturnType<typeof newInvoicePayment>
