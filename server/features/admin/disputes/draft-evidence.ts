import { dayInWords } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import { type EvidenceFile, type EvidenceText, evidenceTexts } from '#contract/selling/disputes.ts'
import { documentText } from '#server/mails/layout.ts'
import { countryName, type DisputeFacts } from './collect-facts.ts'

/** A text is empty if the shop has no record for it. */
export type Draft = { texts: Record<EvidenceText, string>; files: Record<EvidenceFile, string> }
type Seller = { sender: string; publicUrl: string }

const unlockTitles = new Set(['Access unlocked', 'Unlocked by hand', 'Restored'])
const timeFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
export const timeOf = (at: Date) => `${timeFormat.format(at)} UTC`
const timestampOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

type Payment = DisputeFacts['payment']

export const periodOf = ({ periodStart, periodEnd }: Pick<Payment, 'periodStart' | 'periodEnd'>) =>
  periodStart && periodEnd ? `${dayInWords(periodStart)} to ${dayInWords(periodEnd)}` : ''

export const firstUnlock = ({ access }: DisputeFacts) => access.find(({ what }) => unlockTitles.has(what))

export function draftEvidence(facts: DisputeFacts, seller: Seller): Draft {
  const { buyer, billingAddress, product, payment, order } = facts
  const unlessDeleted = (value: string) => (buyer.isDeleted ? '' : value)
  return {
    texts: {
      product_description: [product.name, ...product.terms].join('\n- '),
      customer_name: unlessDeleted(buyer.name),
      customer_email_address: unlessDeleted(buyer.email),
      customer_purchase_ip: order?.ip ?? '',
      billing_address: billingAddress,
      service_date: serviceDate(facts),
      access_activity_log: newestLines(activityLines(facts), evidenceTexts.access_activity_log.maxLength),
      cancellation_policy_disclosure: policyDisclosure(facts, ['cancellation'], seller),
      cancellation_rebuttal: cancellationRebuttal(facts),
      refund_policy_disclosure: policyDisclosure(facts, ['refunds'], seller),
      refund_refusal_explanation: facts.refunds
        .map(({ at, amount, status }) => `Refunded ${exactDollars(amount)} on ${dayInWords(at)} (${status}).`)
        .join('\n'),
      duplicate_charge_explanation: comparePayments(facts),
      uncategorized_text: '',
    },
    files: {
      receipt: receiptOf(facts, payment, seller),
      service_documentation: orderDocument(facts, seller),
      customer_communication: correspondenceOf(facts),
      cancellation_policy: termsText(facts, seller),
      refund_policy: termsText(facts, seller),
      duplicate_charge_documentation: facts.otherPayments
        .map((other) => receiptOf(facts, other, seller))
        .join('\n\n\n'),
    },
  }
}

/** Day of the first unlock or, for a renewal, the start of its period. */
function serviceDate(facts: DisputeFacts): string {
  const unlockedAt = firstUnlock(facts)?.at
  if (!unlockedAt) return ''
  const { periodStart } = facts.payment
  const isRenewal = periodStart !== null && periodStart > unlockedAt
  return dayInWords(isRenewal ? periodStart : unlockedAt)
}

function activityLines({ access, logins }: DisputeFacts): string[] {
  const accessActivity = access.map(({ at, what, username }) => ({
    at,
    text: username ? `${what}: ${username} on TradingView` : what,
  }))
  const loginActivity = logins.map(({ at, ip }) => ({ at, text: `Logged in from ${ip}` }))
  const activity = [...accessActivity, ...loginActivity].toSorted((a, b) => a.at.getTime() - b.at.getTime())
  return activity.map(({ at, text }) => `${timestampOf(at)}  ${text}`)
}

function newestLines(lines: string[], maxLength: number): string {
  const shortened = [...lines]
  while (shortened.join('\n').length > maxLength) shortened.shift()
  return shortened.join('\n')
}

function policyDisclosure({ order, terms }: DisputeFacts, sectionIds: string[], { publicUrl }: Seller): string {
  if (!order?.agreedAt || !terms) return ''
  const sections = terms.sections.filter(({ id }) => sectionIds.includes(id))
  const accepted = `The customer accepted the terms (version ${terms.version}) at the checkout on ${timeOf(order.agreedAt)}, before paying. They say:`
  return [accepted, ...sections.map((section) => documentText(section, publicUrl))].join('\n\n')
}

function cancellationRebuttal({ purchase, payment }: DisputeFacts): string {
  if (!purchase) return ''
  const { endedAt, endsAt } = purchase
  const hasEndedBefore = endedAt !== null && endedAt <= payment.paidAt
  if (hasEndedBefore) return ''
  const paymentSentence = `The payment was made on ${timeOf(payment.paidAt)}.`
  if (endedAt) return `${paymentSentence} The subscription was running then, and ended on ${timeOf(endedAt)}.`
  if (endsAt)
    return `${paymentSentence} The subscription is cancelled, and runs until ${dayInWords(endsAt)}, which has been paid for.`
  return `${paymentSentence} The subscription has not been cancelled.`
}

function comparePayments({ payment, otherPayments }: DisputeFacts): string {
  if (otherPayments.length === 0) return 'There is no other payment by this customer.'
  const otherLines = otherPayments.map((other) => `Another payment: ${paymentInWords(other)}.`)
  return [`The disputed payment: ${paymentInWords(payment)}.`, ...otherLines].join('\n')
}

function paymentInWords(payment: Payment): string {
  const day = dayInWords(payment.paidAt)
  const paidFor = periodOf(payment) || 'a change'
  return `${exactDollars(payment.amount)} on ${day}, invoice ${payment.invoiceNumber ?? '–'}, for ${paidFor}`
}

function receiptOf({ buyer, product }: DisputeFacts, payment: Payment, { sender }: Seller): string {
  const { invoiceNumber, invoiceId, paidAt, amount, tax, paymentIntentId } = payment
  return formatTable('Receipt', [
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

function orderDocument(facts: DisputeFacts, { publicUrl }: Seller): string {
  const { order, product, buyer } = facts
  const orderTable = formatTable('Order', [
    ['Ordered at', publicUrl],
    ['Product', product.name],
    ['Customer', buyer.isDeleted ? '' : `${buyer.name}, ${buyer.email}`],
    ['Order begun', order ? timeOf(order.createdAt) : ''],
    ['Terms accepted', order?.agreedAt ? `${timeOf(order.agreedAt)}, version ${order.termsVersion}` : ''],
    ['IP address', order?.ip ?? ''],
    ['Country', countryName(order?.country ?? facts.payment.country) ?? ''],
    ['Country of the card', countryName(order?.cardCountry) ?? ''],
  ])
  return [orderTable, 'ACCESS GIVEN AND USED', activityLines(facts).join('\n') || 'None recorded.'].join('\n\n')
}

function correspondenceOf({ messages, emails }: DisputeFacts): string {
  const paragraphs: string[] = []
  if (messages.length > 0) paragraphs.push('MESSAGES')
  for (const { at, message, answer } of messages) {
    paragraphs.push(`${timestampOf(at)}  The customer wrote:\n${message}`)
    if (answer) paragraphs.push(`We answered:\n${answer}`)
  }
  const emailLines = emails.map(({ at, subject }) => `${timestampOf(at)}  ${subject}`)
  if (emails.length > 0) paragraphs.push('EMAILS THAT WE SENT', emailLines.join('\n'))
  return paragraphs.join('\n\n')
}

function termsText({ terms, order }: DisputeFacts, { publicUrl }: Seller): string {
  if (!terms || !order?.agreedAt) return ''
  const title = `TERMS, VERSION ${terms.version}, ACCEPTED ON ${timeOf(order.agreedAt).toUpperCase()}`
  return [title, ...terms.sections.map((section) => documentText(section, publicUrl))].join('\n\n')
}

/** Characters; the longest label has 19. */
const labelWidth = 22

function formatTable(title: string, rows: [label: string, value: string][]): string {
  const filledRows = rows.filter(([, value]) => value !== '')
  const lines = filledRows.map(([label, value]) => `${label.padEnd(labelWidth)}${value}`)
  return [title.toUpperCase(), '', ...lines].join('\n')
}
