import type { Stripe } from 'stripe'
import { sumOf } from './amounts.ts'
import { type Client, date, dateOrNull } from './client.ts'

export type InvoiceRecord = {
  id: string
  number: string | null
  status: Stripe.Invoice.Status
  /** `subscription_create`, `subscription_cycle`, `subscription_update` and others. */
  reason: string | null
  collection: Stripe.Invoice.CollectionMethod
  createdAt: Date
  finalizedAt: Date | null
  dueAt: Date | null
  paidAt: Date | null
  /** Time it was voided or marked uncollectible. */
  closedAt: Date | null
  total: number
  tax: number
  amountPaid: number
  amountRemaining: number
  /** Part of `amountPaid` received outside Stripe, for example by bank transfer. */
  paidOutOfBand: number
  /** Null if the invoice bills no period. */
  period: { start: Date; end: Date } | null
  isProration: boolean
  credit: number
  /** Cost of the period itself: without prorations and other items, after discounts and without tax. */
  periodNet: number
  country: string | null
  region: string | null
  /** Percent; 0 under reverse charge, null without tax. */
  taxRate: number | null
}

export type CreditNoteRecord = {
  id: string
  invoiceId: string
  number: string
  status: string
  createdAt: Date
  total: number
  tax: number
  /** Amount that the note states as refunded to the card. */
  refunded: number
}

export async function creditNotesOf({ sdk, ask }: Pick<Client, 'sdk' | 'ask'>, invoices: Stripe.Invoice[]) {
  const records: CreditNoteRecord[] = []
  for (const invoice of invoices) {
    if (invoice.pre_payment_credit_notes_amount + invoice.post_payment_credit_notes_amount === 0) continue
    const { data } = await ask(sdk.creditNotes.list({ invoice: invoice.id, limit: 100 }))
    for (const note of data)
      records.push({
        id: note.id,
        invoiceId: invoice.id,
        number: note.number,
        status: note.status,
        createdAt: date(note.created),
        total: note.total,
        tax: sumOf(note.total_taxes),
        refunded: (note.refunds ?? []).reduce((sum, { amount_refunded: amount }) => sum + amount, 0),
      })
  }
  return records
}

export function uncoveredNotes(notes: CreditNoteRecord[], payments: { invoiceId: string; refunded: number }[]) {
  const issued = notes.filter(({ status }) => status === 'issued')
  let uncovered = 0
  for (const invoice of new Set(issued.map(({ invoiceId }) => invoiceId))) {
    let stated = 0
    for (const note of issued) if (note.invoiceId === invoice) stated += note.refunded
    let refunded = 0
    for (const payment of payments) if (payment.invoiceId === invoice) refunded += payment.refunded
    uncovered += Math.max(0, stated - refunded)
  }
  return uncovered
}

export function recordOf(invoice: Stripe.Invoice, taxRate: number | null): InvoiceRecord {
  const line = lineOf(invoice)
  const { finalized_at, paid_at, voided_at, marked_uncollectible_at } = invoice.status_transitions
  let paidThroughStripe = 0
  // Stripe also lists payments received elsewhere, as payment records.
  for (const { status, amount_paid: amount, payment } of invoice.payments?.data ?? [])
    if (status === 'paid' && payment.type !== 'payment_record') paidThroughStripe += amount ?? 0
  return {
    id: invoice.id,
    number: invoice.number,
    status: invoice.status ?? 'draft',
    reason: invoice.billing_reason,
    collection: invoice.collection_method,
    createdAt: date(invoice.created),
    finalizedAt: dateOrNull(finalized_at),
    dueAt: dateOrNull(invoice.due_date),
    paidAt: dateOrNull(paid_at),
    closedAt: dateOrNull(voided_at ?? marked_uncollectible_at),
    total: invoice.total,
    tax: sumOf(invoice.total_taxes),
    amountPaid: invoice.amount_paid,
    amountRemaining: invoice.amount_remaining,
    paidOutOfBand: invoice.status === 'paid' ? Math.max(0, invoice.amount_paid - paidThroughStripe) : 0,
    period: line ? { start: date(line.period.start), end: date(line.period.end) } : null,
    isProration: line ? isProration(line) : false,
    credit: creditIn(invoice),
    periodNet: periodNet(invoice),
    country: invoice.customer_address?.country ?? null,
    region: invoice.customer_address?.state ?? null,
    taxRate,
  }
}

function periodNet({ lines }: Stripe.Invoice) {
  let net = 0
  for (const line of lines.data) {
    if (!line.parent?.subscription_item_details || isProration(line)) continue
    net += line.amount
    for (const discount of line.discount_amounts ?? []) net -= discount.amount
    for (const tax of line.taxes ?? []) if (tax.tax_behavior === 'inclusive') net -= tax.amount
  }
  return net
}

export function creditIn({ lines }: Stripe.Invoice) {
  let credit = 0
  for (const line of lines.data) if (isProration(line) && line.amount < 0) credit -= line.amount
  return credit
}

export const isProration = ({ parent }: Stripe.InvoiceLineItem) =>
  parent?.subscription_item_details?.proration ?? parent?.invoice_item_details?.proration ?? false

/** Prefers a full period to a proration, and the latest of several. */
export function lineOf({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  const charges = lines.data.filter(({ amount }) => amount > 0)
  const latestFirst = charges.toSorted((a, b) => b.period.end - a.period.end)
  return latestFirst.find((line) => !isProration(line)) ?? latestFirst[0]
}
