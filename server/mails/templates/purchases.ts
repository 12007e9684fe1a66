import { exactDollars } from '#contract/money.ts'
import { day, greeting, type Template } from '../template.ts'
import { plan, type Subscription, toDashboard } from './payments.ts'

/** Someone paid as a guest with the address of an account: the purchase goes to its owner. */
const purchaseAttached: Template<Subscription> = (data, site) => ({
  subject: `${data.product} was added to your account`,
  preheader: 'A purchase was made with your email address.',
  heading: 'A purchase was added to your account',
  paragraphs: [
    greeting(data.name),
    `${data.product} was just bought with your email address, without logging in. Because there is an account for this address, we’ve added the purchase to it. Log in to send your access request.`,
  ],
  details: plan(data),
  action: toDashboard('Log in', site),
  footnote: 'Didn’t buy anything? Reply to this email and we’ll look into it.',
})

const subscriptionWillEnd: Template<{
  name: string
  product: string
  endsAt: string
  /** For the rest of a renewed year. */
  refund: number
  /** A year: to pay by the month, the buyer subscribes again after it. */
  wasYearly?: boolean
}> = (data, site) => ({
  subject: 'Your subscription will be cancelled',
  preheader: `You keep access until ${day(data.endsAt)}.`,
  heading: 'Your subscription will be cancelled',
  paragraphs: [
    greeting(data.name),
    `Your subscription to ${data.product} will not renew. You keep full access until ${day(data.endsAt)}, and nothing more will be charged.`,
    ...(data.refund > 0
      ? [
          `Your year has renewed, so it ends with one month’s notice. On that day, we pay back ${exactDollars(data.refund)} for the rest of it.`,
        ]
      : []),
    ...(data.wasYearly
      ? [
          'Would you rather pay by the month? Your access ends on that day and returns once the monthly plan is paid. We’ll email you the link then.',
        ]
      : []),
  ],
  details: [
    ['Product', data.product],
    ['Access until', day(data.endsAt)],
    ...(data.refund > 0 ? [['Refund', exactDollars(data.refund)] as [string, string]] : []),
  ],
  action: toDashboard('Open your dashboard', site),
})

const subscriptionPaused: Template<{ name: string; product: string }> = (data, site) => ({
  subject: 'Your subscription is paused',
  preheader: 'Nothing will be charged until it continues.',
  paragraphs: [
    greeting(data.name),
    `Your subscription to ${data.product} is paused. Until it continues, nothing will be charged, and you have no access.`,
    'To continue or to end it, reply to this email. You can also cancel it on your dashboard.',
  ],
  action: toDashboard('Open your dashboard', site),
})

const subscriptionResumed: Template<Subscription & { renewsAt: string; wasPaused: boolean }> = (
  data,
  site,
) => ({
  subject: 'Your subscription continues',
  preheader: `It renews on ${day(data.renewsAt)}.`,
  paragraphs: [
    greeting(data.name),
    data.wasPaused
      ? `Your pause is over: you have access to ${data.product} again.`
      : `The cancellation was undone. ${data.product} stays yours.`,
  ],
  details: [...plan(data), ['Renews on', day(data.renewsAt)]],
  action: toDashboard('Open your dashboard', site),
})

const endings = {
  cancelled: 'Your subscription has ended because it was cancelled.',
  unpaid: 'Your subscription has ended because we couldn’t charge the renewal.',
  refunded: 'Your subscription has ended because its payment was refunded.',
  disputed: 'Your subscription has ended because its payment was disputed.',
  over: 'Your access has ended, as planned.',
}

const subscriptionEnded: Template<{
  name: string
  product: string
  because: keyof typeof endings
  /** The product that can be had by the month, after a year that was cancelled. */
  monthly?: string | null
}> = (data, { publicUrl }) => ({
  subject: `Your subscription to ${data.product} has ended`,
  preheader: 'Your invoices stay on your dashboard.',
  heading: 'Your subscription has ended',
  paragraphs: [
    greeting(data.name),
    `${endings[data.because]} Access to ${data.product} on TradingView has been turned off. Your account and your invoices remain.`,
    data.monthly
      ? 'You can go on by the month: your access returns once the monthly plan is paid.'
      : 'You’re welcome back any time.',
  ],
  action: data.monthly
    ? { label: 'Start monthly', url: `${publicUrl}/checkout?product=${data.monthly}&billing=monthly` }
    : { label: 'See the products', url: `${publicUrl}/products` },
})

/** A present of time: `renews` tells a subscription from a purchase booked by hand. */
const subscriptionExtended: Template<{ name: string; product: string; until: string; renews: boolean }> = (
  { name, product, until, renews },
  { publicUrl },
) => ({
  subject: `More time with ${product}`,
  preheader: `You keep access until ${day(until)}, at no charge.`,
  heading: 'We’ve given you more time',
  paragraphs: [
    greeting(name),
    renews
      ? `You keep access to ${product} until ${day(until)} at no charge. Your next payment is due then.`
      : `You keep access to ${product} until ${day(until)} at no charge.`,
  ],
  action: { label: 'Open your dashboard', url: `${publicUrl}/dashboard` },
})

export const purchaseMails = {
  subscriptionExtended,
  purchaseAttached,
  subscriptionWillEnd,
  subscriptionPaused,
  subscriptionResumed,
  subscriptionEnded,
}

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
