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

export const refundMails = { refunded, refundFailed }
