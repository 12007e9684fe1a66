import { exactDollars } from '#contract/money.ts'
import { type EvidenceFile, type EvidenceText, evidenceTexts } from '#contract/selling/disputes.ts'
import { documentText } from '#server/mails/layout.ts'
import { countryName, type DisputeFacts } from './collect-facts.ts'

/** An empty text means that the shop has nothing about it. */
export type Draft = { texts: Record<EvidenceText, string>; files: Record<EvidenceFile, string> }
type Seller = { sender: string; publicUrl: string }

const unlocks = new Set(['Access unlocked', 'Unlocked by hand', 'Restored'])
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
export const timeOf = (at: Date) => `${times.format(at)} UTC`
const stampOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

type Payment = DisputeFacts['payment']

export const periodOf = ({ periodStart, periodEnd }: Pick<Payment, 'periodStart' | 'periodEnd'>) =>
  periodStart && periodEnd ? `${days.format(periodStart)} to ${days.format(periodEnd)}` : ''

export const firstUnlock = ({ access }: DisputeFacts) => access.find(({ what }) => unlocks.has(what))

/** Words for each kind of evidence, made of what the shop has kept. The seller reads and changes them. */
export function draftEvidence(facts: DisputeFacts, seller: Seller): Draft {
  const { buyer, billingAddress, product, payment, order } = facts
  const contact = (value: string) => (buyer.isDeleted ? '' : value)
  return {
    texts: {
      product_description: [product.name, ...product.terms].join('\n- '),
      customer_name: contact(buyer.name),
      customer_email_address: contact(buyer.email),
      customer_purchase_ip: order?.ip ?? '',
      billing_address: billingAddress,
      service_date: serviceDate(facts),
      access_activity_log: newestLines(activityOf(facts), evidenceTexts.access_activity_log.maxLength),
      cancellation_policy_disclosure: disclosure(facts, ['cancellation'], seller),
      cancellation_rebuttal: rebuttal(facts),
      refund_policy_disclosure: disclosure(facts, ['refunds'], seller),
      refund_refusal_explanation: facts.refunds
        .map(({ at, amount, status }) => `Refunded ${exactDollars(amount)} on ${days.format(at)} (${status}).`)
        .join('\n'),
      duplicate_charge_explanation: comparison(facts),
      uncategorized_text: '',
    },
    files: {
      receipt: receiptOf(facts, payment, seller),
      service_documentation: orderOf(facts, seller),
      customer_communication: correspondenceOf(facts),
      cancellation_policy: termsText(facts, seller),
      refund_policy: termsText(facts, seller),
      duplicate_charge_documentation: facts.otherPayments
        .map((other) => receiptOf(facts, other, seller))
        .join('\n\n\n'),
    },
  }
}

/** A renewal's service begins with its own period. */
function serviceDate(facts: DisputeFacts): string {
  const unlocked = firstUnlock(facts)?.at
  if (!unlocked) return ''
  const { periodStart } = facts.payment
  return days.format(periodStart && periodStart > unlocked ? periodStart : unlocked)
}

function activityOf({ access, logins }: DisputeFacts): string[] {
  return [
    ...access.map(({ at, what, username }) => ({ at, line: username ? `${what}: ${username} on TradingView` : what })),
    ...logins.map(({ at, ip }) => ({ at, line: `Logged in from ${ip}` })),
  ]
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ at, line }) => `${stampOf(at)}  ${line}`)
}

function newestLines(lines: string[], longest: number): string {
  const shortened = [...lines]
  while (shortened.join('\n').length > longest) shortened.shift()
  return shortened.join('\n')
}

function disclosure({ order, terms }: DisputeFacts, ids: string[], { publicUrl }: Seller): string {
  if (!order?.agreedAt || !terms) return ''
  const sections = terms.sections.filter(({ id }) => ids.includes(id))
  const accepted = `The customer accepted the terms (version ${terms.version}) at the checkout on ${timeOf(order.agreedAt)}, before paying. They say:`
  return [accepted, ...sections.map((section) => documentText(section, publicUrl))].join('\n\n')
}

function rebuttal({ purchase, payment }: DisputeFacts): string {
  if (!purchase) return ''
  const paid = `The payment was made on ${timeOf(payment.paidAt)}.`
  if (purchase.endedAt)
    return purchase.endedAt > payment.paidAt
      ? `${paid} The subscription was running then, and ended on ${timeOf(purchase.endedAt)}.`
      : ''
  return purchase.endsAt
    ? `${paid} The subscription is cancelled, and runs until ${days.format(purchase.endsAt)}, which has been paid for.`
    : `${paid} The subscription has not been cancelled.`
}

function comparison({ payment, otherPayments }: DisputeFacts): string {
  if (otherPayments.length === 0) return 'There is no other payment by this customer.'
  const inWords = ({ invoiceNumber, amount, paidAt, ...period }: Payment) =>
    `${exactDollars(amount)} on ${days.format(paidAt)}, invoice ${invoiceNumber ?? '–'}, for ${periodOf(period) || 'a change'}`
  return [
    `The disputed payment: ${inWords(payment)}.`,
    ...otherPayments.map((other) => `Another payment: ${inWords(other)}.`),
  ].join('\n')
}

function receiptOf({ buyer, product }: DisputeFacts, payment: Payment, { sender }: Seller): string {
  const { invoiceNumber, invoiceId, paidAt, amount, tax, paymentIntentId } = payment
  return table('Receipt', [
    ['Seller', sender],
    ['Invoice', invoiceNumber ?? invoiceId],
    ['Paid', timeOf(paidAt)],
    ['Customer', buyer.isDeleted ? '' : `${buyer.name}, ${buyer.email}`],
    ['Product', product.name],
    ['For', periodOf(payment)],
    ['Tax included', tax > 0 ? exactDollars(tax) : ''],
    ['Total', exactDollars(amount)],
    ['Payment at Stripe', paymentIntentId],
  ])
}

function orderOf(facts: DisputeFacts, { publicUrl }: Seller): string {
  const { order, product, buyer } = facts
  const ordered = table('Order', [
    ['Ordered at', publicUrl],
    ['Product', product.name],
    ['Customer', buyer.isDeleted ? '' : `${buyer.name}, ${buyer.email}`],
    ['Order begun', order ? timeOf(order.createdAt) : ''],
    ['Terms accepted', order?.agreedAt ? `${timeOf(order.agreedAt)}, version ${order.termsVersion}` : ''],
    ['IP address', order?.ip ?? ''],
    ['Country', countryName(order?.country ?? facts.payment.country) ?? ''],
    ['Country of the card', countryName(order?.cardCountry) ?? ''],
  ])
  return [ordered, 'ACCESS GIVEN AND USED', activityOf(facts).join('\n') || 'None recorded.'].join('\n\n')
}

function correspondenceOf({ messages, emails }: DisputeFacts): string {
  const written = messages.flatMap(({ at, message, answer }) => [
    `${stampOf(at)}  The customer wrote:\n${message}`,
    ...(answer ? [`We answered:\n${answer}`] : []),
  ])
  const sent = emails.map(({ at, subject }) => `${stampOf(at)}  ${subject}`)
  return [
    ...(written.length > 0 ? ['MESSAGES', ...written] : []),
    ...(sent.length > 0 ? ['EMAILS THAT WE SENT', sent.join('\n')] : []),
  ].join('\n\n')
}

function termsText({ terms, order }: DisputeFacts, { publicUrl }: Seller): string {
  if (!terms || !order?.agreedAt) return ''
  const title = `TERMS, VERSION ${terms.version}, ACCEPTED ON ${timeOf(order.agreedAt).toUpperCase()}`
  return [title, ...terms.sections.map((section) => documentText(section, publicUrl))].join('\n\n')
}

function table(title: string, rows: [label: string, value: string][]): string {
  const known = rows.filter(([, value]) => value !== '')
  return [title.toUpperCase(), '', ...known.map(([label, value]) => `${label.padEnd(22)}${value}`)].join('\n')
}
