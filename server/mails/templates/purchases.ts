import { dayInWords } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import { type BillingType, planOf } from '#contract/plans.ts'
import { type WithdrawalCoverage, withdrawalEffects } from '#contract/selling/legal/consumer-law.ts'
import { greeting, type MailContent, type MailSite, type Templates, toDashboard } from '../template.ts'
import { firstPasswordLink, worksOnce } from './accounts.ts'
import {
  type AttachedPurchase,
  attachedAction,
  attachedLine,
  notBought,
  planDetails,
  type Subscription,
} from './payments.ts'

type OwnedProduct = { name: string; product: string }
type BookedPurchase = OwnedProduct & { isGift: boolean; endsAt: string | null; tokenId: string | null }
type EndingBooking = OwnedProduct & { slug: string; billingType: BillingType; endsAt: string }

const endings = {
  cancelled: 'Your subscription has ended because it was cancelled.',
  unpaid: 'Your subscription has ended because we couldn’t charge the renewal.',
  refunded: 'Your subscription has ended because its payment was refunded.',
  disputed: 'Your subscription has ended because its payment was disputed.',
  over: 'Your access has ended, as planned.',
}

type Refund = OwnedProduct & { amount: number }

function toAccount(tokenId: string | null, site: MailSite): Pick<MailContent, 'action' | 'footnote'> {
  if (!tokenId) return { action: toDashboard }
  return { action: ['Set your password', firstPasswordLink(tokenId, site)], footnote: worksOnce }
}

export const purchaseMails = {
  /** For a guest's purchase with the address of an account, if no payment brings a receipt. */
  purchaseAttached: (data: Subscription & AttachedPurchase) => ({
    subject: `${data.product} was added to your account`,
    paragraphs: [greeting(data.name), `${data.product} ${attachedLine(data)}`],
    details: planDetails(data),
    action: attachedAction(data),
    footnote: notBought,
  }),
  subscriptionWillEnd: (
    data: OwnedProduct & {
      period: string
      endsAt: string
      /** In cents, for the unused part of a renewed term. */
      refund: number
      /** The shortest plan, if it is shorter; the buyer can subscribe to it after the end. */
      shorter: BillingType | null
      /** Null once the right to withdraw is over. */
      withdrawal: { by: string; covers: WithdrawalCoverage } | null
    },
    site,
  ) => ({
    subject: 'Your subscription will be cancelled',
    paragraphs: [
      greeting(data.name),
      `Your subscription to ${data.product} will not renew. You keep full access until ${dayInWords(data.endsAt)}, and nothing more will be charged.`,
      data.refund > 0 &&
        `Your ${data.period} has renewed, so it ends with one month’s notice. On that day, we refund ${exactDollars(data.refund)} for the rest of it.`,
      data.shorter &&
        `Would you rather pay by the ${planOf(data.shorter).period}? Your access ends on that day and returns once the ${data.shorter} plan is paid. We’ll email you the link then.`,
      site.consumerLaw === 'eu' &&
        data.withdrawal &&
        `Until ${dayInWords(data.withdrawal.by)}, you can also withdraw and ${withdrawalEffects[data.withdrawal.covers]}: ${site.publicUrl}/withdraw`,
    ],
    details: [
      ['Product', data.product],
      ['Access until', dayInWords(data.endsAt)],
      data.refund > 0 && ['Refund', exactDollars(data.refund)],
    ],
    action: toDashboard,
  }),
  subscriptionPaused: (data: OwnedProduct) => ({
    subject: 'Your subscription is paused',
    paragraphs: [
      greeting(data.name),
      `Your subscription to ${data.product} is paused. Until it continues, nothing will be charged, and you have no access.`,
      'To continue or to end it, reply to this email. You can also cancel it on your dashboard.',
    ],
    action: toDashboard,
  }),
  subscriptionResumed: (data: Subscription & { renewsAt: string; wasPaused: boolean }) => ({
    subject: 'Your subscription continues',
    paragraphs: [
      greeting(data.name),
      data.wasPaused
        ? `Your pause is over: you have access to ${data.product} again.`
        : `The cancellation was undone. ${data.product} stays yours.`,
    ],
    details: [...planDetails(data), ['Renews on', dayInWords(data.renewsAt)]],
    action: toDashboard,
  }),
  subscriptionEnded: (
    data: OwnedProduct & { because: keyof typeof endings; restart?: { slug: string; billing: BillingType } | null },
  ) => ({
    subject: `Your subscription to ${data.product} has ended`,
    paragraphs: [
      greeting(data.name),
      `${endings[data.because]} Access to ${data.product} on TradingView has been turned off. Your account and your invoices remain.`,
      data.restart
        ? `You can go on by the ${planOf(data.restart.billing).period}: your access returns once the ${data.restart.billing} plan is paid.`
        : 'You’re welcome back any time.',
    ],
    action: data.restart
      ? [`Start ${data.restart.billing}`, `/checkout?product=${data.restart.slug}&billing=${data.restart.billing}`]
      : ['See the products', '/products'],
  }),
  /** `renews` is false for a purchase booked by hand. */
  subscriptionExtended: ({ name, product, until, renews }: OwnedProduct & { until: string; renews: boolean }) => ({
    subject: `More time with ${product}`,
    paragraphs: [
      greeting(name),
      renews
        ? `You keep access to ${product} until ${dayInWords(until)} at no charge. Your next payment is due then.`
        : `You keep access to ${product} until ${dayInWords(until)} at no charge.`,
    ],
    action: toDashboard,
  }),
  refunded: (data: Refund & { hasEnded: boolean }) => ({
    subject: `Your refund of ${exactDollars(data.amount)}`,
    paragraphs: [
      greeting(data.name),
      `We’ve sent ${exactDollars(data.amount)} for ${data.product} back to your card. Depending on your bank, it should arrive within five to ten business days.`,
      data.hasEnded &&
        `Your subscription has ended with it, and access to ${data.product} on TradingView has been turned off. Your account and your invoices remain.`,
      'The credit note for your books is on your dashboard, under “All Invoices”.',
    ],
    details: [
      ['Product', data.product],
      ['Refund', exactDollars(data.amount)],
    ],
    action: toDashboard,
  }),
  refundFailed: (data: Refund) => ({
    subject: `Your refund of ${exactDollars(data.amount)} came back to us`,
    paragraphs: [
      greeting(data.name),
      `We refunded ${exactDollars(data.amount)} for ${data.product} to your card, but your bank returned it to us. That happens when a card was closed or replaced.`,
      'The money is still yours. Please reply to this email and tell us where to send it.',
    ],
    details: [
      ['Product', data.product],
      ['Refund', exactDollars(data.amount)],
    ],
  }),
  duplicateRefunded: (data: Refund) => ({
    subject: 'We’re refunding your second payment',
    paragraphs: [
      greeting(data.name),
      `We received a second payment for ${data.product}, although your subscription is already active. One is enough: we’ve cancelled the second one, and ${exactDollars(data.amount)} goes back to your card within five to ten business days.`,
    ],
    action: toDashboard,
  }),
  codeRefunded: (data: Refund & { code: string; because: 'code_used_up' | 'code_new_only' }) => ({
    subject:
      data.because === 'code_used_up'
        ? `We’re refunding your payment: the code ${data.code} is used up`
        : `We’re refunding your payment: the code ${data.code} is for new customers`,
    paragraphs: [
      greeting(data.name),
      data.because === 'code_used_up'
        ? `The code ${data.code} can be used a limited number of times, and others paid with it before you.`
        : `The code ${data.code} is for new customers only, and you have bought from us before.`,
      `So we’ve cancelled the subscription to ${data.product} that you paid for with it, and ${exactDollars(data.amount)} goes back to your card within five to ten business days. You can subscribe again without the code at any time.`,
    ],
    details: [
      ['Product', data.product],
      ['Refund', exactDollars(data.amount)],
    ],
    action: toDashboard,
  }),
  purchaseBooked: (data: BookedPurchase, site) => ({
    subject: `You have access to ${data.product}`,
    paragraphs: [
      greeting(data.name),
      data.isGift
        ? `We’ve given you access to ${data.product}. You pay nothing for it.`
        : `We’ve added ${data.product} to your account.`,
      data.tokenId && 'Choose a password, and you can log in any time.',
      'If we don’t know your TradingView username yet, enter it on your dashboard, and we’ll unlock the indicator for you.',
    ],
    details: [['Product', data.product], data.endsAt && ['Access until', dayInWords(data.endsAt)]],
    ...toAccount(data.tokenId, site),
  }),
  /** The subscription was made at Stripe. `tokenId` is set for an account without a password. */
  purchaseTakenOver: ({ name, product, tokenId }: OwnedProduct & { tokenId: string | null }, site) => ({
    subject: `Your subscription to ${product} has a new home`,
    paragraphs: [
      greeting(name),
      `You can now manage your subscription to ${product} in our shop. You pay the same as before, on the same dates and with the same card, and nothing is charged now.`,
      tokenId
        ? 'Choose a password, then enter your TradingView username on your dashboard if we don’t know it yet.'
        : 'If we don’t know your TradingView username yet, enter it on your dashboard.',
    ],
    ...toAccount(tokenId, site),
  }),
  bookedEnds: (data: EndingBooking) => ({
    subject: `Your access to ${data.product} ends on ${dayInWords(data.endsAt)}`,
    paragraphs: [
      greeting(data.name),
      `Your access to ${data.product} ends on ${dayInWords(data.endsAt)}, and nothing is charged. If you want to stay, subscribe: your subscription starts on the day you pay.`,
    ],
    details: [
      ['Product', data.product],
      ['Access until', dayInWords(data.endsAt)],
    ],
    action: ['Subscribe', `/checkout?${new URLSearchParams({ product: data.slug, billing: data.billingType })}`],
  }),
} satisfies Templates
