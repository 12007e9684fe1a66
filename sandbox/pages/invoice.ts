import { timingSafeEqual } from 'node:crypto'
import { asPaid } from '../billing/invoices.ts'
import { intentOf } from '../billing/subscriptions.ts'
import type { Invoice } from '../objects/invoice.ts'
import type { Charge, PaymentIntent } from '../objects/payment.ts'
import type { Work } from '../work.ts'
import { date, html, money, page } from './html.ts'

/** An invoice with what its reader wants to know about its payment. */
export type Bill = {
  invoice: Invoice
  intent: PaymentIntent | undefined
  charge: Charge | undefined
  from: string
}

/** Anyone with the address may read the invoice: its second half cannot be guessed. */
export async function findBill(
  work: Work,
  id: string,
  secret: string,
  from: string,
): Promise<Bill | undefined> {
  const invoice = await work.find('invoice', id)
  if (!invoice || !sameText(invoice.$sandbox.secret, secret)) return undefined
  const intent = await intentOf(work, invoice)
  const latest = intent?.latest_charge ? await work.find('charge', intent.latest_charge) : undefined
  const charge = latest?.paid ? latest : undefined
  // Anyone who has just paid sees it, even while the invoice is still being settled.
  const isPaid = charge && invoice.status === 'open'
  return {
    invoice: isPaid ? { ...invoice, ...asPaid(invoice, charge.created) } : invoice,
    intent,
    charge,
    from,
  }
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** What the page and the PDF both say. */
export function describe({ invoice, charge, from }: Bill) {
  const amount = (cents: number) => money(cents, invoice.currency)
  const refunded = charge?.amount_refunded ?? 0
  const card = charge?.payment_method_details.card
  const paidAt = invoice.status_transitions.paid_at
  return {
    from,
    number: invoice.number,
    status: statusOf(invoice, charge),
    facts: [
      ['Invoice number', invoice.number],
      ['Date of issue', date(invoice.created)],
      ...(paidAt === null ? [] : [['Date paid', date(paidAt)]]),
      ...(card ? [['Payment method', `${brands[card.brand]} ending in ${card.last4}`]] : []),
      ...billedTo(invoice),
    ] as [string, string][],
    lines: invoice.lines.data.map((line) => ({
      text: line.description,
      period: `${date(line.period.start)} – ${date(line.period.end)}`,
      quantity: String(line.quantity),
      amount: amount(line.amount),
    })),
    totals: [
      ['Subtotal', amount(invoice.subtotal)],
      ...taxLines(invoice, invoice.total_taxes, amount),
      ['Total', amount(invoice.total)],
      ...(refunded > 0 ? [['Refunded', amount(-refunded)]] : []),
      ['Amount paid', amount(invoice.amount_paid - refunded)],
      ...(invoice.status === 'open' ? [['Amount due', amount(invoice.amount_remaining)]] : []),
    ] as [string, string][],
    footer: invoice.footer?.split('\n') ?? [],
    title: 'Invoice',
    note: 'Test mode: this invoice was issued by the payment sandbox. No money has moved.',
  }
}

/** What the page and the PDF say; a credit note says the same kind of things. */
export type Described = ReturnType<typeof describe>

/** The buyer, with what they want on their invoices. */
function billedTo(invoice: Invoice): string[][] {
  const { customer_name: name, customer_email: email, customer_address: address } = invoice
  const place = address && [
    address.line1,
    `${address.postal_code ?? ''} ${address.city ?? ''}`,
    address.country,
  ]
  const where = place?.map((line) => line?.trim()).filter(Boolean) ?? []
  return [
    ['Billed to', name ?? email ?? invoice.customer],
    ...(where.length > 0 ? [['Address', where.join(', ')]] : []),
    ...invoice.customer_tax_ids.map(({ value }) => ['VAT ID', value]),
    ...(name && email ? [['Email', email]] : []),
  ]
}

/** Net, rate and tax; nothing without tax. */
function taxLines(
  invoice: Pick<Invoice, 'total' | '$sandbox'>,
  taxes: Invoice['total_taxes'],
  amount: (cents: number) => string,
): string[][] {
  const counted = taxes.filter((tax) => tax.taxability_reason !== 'not_collecting')
  return counted.flatMap((tax) => [
    ['Net', amount(tax.taxable_amount ?? 0)],
    [
      tax.taxability_reason === 'reverse_charge'
        ? 'VAT (reverse charge)'
        : `VAT ${invoice.$sandbox.percent ?? 0} %`,
      amount(tax.amount),
    ],
  ])
}

const brands = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express' }

function statusOf(invoice: Invoice, charge: Charge | undefined): string {
  if (charge?.refunded) return 'Refunded'
  if (charge && charge.amount_refunded > 0) return 'Partly refunded'
  if (charge?.disputed) return 'Disputed'
  return { draft: 'Draft', open: 'Due', paid: 'Paid', uncollectible: 'Uncollectible', void: 'Void' }[
    invoice.status
  ]
}

export function invoicePage(bill: Bill, publishableKey: string): string {
  const { invoice, intent } = bill
  const said = describe(bill)
  const payable = invoice.status === 'open' && intent && intent.status !== 'canceled'
  const body = html`<main>
      <header>
        <div>
          <p>${said.from}</p>
          <h1>Invoice</h1>
        </div>
        <p>${said.status}</p>
      </header>
      <dl>
        ${said.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
      </dl>
      <div class="Scroll" role="region" aria-label="Items" tabindex="0">
        <table>
          <thead><tr><th scope="col">Description</th><th scope="col" class="Number">Quantity</th><th scope="col" class="Number">Amount</th></tr></thead>
          <tbody>
            ${said.lines.map((line) => html`<tr><td>${line.text}<br><span>${line.period}</span></td><td class="Number">${line.quantity}</td><td class="Number">${line.amount}</td></tr>`)}
          </tbody>
          <tfoot>
            ${said.totals.map(([name, value]) => html`<tr><th scope="row" colspan="2">${name}</th><td class="Number">${value}</td></tr>`)}
          </tfoot>
        </table>
      </div>
      ${
        payable &&
        html`<form class="NoPrint" data-key="${publishableKey}" data-secret="${intent.client_secret}">
        <h2>Pay this invoice</h2>
        <div data-card></div>
        <p role="alert" hidden></p>
        <button disabled>Pay ${money(invoice.amount_remaining, invoice.currency)}</button>
      </form>`
      }
      <p class="NoPrint"><a href="${`/_sandbox/invoices/${invoice.id}/${invoice.$sandbox.secret}/pdf`}" download>Download PDF</a></p>
      ${said.footer.map((line) => html`<p>${line}</p>`)}
      <p>${said.note}</p>
    </main>`
  const scripts = payable ? ['/_sandbox/stripe.js', '/_sandbox/pay-invoice.ts'] : []
  return page({ title: `Invoice ${said.number}`, body, scripts }).text
}

/** What a credit note's PDF says; its address cannot be guessed. */
export async function findCreditNote(
  work: Work,
  id: string,
  secret: string,
  from: string,
): Promise<Described | undefined> {
  const note = await work.find('credit_note', id)
  if (!note || !sameText(note.$sandbox.secret, secret)) return undefined
  const invoice = await work.get('invoice', note.invoice)
  const amount = (cents: number) => money(cents, note.currency)
  return {
    from,
    title: 'Credit note',
    number: note.number,
    status: 'Refunded',
    facts: [
      ['Number', note.number],
      ['Date of issue', date(note.created)],
      ['For invoice', invoice.number],
      ...billedTo(invoice),
    ] as [string, string][],
    lines: note.lines.data.map((line) => ({
      text: line.description,
      period: `Invoice of ${date(invoice.created)}`,
      quantity: '1',
      amount: amount(-line.amount),
    })),
    totals: [
      ...taxLines(invoice, note.total_taxes, (cents) => amount(-cents)),
      ['Total', amount(-note.total)],
    ] as [string, string][],
    footer: invoice.footer?.split('\n') ?? [],
    note: 'Test mode: this credit note was issued by the payment sandbox. No money has moved.',
  }
}
