import { exactDollars } from '#contract/money.ts'
import { greeting, type Template } from '../template.ts'

/** `amount` is what went back, in cents. */
type Refund = { name: string; product: string; amount: number }

const refunded: Template<Refund> = (data, { publicUrl }) => ({
  subject: `Your refund of ${exactDollars(data.amount)}`,
  preheader: 'It should arrive within five to ten business days.',
  heading: `We’ve refunded ${exactDollars(data.amount)}`,
  paragraphs: [
    greeting(data.name),
    `We’ve sent ${exactDollars(data.amount)} for ${data.product} back to your card. Depending on your bank, it should arrive within five to ten business days.`,
    'The credit note for your books is on your dashboard, under “All Invoices”.',
  ],
  details: [
    ['Product', data.product],
    ['Refund', exactDollars(data.amount)],
  ],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

const refundFailed: Template<Refund> = (data) => ({
  subject: `Your refund of ${exactDollars(data.amount)} came back to us`,
  preheader: 'Your bank sent it back. Please tell us where to send it.',
  heading: 'Your bank sent our refund back',
  paragraphs: [
    greeting(data.name),
    `We refunded ${exactDollars(data.amount)} for ${data.product} to your card, but your bank sent it back to us. That happens when a card was closed or replaced.`,
    'The money is still yours. Please reply to this email and tell us where to send it.',
  ],
  details: [
    ['Product', data.product],
    ['Refund', exactDollars(data.amount)],
  ],
})

/** An account paid twice for the same product, from another tab or as a guest. */
const duplicateRefunded: Template<Refund> = (data, { publicUrl }) => ({
  subject: 'We’re refunding your second payment',
  preheader: `You already have ${data.product}, so ${exactDollars(data.amount)} goes back to your card.`,
  heading: 'You already have this subscription',
  paragraphs: [
    greeting(data.name),
    `We received a second payment for ${data.product}, although your subscription is already active. One is enough: we’ve cancelled the second one, and ${exactDollars(data.amount)} goes back to your card within five to ten business days.`,
  ],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

/** They paid after their seat had gone to somebody else. */
const seatRefunded: Template<Refund & { slug: string }> = (data, { publicUrl }) => ({
  subject: 'We’re refunding your payment: no seat was left',
  preheader: `${exactDollars(data.amount)} goes back to your card.`,
  heading: 'The last seat was taken',
  paragraphs: [
    greeting(data.name),
    `We keep a seat for 15 minutes while you pay. Your payment for ${data.product} came later, and the last seat had gone to somebody else. We’re sorry: ${exactDollars(data.amount)} goes back to your card within five to ten business days.`,
    'On the product page you can ask us to tell you when a seat is free.',
  ],
  action: { label: 'Tell me when a seat is free', url: `${publicUrl}/products/${data.slug}` },
})

export const refundMails = { refunded, refundFailed, duplicateRefunded, seatRefunded }
