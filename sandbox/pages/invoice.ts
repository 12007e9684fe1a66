import { timingSafeEqual } from 'node:crypto'
import { paidFields } from '../billing/bills.ts'
import { intentOf } from '../billing/subscriptions.ts'
import type { Invoice } from '../objects/invoice.ts'
import type { Charge, PaymentIntent } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { date, html, money, page } from './html.ts'

type DocumentRow = [name: string, value: string]

export type PrintedDocument = { title: string; number: string; from: string; rows: DocumentRow[]; footer: string[] }

type InvoiceView = { invoice: Invoice; intent: PaymentIntent | undefined; printed: PrintedDocument }

/** Anyone who knows the address with its secret may read the invoice. */
export async function findInvoice(
  work: Work,
  id: string,
  secret: string,
  from: string,
): Promise<InvoiceView | undefined> {
  const stored = await work.find('invoice', id)
  if (!stored || !isSameSecret(stored.$sandbox.secret, secret)) return undefined
  const intent = await intentOf(work, stored)
  const latestCharge = intent?.latest_charge ? await work.find('charge', intent.latest_charge) : undefined
  const charge = latestCharge?.paid ? latestCharge : undefined
  // Shows the invoice as paid even during the lag between the payment and the invoice.
  const isInLag = charge !== undefined && stored.status === 'open'
  const invoice = isInLag ? { ...stored, ...paidFields(stored, charge.created) } : stored
  const printed = {
    title: 'Invoice',
    number: invoice.number ?? 'Draft',
    from,
    rows: rowsOf(invoice, charge),
    footer: footerOf(invoice),
  }
  return { invoice, intent, printed }
}

/** Compares in constant time, so that the secret cannot be found by measuring. */
function isSameSecret(stored: string, received: string): boolean {
  const [storedBytes, receivedBytes] = [Buffer.from(stored), Buffer.from(received)]
  return storedBytes.length === receivedBytes.length && timingSafeEqual(storedBytes, receivedBytes)
}

const statusTexts = { draft: 'Draft', open: 'Due', paid: 'Paid', uncollectible: 'Uncollectible', void: 'Void' }

function rowsOf(invoice: Invoice, charge: Charge | undefined): DocumentRow[] {
  const amount = (cents: number) => money(cents, invoice.currency)
  const refunded = charge?.amount_refunded ?? 0
  const card = charge?.payment_method_details.card
  const paidAt = invoice.status_transitions.paid_at
  return [
    ['Number', invoice.number ?? 'Draft'],
    ['Status', statusTexts[invoice.status]],
    ['Date of issue', date(invoice.created)],
    ...rowIf(paidAt !== null, 'Date paid', date(paidAt ?? 0)),
    ...rowIf(card, 'Payment method', `${card?.brand} ending in ${card?.last4}`),
    ...billedTo(invoice),
    ...invoice.lines.data.flatMap((line): DocumentRow[] => [
      [line.description, amount(line.amount)],
      [`${date(line.period.start)} to ${date(line.period.end)}`, ''],
    ]),
    ...taxRows(invoice, invoice.total_taxes, amount),
    ['Total', amount(invoice.total)],
    ...rowIf(refunded > 0, 'Refunded', amount(-refunded)),
    ['Amount paid', amount(invoice.amount_paid - refunded)],
    ['Amount due', amount(invoice.status === 'open' ? invoice.amount_remaining : 0)],
  ]
}

const rowIf = (condition: unknown, name: string, value: string): DocumentRow[] => (condition ? [[name, value]] : [])

function billedTo(invoice: Invoice): DocumentRow[] {
  const { customer_name: name, customer_email: email, customer_address: address } = invoice
  const { line1, postal_code: code, city, country } = address ?? {}
  const cityLine = [code, city].filter(Boolean).join(' ')
  const addressLine = [line1, cityLine, country].filter(Boolean).join(', ')
  return [
    ['Billed to', name ?? email ?? invoice.customer],
    ...rowIf(addressLine, 'Address', addressLine),
    ...invoice.customer_tax_ids.map(({ value }): DocumentRow => ['VAT ID', value]),
  ]
}

const taxRows = (
  { $sandbox: { percent = 0 } }: Pick<Invoice, '$sandbox'>,
  taxes: Invoice['total_taxes'],
  amount: (cents: number) => string,
): DocumentRow[] =>
  taxes
    .filter((tax) => tax.taxability_reason !== 'not_collecting')
    .flatMap((tax): DocumentRow[] => [
      ['Net', amount(tax.taxable_amount)],
      [tax.taxability_reason === 'reverse_charge' ? 'VAT (reverse charge)' : `VAT ${percent} %`, amount(tax.amount)],
    ])

const footerOf = ({ footer }: Invoice) => [
  ...(footer?.split('\n') ?? []),
  'Test mode: this document was issued by the payment sandbox. No money has moved.',
]

export function invoicePage({ invoice, intent, printed }: InvoiceView, publishableKey: string): string {
  const isPayable = invoice.status === 'open' && intent && intent.status !== 'canceled'
  const body = html`<main>
    <p>${printed.from}</p>
    <h1>Invoice</h1>
    <table>${printed.rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>
    ${
      isPayable &&
      html`<form data-key="${publishableKey}" data-secret="${intent.client_secret}">
      <h2>Pay this invoice</h2>
      <div></div>
      <p role="alert"></p>
      <button disabled>Pay ${money(invoice.amount_remaining, invoice.currency)}</button>
    </form>`
    }
    <p><a href="${`/_sandbox/invoices/${invoice.id}/${invoice.$sandbox.secret}/pdf`}" download>Download PDF</a></p>
    ${printed.footer.map((line) => html`<p>${line}</p>`)}
  </main>`
  const scripts = isPayable ? ['/_sandbox/stripe.js', '/_sandbox/pay-invoice.js'] : []
  return page({ title: `Invoice ${printed.number}`, body, scripts })
}

export async function findCreditNote(
  work: Work,
  id: string,
  secret: string,
  from: string,
): Promise<PrintedDocument | undefined> {
  const note = await work.find('credit_note', id)
  if (!note || !isSameSecret(note.$sandbox.secret, secret)) return undefined
  const invoice = await work.get('invoice', note.invoice)
  const amount = (cents: number) => money(-cents, note.currency)
  return {
    title: 'Credit note',
    number: note.number,
    from,
    rows: [
      ['Number', note.number],
      ['Date of issue', date(note.created)],
      ['For invoice', invoice.number ?? 'Draft'],
      ...billedTo(invoice),
      ...taxRows(invoice, note.total_taxes, amount),
      ['Total', amount(note.total)],
    ],
    footer: footerOf(invoice),
  }
}
