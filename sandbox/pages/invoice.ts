import { timingSafeEqual } from 'node:crypto'
import { asPaid } from '../billing/bills.ts'
import { intentOf } from '../billing/subscriptions.ts'
import type { Invoice } from '../objects/invoice.ts'
import type { Charge, PaymentIntent } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { date, html, money, page } from './html.ts'

type PaperRow = [name: string, value: string]

export type Paper = { title: string; number: string; from: string; rows: PaperRow[]; footer: string[] }

type Bill = { invoice: Invoice; intent: PaymentIntent | undefined; paper: Paper }

/** Anyone with the address may read the invoice: its second half cannot be guessed. */
export async function findBill(work: Work, id: string, secret: string, from: string): Promise<Bill | undefined> {
  const found = await work.find('invoice', id)
  if (!found || !sameText(found.$sandbox.secret, secret)) return undefined
  const intent = await intentOf(work, found)
  const latest = intent?.latest_charge ? await work.find('charge', intent.latest_charge) : undefined
  const charge = latest?.paid ? latest : undefined
  // Anyone who has just paid sees it, even while the invoice is still being settled.
  const invoice = charge && found.status === 'open' ? { ...found, ...asPaid(found, charge.created) } : found
  const paper = {
    title: 'Invoice',
    number: invoice.number ?? 'Draft',
    from,
    rows: rowsOf(invoice, charge),
    footer: footerOf(invoice),
  }
  return { invoice, intent, paper }
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const statuses = { draft: 'Draft', open: 'Due', paid: 'Paid', uncollectible: 'Uncollectible', void: 'Void' }

function rowsOf(invoice: Invoice, charge: Charge | undefined): PaperRow[] {
  const amount = (cents: number) => money(cents, invoice.currency)
  const refunded = charge?.amount_refunded ?? 0
  const card = charge?.payment_method_details.card
  const paidAt = invoice.status_transitions.paid_at
  return [
    ['Number', invoice.number ?? 'Draft'],
    ['Status', statuses[invoice.status]],
    ['Date of issue', date(invoice.created)],
    ...row(paidAt !== null, 'Date paid', date(paidAt ?? 0)),
    ...row(card, 'Payment method', `${card?.brand} ending in ${card?.last4}`),
    ...billedTo(invoice),
    ...invoice.lines.data.flatMap((line): PaperRow[] => [
      [line.description, amount(line.amount)],
      [`${date(line.period.start)} to ${date(line.period.end)}`, ''],
    ]),
    ...taxRows(invoice, invoice.total_taxes, amount),
    ['Total', amount(invoice.total)],
    ...row(refunded > 0, 'Refunded', amount(-refunded)),
    ['Amount paid', amount(invoice.amount_paid - refunded)],
    ['Amount due', amount(invoice.status === 'open' ? invoice.amount_remaining : 0)],
  ]
}

const row = (isShown: unknown, name: string, value: string): PaperRow[] => (isShown ? [[name, value]] : [])

function billedTo(invoice: Invoice): PaperRow[] {
  const { customer_name: name, customer_email: email, customer_address: address } = invoice
  const { line1, postal_code: code, city, country } = address ?? {}
  const where = [line1, [code, city].filter(Boolean).join(' '), country].filter(Boolean).join(', ')
  return [
    ['Billed to', name ?? email ?? invoice.customer],
    ...row(where, 'Address', where),
    ...invoice.customer_tax_ids.map(({ value }): PaperRow => ['VAT ID', value]),
  ]
}

const taxRows = (
  { $sandbox: { percent = 0 } }: Pick<Invoice, '$sandbox'>,
  taxes: Invoice['total_taxes'],
  amount: (cents: number) => string,
): PaperRow[] =>
  taxes
    .filter((tax) => tax.taxability_reason !== 'not_collecting')
    .flatMap((tax): PaperRow[] => [
      ['Net', amount(tax.taxable_amount)],
      [tax.taxability_reason === 'reverse_charge' ? 'VAT (reverse charge)' : `VAT ${percent} %`, amount(tax.amount)],
    ])

const footerOf = ({ footer }: Invoice) => [
  ...(footer?.split('\n') ?? []),
  'Test mode: this document was issued by the payment sandbox. No money has moved.',
]

export function invoicePage({ invoice, intent, paper }: Bill, publishableKey: string): string {
  const payable = invoice.status === 'open' && intent && intent.status !== 'canceled'
  const body = html`<main>
    <p>${paper.from}</p>
    <h1>Invoice</h1>
    <table>${paper.rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>
    ${
      payable &&
      html`<form data-key="${publishableKey}" data-secret="${intent.client_secret}">
      <h2>Pay this invoice</h2>
      <div></div>
      <p role="alert"></p>
      <button disabled>Pay ${money(invoice.amount_remaining, invoice.currency)}</button>
    </form>`
    }
    <p><a href="${`/_sandbox/invoices/${invoice.id}/${invoice.$sandbox.secret}/pdf`}" download>Download PDF</a></p>
    ${paper.footer.map((line) => html`<p>${line}</p>`)}
  </main>`
  const scripts = payable ? ['/_sandbox/stripe.js', '/_sandbox/pay-invoice.ts'] : []
  return page({ title: `Invoice ${paper.number}`, body, scripts })
}

/** PDF of a credit note, at an unguessable address. */
export async function findCreditNote(work: Work, id: string, secret: string, from: string): Promise<Paper | undefined> {
  const note = await work.find('credit_note', id)
  if (!note || !sameText(note.$sandbox.secret, secret)) return undefined
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
